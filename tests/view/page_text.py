"""The text of an HTML page, for tests of what a report says."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path


class Checker(HTMLParser):
    """Every element that is opened is closed, in order; gathers the words."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.words: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in ("meta", "br", "circle", "path"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in ("circle", "path"):
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not {"script", "style"} & set(self.open):
            self.words.append(data)


def words_of(path: Path) -> str:
    checker = Checker()
    checker.feed(path.read_text(encoding="utf-8"))
    assert checker.open == []
    return re.sub(r"\s+", " ", " ".join(checker.words))
