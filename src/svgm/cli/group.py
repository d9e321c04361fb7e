"""The `svgm` command itself: loads a command when it is called, and turns known errors into one line."""

from __future__ import annotations

import codecs
import errno
import importlib
import io
import logging
import os
import sys
from typing import TYPE_CHECKING, Any

import click

import svgm
from svgm.checks.errors import SvgmError
from svgm.cli.mistakes import KnownError, WrongUsage, did_you_mean
from svgm.io.source import printable

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


#: Errors of a write to what is full or fails.
FULL = (errno.ENOSPC, errno.EFBIG, errno.EIO, getattr(errno, "EDQUOT", errno.ENOSPC))


class Group(click.Group):
    """Commands by name, each in the module and under the function of that name.

    Exit codes: 0, or 1 for a known error (one line on stderr), 2 for wrong usage, 130 for an interrupt.
    """

    def __init__(self, *args: Any, commands_help: dict[str, tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.commands_help = commands_help

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order of the work, not of the alphabet."""
        return list(self.commands_help)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command's module now, and no other."""
        if cmd_name not in self.commands_help:
            return None
        command: click.Command = getattr(importlib.import_module(f"svgm.cli.{cmd_name}"), cmd_name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Suggest the nearest name for one that does not exist."""
        name = args[0]
        if name not in self.commands_help and not name.startswith("-"):
            hint = did_you_mean(name, self.commands_help, cutoff=0.5)
            ctx.fail(f"no such command '{name}'{hint or '; there are ' + ', '.join(self.commands_help)}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Names and one line each, then an example of each, without importing the commands."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (text, _) in self.commands_help.items()])
        with formatter.section("Examples"):
            for _, example in self.commands_help.values():
                formatter.write_text(example)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Names of commands, and svgm's own options, without importing the commands."""
        from click.shell_completion import CompletionItem

        names = [
            CompletionItem(name, help=text)
            for name, (text, _) in self.commands_help.items()
            if name.startswith(incomplete)
        ]
        return names + click.Command.shell_complete(self, ctx, incomplete)

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run svgm; names of files need not be text, so what cannot be encoded is no error."""
        codecs.register_error("svgm", _unencodable)
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="svgm" if stream is sys.stdout else "backslashreplace")
        return super().main(*args, **kwargs)

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        """Parse svgm's own options; what is wrong with them is one line."""
        try:
            return super().make_context(*args, **kwargs)
        except click.UsageError as error:
            raise _one_line(error) from None
        except SvgmError as error:
            raise KnownError(str(error)) from None

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; what the user can mend is one line, never a traceback."""
        try:
            svgm.instruction_set()  # an error if the environment asks for one that this machine lacks
            return super().invoke(ctx)
        except click.UsageError as error:
            raise _one_line(error) from None
        except SvgmError as error:
            message = str(error)
        except MemoryError:
            message = "not enough memory"
        except RuntimeError as error:
            if str(error) != os.strerror(errno.EAGAIN):
                raise
            message = "not enough memory, or processes, for one more thread"  # so SciPy's transforms say it
        except OSError as error:
            if error.errno == errno.EPIPE:
                raise  # click ends quietly when the reader of a pipe has gone
            # Errors of files have names: what is full without one is what the command prints to.
            name = error.filename or ("standard output" if error.errno in FULL else None)
            message = f"{name}: {error.strerror}" if name else error.strerror or str(error)
            _discard_output()
        except KeyboardInterrupt:
            _hush()
            ctx.exit(130)
        click.echo(f"svgm: error: {printable(' '.join(message.split()))}", err=True)
        return ctx.exit(1)


def _unencodable(error: UnicodeError) -> tuple[str | bytes, int]:
    """The bytes of a name that is not UTF-8; other characters that an encoding lacks by their numbers."""
    try:
        return codecs.lookup_error("surrogateescape")(error)
    except UnicodeEncodeError:
        return codecs.lookup_error("backslashreplace")(error)


def _hush() -> None:
    """Nothing more on stderr: after an interrupt, processes that were starting (Dask's) fail while they are closed."""
    logging.disable()
    sys.unraisablehook = lambda _: None


def _discard_output() -> None:
    """Drop what a full device does not take: Python tries again when it ends, and some versions complain once more."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _one_line(error: click.UsageError) -> click.ClickException:
    # Without any argument click shows the help, by an exception of its own since 8.2.
    return error if type(error).__name__ == "NoArgsIsHelpError" else WrongUsage(error)
