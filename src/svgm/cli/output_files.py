"""Output files of commands: checked before the work begins, and all written together after it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from svgm.checks.errors import FileError, InputError
from svgm.io import atomic_write

#: Suffixes of pages.
PAGE_SUFFIXES = (".html", ".htm")


def check_outputs(*paths: Path | None) -> None:
    """Raise a FileError if one of the files cannot be written, so that the user learns it before the work begins."""
    given = [path for path in paths if path is not None]
    for path in given:
        folder = path.resolve().parent
        if path.is_dir():
            raise FileError(f"{path}: is a folder, not a file")
        if path.exists() and not path.is_file():
            raise FileError(f"{path}: is not a regular file")
        if not folder.is_dir():
            raise FileError(f"{path}: cannot be written, its folder does not exist")
        if not os.access(folder, os.W_OK | os.X_OK):
            raise FileError(f"{path}: cannot be written, its folder is not writable")
    if len({path.resolve() for path in given}) < len(given):
        raise FileError(f"{given[-1]}: two outputs must not be written to one file")


def check_not_inputs(inputs: Iterable[Path | None], *outputs: Path | None) -> None:
    """Raise a FileError if an output would replace an input file."""
    read = {path.resolve() for path in inputs if path is not None}
    for path in outputs:
        if path is not None and path.resolve() in read:
            raise FileError(f"{path}: is an input file, so this output must go to another file")


def check_suffix(path: Path | None, suffixes: Sequence[str], content: str) -> None:
    """Raise a FileError if content of this kind cannot be written to a file with the suffix of the path."""
    if path is not None and path.suffix.lower() not in suffixes:
        raise FileError(f"{path}: {content} must be written to a file ending in {' '.join(suffixes)}")


def check_picture(path: Path | None) -> None:
    """Raise an error if no picture can be drawn to this file."""
    if path is not None:
        from svgm import view

        view.check_picture_path(path)
        view.require_matplotlib()


def can_draw() -> bool:
    """Whether matplotlib is installed, which draws the pictures."""
    from svgm import view

    try:
        view.require_matplotlib()
    except InputError:
        return False
    return True


@contextmanager
def atomic_writes(*paths: Path | None) -> Iterator[list[Path]]:
    """Temporary files for all paths that are given. If the block succeeds, all get their names; if it fails, none."""
    with ExitStack() as stack:
        yield [stack.enter_context(atomic_write(path)) if path is not None else Path() for path in paths]


def write_text(path: Path, text: str) -> None:
    """Write ASCII text to a file, atomically."""
    with atomic_write(path) as temporary:
        temporary.write_text(text, encoding="ascii")
