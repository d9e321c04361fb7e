"""What commands write: files that are checked before the work and appear together after it, and text on stdout."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import click

from svgm.checks.errors import FileError
from svgm.geometry.points import Array
from svgm.io import atomic_write

#: What pages are written to.
PAGES = (".html", ".htm")


def check_outputs(*paths: Path | None) -> None:
    """Raise a FileError if a file could not be written: better now than after the work."""
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
        raise FileError(f"{given[-1]}: two outputs must not go to one file")


def check_kept(inputs: Iterable[Path | None], *outputs: Path | None) -> None:
    """Raise a FileError if something else would be written over a file that is read."""
    read = {path.resolve() for path in inputs if path is not None}
    for path in outputs:
        if path is not None and path.resolve() in read:
            raise FileError(f"{path}: is read, so nothing else is written to it")


def check_suffix(path: Path | None, suffixes: Sequence[str], content: str) -> None:
    """Raise a FileError if the suffix is none that the content is written in."""
    if path is not None and path.suffix.lower() not in suffixes:
        raise FileError(f"{path}: {content} must be written to a file ending in {' '.join(suffixes)}")


def check_picture(path: Path | None) -> None:
    """Raise an error if a picture of that name could not be drawn."""
    if path is not None:
        from svgm import view

        view.check_picture_path(path)
        view.require_matplotlib()


@contextmanager
def together(*paths: Path | None) -> Iterator[list[Path]]:
    """Temporary files for all given paths; all take their places when the block succeeds, none if it fails."""
    with ExitStack() as stack:
        yield [stack.enter_context(atomic_write(path)) if path is not None else Path() for path in paths]


def write_text(path: Path, text: str) -> None:
    """Write ASCII text, whole or not at all."""
    with atomic_write(path) as temporary:
        temporary.write_text(text, encoding="ascii")


def matrix_text(T: Array) -> str:
    """Rows of numbers that lose nothing, as numpy.loadtxt and other tools read them."""
    return "".join(" ".join(f"{value + 0.0:24.17g}" for value in row).rstrip() + "\n" for row in T)


def echo_json(value: Any) -> None:
    """Print plain values as JSON; numbers that JSON has no word for become null."""
    click.echo(json.dumps(_plain(value), indent=2, allow_nan=False))


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
