"""The line that was typed, as it can be typed again."""

from __future__ import annotations

import shlex

import click
from click.core import ParameterSource


def command_line(ctx: click.Context) -> str:
    """The command with the arguments and options that were given, quoted for a shell."""
    words = ctx.command_path.split()
    arguments: list[str] = []
    for parameter in ctx.command.params:
        if parameter.name is None or ctx.get_parameter_source(parameter.name) is not ParameterSource.COMMANDLINE:
            continue
        value = ctx.params[parameter.name]
        if isinstance(parameter, click.Argument):
            arguments += map(str, value) if isinstance(value, tuple) else [str(value)]
        elif isinstance(parameter, click.Option) and parameter.is_flag:
            words.append(parameter.opts[-1])
        else:
            words += [parameter.opts[-1], str(value)]
    return shlex.join([*words[:2], *arguments, *words[2:]])
