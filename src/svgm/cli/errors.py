"""Errors as one line on stderr, `svgm: error: ...`: exit code 1 for a known error, 2 for wrong usage."""

from __future__ import annotations

import errno
import os
from typing import Any

import click

from svgm.checks.errors import SvgmError
from svgm.cli.suggestions import did_you_mean
from svgm.io.errors import printable

#: Errors of a write to a device that is full or broken.
WRITE_ERRORS = (errno.ENOSPC, errno.EFBIG, errno.EIO, getattr(errno, "EDQUOT", errno.ENOSPC))


class KnownError(click.ClickException):
    """An error that the user can correct."""

    def show(self, file: Any = None) -> None:
        """Print the error as one line."""
        echo_error(self.message)


class WrongUsage(KnownError):
    """A command line that cannot be understood, in one line instead of click's four."""

    exit_code = 2


def echo_error(message: str) -> None:
    """Print an error on stderr as one line, whatever the message holds."""
    click.echo(f"svgm: error: {printable(' '.join(message.split()))}", err=True)


def as_known_error(error: Exception) -> click.ClickException | None:
    """The one-line error to raise in place of another error; None if the other error is a fault of the program."""
    if isinstance(error, click.UsageError):
        # Without any argument click shows the help, by an exception of its own since 8.2.
        return error if type(error).__name__ == "NoArgsIsHelpError" else WrongUsage(_usage(error))
    message = _message(error)
    return None if message is None else KnownError(message)


def _message(error: Exception) -> str | None:
    if isinstance(error, SvgmError):
        return str(error)
    if isinstance(error, MemoryError):
        return "not enough memory"
    if isinstance(error, RuntimeError) and str(error) == os.strerror(errno.EAGAIN):
        # SciPy's Fourier transforms report in this way that they cannot start a thread.
        return "a thread could not be started: there is not enough memory, or there are too many processes"
    # After EPIPE, which means that the reader of a pipe has gone, click ends the program quietly.
    if isinstance(error, OSError) and error.errno != errno.EPIPE:
        # An error of a file has the file's name. Without one, the device that is full is the standard output.
        name = error.filename or ("standard output" if error.errno in WRITE_ERRORS else None)
        return f"{name}: {error.strerror}" if name else error.strerror or str(error)
    return None


def _usage(error: click.UsageError) -> str:
    if isinstance(error, click.NoSuchOption):
        known = [] if error.ctx is None else [name for option in error.ctx.command.params for name in option.opts]
        message = f"no such option '{error.option_name}'{did_you_mean(error.option_name, known)}"
    else:
        message = " ".join(error.format_message().split()).removesuffix(".")
        message = message[:1].lower() + message[1:]
    if message.endswith("?") or error.ctx is None:
        return message
    return f"{message}; see {error.ctx.command_path} --help"
