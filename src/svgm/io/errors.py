"""Errors of files: one line each, which begins with the name of the file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from svgm.checks.arguments import shown as shown_value
from svgm.checks.errors import FileError

#: Characters of a value from a file that a message shows, at most.
_LONGEST_VALUE = 43

#: Characters of a file's name, and of the text after the name, that a message shows, at most.
_LONGEST_PART = 200


def file_error(path: Path, message: str) -> FileError:
    """Make the error of one file, as one short line.

    Parameters
    ----------
    path : Path
        The file.
    message : str
        What is wrong with the file: the rule, and the value that breaks the rule. The value may come from the file,
        so line breaks and control characters are escaped and a long text is cut.

    Returns
    -------
    FileError
        The caller raises it.
    """
    return FileError(printable(" ".join(f"{_cut(str(path))}: {_cut(message)}".split())))


@contextmanager
def file_errors(path: Path, problem: str) -> Iterator[None]:
    """Turn every error that a block raises on a damaged file into one FileError; a FileError stays as it is.

    Parameters
    ----------
    path : Path
        The file that the block reads.
    problem : str
        What is wrong with the file. The message of the original error follows in brackets.

    Raises
    ------
    FileError
        In place of any error raised inside the block.
    """
    try:
        yield
    except (FileError, KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except MemoryError:
        raise file_error(path, "does not fit into memory") from None
    except BaseException as error:
        # BaseException: a panic of an extension written in Rust is not an Exception.
        if isinstance(error, OSError) and error.strerror:
            problem = "cannot be read"
        raise file_error(path, f"{problem} ({reason(error) or type(error).__name__})") from error


def reason(error: BaseException) -> str:
    """The message of an error; for an error of the operating system without its number and file name.

    >>> reason(FileNotFoundError(2, "No such file or directory", "a.ply")), reason(ValueError("bad"))
    ('No such file or directory', 'bad')
    """
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def printable(text: str) -> str:
    r"""Escape characters that cannot be printed: control codes, and bytes of a file name that are not UTF-8.

    >>> print(printable("caf\u00e9 \udcff \x1b[1m"))
    café \udcff \x1b[1m
    """
    return text if text.isprintable() else "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def shown(value: object) -> str:
    """A value from a file as a message shows it: quoted, on one line, cut to a readable length."""
    return shown_value(value, _LONGEST_VALUE)


def _cut(text: str) -> str:
    half = _LONGEST_PART // 2
    return text if len(text) <= _LONGEST_PART else f"{text[:half]} ... {text[-half:]}"
