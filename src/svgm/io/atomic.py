"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from svgm.checks.errors import FileError
from svgm.io.source import PathLike, as_path, file_error


@contextmanager
def atomic_write(path: PathLike) -> Iterator[Path]:
    """Write a file under a temporary name and rename it when the block succeeds.

    Parameters
    ----------
    path : str or os.PathLike
        The file to make or replace. Its folder must exist. A symbolic link is followed.

    Yields
    ------
    Path
        An empty file in the same folder with the same suffix, to be written by the block. It takes the place of
        `path` when the block ends; if the block raises, it is removed and `path` stays as it was.

    Raises
    ------
    FileError
        If the folder is missing or not writable, `path` is a folder or a device, or the system refuses a write.

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
        # Renaming onto a link would replace the link, not the file it stands for.
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
        # What writes the block may call the file by its temporary name.
        before, after = (str(file_error(path, "")) for path in (temporary, given))
        if not str(error).startswith(before):
            raise
        raise FileError(after + str(error).removeprefix(before)) from None
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
