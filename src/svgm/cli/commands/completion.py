"""`svgm completion`: the script with which a shell completes commands, options, choices and file names."""

from __future__ import annotations

import click

from svgm.cli.suggestions import Choice

#: Shells for which click has a script.
SHELLS = ("bash", "zsh", "fish")


@click.command()
@click.argument("shell", type=Choice(SHELLS), metavar="SHELL")
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print a script for SHELL (bash, zsh or fish) that completes commands, options, choices and file names.

    To use it in every new shell, add one line to the shell's start-up file:

    \b
    eval "$(svgm completion bash)"     in ~/.bashrc
    eval "$(svgm completion zsh)"      in ~/.zshrc
    svgm completion fish | source      in ~/.config/fish/config.fish
    """
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None
    click.echo(kind(context.find_root().command, {}, "svgm", "_SVGM_COMPLETE").source())
