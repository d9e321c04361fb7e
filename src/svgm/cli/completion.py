"""`svgm completion`: the script by which a shell completes commands, options, choices and files."""

from __future__ import annotations

import click

from svgm.cli.mistakes import Choice

#: Shells that click writes scripts for.
SHELLS = ("bash", "zsh", "fish")


@click.command()
@click.argument("shell", type=Choice(SHELLS), metavar="SHELL")
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the script that completes svgm's commands, options, choices and files in SHELL (bash, zsh or fish).

    To have it in every new shell, one line in its start-up file:

    \b
    eval "$(svgm completion bash)"     in ~/.bashrc
    eval "$(svgm completion zsh)"      in ~/.zshrc
    svgm completion fish | source      in ~/.config/fish/config.fish
    """
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None
    click.echo(kind(context.find_root().command, {}, "svgm", "_SVGM_COMPLETE").source())
