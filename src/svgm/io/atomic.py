"""Atomic writes: a file is complete, or it is not there."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from svgm.checks.errors import FileError
from svgm.io.errors import file_error
from svgm.io.paths import PathLike, as_path


@contextmanager
def atomic_write(path: PathLike) -> Iterator[Path]:
    """Write a file under a temporary name and rename it when the block succeeds.

    Parameters
    ----------
    path : str or os.PathLike
        The file to make or replace. Its folder must exist. If `path` is a symbolic link, the file that it
        points to is replaced.

    Yields
    ------
    Path
        An empty file in the same folder with the same suffix, which the block writes to. When the block ends, this file
        is renamed to `path`. If the block raises, this file is removed and `path` stays as it was.

    Raises
    ------
    FileError
        If the folder is missing or not writable, if `path` is a folder or a device, or if the operating system refuses
        a write.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with atomic_write(Path(folder) / "note.txt") as temporary:
    ...         _ = temporary.write_text("whole")
    ...     [entry.name for entry in Path(folder).iterdir()]
    ['note.txt']
    """
    given = as_path(path)
    try:
        # Renaming onto a link would replace the link, not the file that it points to.
        target = given.resolve()
        if target.is_dir():
            raise file_error(given, "is a folder, not a file")
        if target.exists() and not target.is_file():
            raise file_error(given, "is not a regular file")
        if not target.parent.is_dir():
            raise file_error(given, "cannot be written, its folder does not exist")
        temporary = target.parent / f".svgm-{secrets.token_hex(8)}{target.suffix}"
        # Mode 0666 lets the system apply the umask, as for any new file; tempfile would give 0600.
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    except FileError:
        raise
    except (OSError, RuntimeError, ValueError) as error:  # a loop of links, a NUL inside the name
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise file_error(given, f"cannot be written ({reason})") from None
    try:
        yield temporary
        os.replace(temporary, target)  # noqa: PTH105
    except OSError as error:
        raise file_error(given, f"cannot be written ({error.strerror or error})") from None
    except FileError as error:
        # A message from inside the block names the temporary file, which the user does not know.
        before, after = (str(file_error(path, "")) for path in (temporary, given))
        if not str(error).startswith(before):
            raise
        raise FileError(after + str(error).removeprefix(before)) from None
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
