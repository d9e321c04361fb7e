"""MkDocs hook: the page of the command line, made from the help of the commands."""

from __future__ import annotations

import inspect
import re
from typing import Any

import click

from svgm.cli import main

PAGE = "reference/cli.md"
MARK = "<!-- commands -->"


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Replace the page's mark by all commands."""
    return markdown.replace(MARK, commands()) if page.file.src_uri == PAGE else markdown


def commands() -> str:
    """The program and each of its commands, as Markdown."""
    top = click.Context(main, info_name="svgm", **main.context_settings)
    names = main.list_commands(top)
    lines = [_description(main), "| command | |\n|---|---|"]
    lines[-1] += "".join(f"\n| [`svgm {name}`](#svgm-{name}) | {main.commands_help[name][0]} |" for name in names)
    sections = ["\n\n".join(lines)]
    for name in names:
        command = main.get_command(top, name)
        assert command is not None
        sections.append(_section(command, click.Context(command, info_name=name, parent=top)))
    return "\n\n".join(sections)


def _section(command: click.Command, context: click.Context) -> str:
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    options = [option for option in command.get_params(context) if isinstance(option, click.Option)]
    rows = [_row(*record) for option in options if (record := option.get_help_record(context))]
    table = "\n".join(["| option | what it does | default |", "|---|---|---|", *rows])
    return f"## svgm {context.info_name}\n\n```shell\n{usage}\n```\n\n{_description(command)}\n\n{table}"


def _description(command: click.Command) -> str:
    """Paragraphs of the help; paragraphs that click does not wrap are examples."""
    paragraphs = inspect.cleandoc(command.help or "").split("\n\n")
    return "\n\n".join(
        f"```shell\n{text[1:].strip()}\n```" if text.startswith("\b") else text for text in map(str.strip, paragraphs)
    )


def _row(names: str, text: str) -> str:
    """One line of the table; click puts the default, and whether an option is required, in brackets at the end."""
    found = re.search(r"\s*\[((?:default|required)[^\]]*)\]$", text)
    said = text[: found.start()] if found else text
    default = found[1].removeprefix("default: ") if found else ""
    return f"| `{_cell(names)}` | {_cell(said)} | {_cell(default)} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
