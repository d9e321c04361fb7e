"""Pages of the docs: prose written by hand, with the tables and figures that the commands write between marks."""

from __future__ import annotations

import re
import shutil
from collections.abc import Collection
from pathlib import Path

import click

from benchmarks.paper.summary import summary

#: Of a mark that stands for a few figures from all experiments.
SUMMARY = "summary"


def fill(page: Path, results: Path, only: Collection[str] = ()) -> None:
    """Put what the experiments have left between ``<!-- NAME -->`` and ``<!-- /NAME -->`` of the page.

    For an experiment that is NAME.md, and NAME.png copied to images/paper beside the page.  If `only` has names, the
    other marks keep what they have.  If something is missing that is an error, and the page stays as it was.
    """
    if not page.exists():
        raise click.ClickException(f"{page} does not exist")
    text = page.read_text(encoding="utf-8")
    names = [name for name in re.findall(r"<!-- (\w+) -->", text) if not only or name in only]
    try:
        blocks = {name: summary(results) if name == SUMMARY else _block(name, results) for name in names}
    except FileNotFoundError as error:
        absent = Path(str(error.filename)).stem
        raise click.ClickException(
            f"{results} has nothing of {absent}: run `python -m benchmarks.paper {absent}` first"
        ) from error
    pictures = page.parent / "images" / "paper"
    for name, block in blocks.items():
        if name != SUMMARY:
            pictures.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(results / f"{name}.png", pictures / f"{name}.png")
        marked = f"<!-- {name} -->\n{block}\n<!-- /{name} -->"
        text = re.sub(rf"<!-- {name} -->.*?<!-- /{name} -->", lambda _, b=marked: b, text, flags=re.DOTALL)
    page.write_text(text, encoding="utf-8")


def _block(name: str, results: Path) -> str:
    return f"![{name}](images/paper/{name}.png)\n\n" + (results / f"{name}.md").read_text(encoding="utf-8").strip()
