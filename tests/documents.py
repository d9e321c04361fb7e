"""Code in Markdown pages: Python that runs, and lines of shell whose commands and options exist."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

SHELLS = {"shell", "bash", "sh", "console"}


@dataclass(frozen=True)
class Block:
    """One fenced block: its language, its code, where it stands, and the imports that it may go without."""

    language: str
    code: str
    line: int
    needs: tuple[str, ...] = ()

    @property
    def missing(self) -> list[str]:
        """Those of its needs that are not installed here."""
        return [name for name in self.needs if importlib.util.find_spec(name.partition(".")[0]) is None]


def blocks(page: Path) -> list[Block]:
    """Every fenced block of a page, in order; also those in comments, which a reader does not see."""
    text = page.read_text(encoding="utf-8")
    fences = re.finditer(
        r"^(?: *<!-- needs: (?P<needs>[\w, .]+) -->\n+)?(?P<indent> *)```(?P<language>\w*)[^\n]*\n(?P<code>.*?)^ *```",
        text,
        flags=re.DOTALL | re.MULTILINE,
    )
    return [
        Block(
            fence["language"],
            re.sub(rf"^{fence['indent']}", "", fence["code"], flags=re.MULTILINE),
            text.count("\n", 0, fence.start("code")) + 1,
            tuple(name.strip() for name in (fence["needs"] or "").split(",") if name.strip()),
        )
        for fence in fences
    ]


def run_python(page: Path) -> list[str]:
    """Run a page's Python in one namespace, and return what was left out because of imports that are missing."""
    namespace: dict[str, object] = {"__name__": page.stem}
    left_out = []
    for block in blocks(page):
        if block.language not in {"python", "py"}:
            continue
        if block.missing:
            left_out.append(f"{page.name}:{block.line} needs {', '.join(block.missing)}")
            continue
        # Blank lines put the code where it stands on the page, so that a traceback names the page's line.
        exec(compile("\n" * (block.line - 1) + block.code, str(page), "exec"), namespace)
    return left_out


def command_lines(page: Path) -> list[str]:
    """Calls of the program in lines of shell, in fences or indented; without comments, and without other programs."""
    text = page.read_text(encoding="utf-8")
    outside = re.sub(r"^ *```.*?^ *```", "", text, flags=re.DOTALL | re.MULTILINE)
    code = [block.code for block in blocks(page) if block.language in SHELLS]
    code += re.findall(r"^(?:    |\t)(.*\n)", outside, flags=re.MULTILINE)
    lines = "".join(code).replace("\\\n", " ").splitlines()
    calls = [call.strip().removeprefix("$ ") for line in lines for call in re.split(r"[|;&]+", line.partition("#")[0])]
    return [call for call in calls if re.match(r"svgm(?: |$)", call)]


def complaints(line: str) -> list[str]:
    """What `svgm COMMAND --help` does not know of a line."""
    command = re.match(r"svgm ([a-z][\w-]*)", line)
    known = _help(command[1] if command else "")
    if known is None:
        return [f"{line}: there is no such command"]
    options = re.findall(r"(?<=\s)--?[a-zA-Z][\w-]*", line)
    return [f"{line}: --help does not know {o}" for o in options if not re.search(rf"(?<![\w-]){o}(?![\w-])", known)]


@cache
def _help(command: str) -> str | None:
    called = [sys.executable, "-m", "svgm.cli", *command.split(), "--help"]
    run = subprocess.run(called, capture_output=True, text=True, check=False)
    return run.stdout if run.returncode == 0 else None
