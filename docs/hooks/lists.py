"""MkDocs hook: a list may begin right below a line of text, as on GitHub; Python-Markdown needs a blank line."""

from __future__ import annotations

import re
from typing import Any

ITEM = re.compile(r"(?:[-*+]|1\.) ")
FENCE = re.compile(r" *(?:```|~~~)")


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Put a blank line before an item if the line above it is not part of a list."""
    lines: list[str] = []
    in_fence, above = False, ""
    for line in markdown.splitlines():
        if FENCE.match(line):
            in_fence = not in_fence
        if not in_fence and ITEM.match(line) and above and not ITEM.match(above):
            lines.append("")
            above = ""
        # The first line since the last blank one.
        above = (above or line) if line.strip() else ""
        lines.append(line)
    return "\n".join(lines)
