"""The command that is running, as text that repeats it in a shell."""

from __future__ import annotations

import shlex

import click
from click.core import ParameterSource


def command_text(ctx: click.Context) -> str:
    """The command with the arguments and options that the user gave, quoted for a shell."""
    arguments: list[str] = []
    options: list[str] = []
    for parameter in ctx.command.params:
        if parameter.name is None or ctx.get_parameter_source(parameter.name) is not ParameterSource.COMMANDLINE:
            continue
        value = ctx.params[parameter.name]
        if isinstance(parameter, click.Argument):
            arguments += map(str, value) if isinstance(value, tuple) else [str(value)]
        elif isinstance(parameter, click.Option) and parameter.is_flag:
            options.append(parameter.opts[-1])
        else:
            options += [parameter.opts[-1], str(value)]
    if any(argument.startswith("-") for argument in arguments):
        return shlex.join([*ctx.command_path.split(), *options, "--", *arguments])
    return shlex.join([*ctx.command_path.split(), *arguments, *options])
