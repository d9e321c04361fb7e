"""The program `svgm`: finds a command by its name, imports and runs it, and reports known errors as one line."""

from __future__ import annotations

import codecs
import importlib
import io
import logging
import os
import sys
from typing import TYPE_CHECKING, Any

import click

import svgm
from svgm.cli.errors import as_known_error
from svgm.cli.suggestions import did_you_mean

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


class CommandGroup(click.Group):
    """Commands by name. Each is the function of that name, in the module of that name in `svgm.cli.commands`.

    Exit codes: 0 for success, 1 for a known error (one line on stderr), 2 for wrong usage, 3 for a
    registration that is not trusted (`svgm register --require-trust`), 130 for an interrupt.
    """

    def __init__(self, *args: Any, commands_help: dict[str, tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.commands_help = commands_help

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in the order in which one uses the commands."""
        return list(self.commands_help)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the module of one command, and of no other."""
        if cmd_name not in self.commands_help:
            return None
        command: click.Command = getattr(importlib.import_module(f"svgm.cli.commands.{cmd_name}"), cmd_name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command. For a name that does not exist, suggest the most similar one."""
        name = args[0]
        if name not in self.commands_help and not name.startswith("-"):
            hint = did_you_mean(name, self.commands_help, cutoff=0.5)
            ctx.fail(f"no such command '{name}'{hint or '; the commands are ' + ', '.join(self.commands_help)}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write one line and one example for each command, without importing the commands."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (text, _) in self.commands_help.items()])
        with formatter.section("Examples"):
            for _, example in self.commands_help.values():
                formatter.write_text(example)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete the names of commands and svgm's own options, without importing the commands."""
        from click.shell_completion import CompletionItem

        names = [
            CompletionItem(name, help=text)
            for name, (text, _) in self.commands_help.items()
            if name.startswith(incomplete)
        ]
        return names + click.Command.shell_complete(self, ctx, incomplete)

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run svgm. A file name need not be valid text, so a character that cannot be encoded is no error."""
        codecs.register_error("svgm", _encode_anyway)
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="svgm" if stream is sys.stdout else "backslashreplace")
        return super().main(*args, **kwargs)

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        """Parse svgm's own options."""
        try:
            return super().make_context(*args, **kwargs)
        except Exception as error:
            known = as_known_error(error)
            if known is None:
                raise
            raise known from None

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command. An error that the user can correct becomes one line, without a traceback."""
        try:
            svgm.instruction_set()  # raises if the environment asks for one that this machine does not have
            return super().invoke(ctx)
        except KeyboardInterrupt:
            _silence_stderr()
            ctx.exit(130)
        except Exception as error:
            known = as_known_error(error)
            if known is None:
                raise
            if isinstance(error, OSError):
                _discard_output()
            raise known from None


def _encode_anyway(error: UnicodeError) -> tuple[str | bytes, int]:
    """Encode a byte of a file name that is not UTF-8 as that byte, any other character by its number."""
    try:
        return codecs.lookup_error("surrogateescape")(error)
    except UnicodeEncodeError:
        return codecs.lookup_error("backslashreplace")(error)


def _silence_stderr() -> None:
    """Write no more logs and warnings: after an interrupt, processes of Dask that were starting report errors."""
    logging.disable()
    sys.unraisablehook = lambda _: None


def _discard_output() -> None:
    """Drop the output that a full device did not take. Otherwise Python tries again at its end and reports it again."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
