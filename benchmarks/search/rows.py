"""Registrations kept as they come: one line of CSV each, appended, so that an interrupted run goes on."""

from __future__ import annotations

import csv
import io
from dataclasses import asdict, dataclass, fields
from pathlib import Path


@dataclass(frozen=True)
class Row:
    """One registration: which scans, whether the answer is right (by the reference, and by the sharpened one), its
    errors, and what it says of itself."""

    set: str
    source: int
    target: int
    gap: int
    correct: bool
    sharpened: bool
    rotation: float
    translation: float
    confidence: float
    overlap: float
    objective: float
    seconds: float

    @property
    def key(self) -> tuple[str, int, int]:
        """What tells it from the others."""
        return self.set, self.source, self.target


_READ = {"str": str, "int": int, "float": float, "bool": lambda word: word == "True"}
_NAMES = [field.name for field in fields(Row)]


class Rows:
    """The rows of a file that were made with the code that `stamp` names; with other code the file begins anew."""

    def __init__(self, path: Path, stamp: str, *, fresh: bool = False) -> None:
        self._path, self._stamp = path, stamp
        kept = [] if fresh else _read(path, stamp)
        self._rows = {row.key: row for row in kept}
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_line([*_NAMES, "code"]) + "".join(map(self._spelled, kept)), encoding="utf-8")

    def __len__(self) -> int:
        return len(self._rows)

    def find(self, key: tuple[str, int, int]) -> Row | None:
        """A row that is there."""
        return self._rows.get(key)

    def add(self, row: Row) -> None:
        """Keep a row, on disk at once."""
        self._rows[row.key] = row
        with self._path.open("a", encoding="utf-8", newline="") as file:
            file.write(self._spelled(row))

    def _spelled(self, row: Row) -> str:
        return _line([*asdict(row).values(), self._stamp])


def _read(path: Path, stamp: str) -> list[Row]:
    if not path.exists():
        return []
    # A last line without its end was cut off by an interruption: its registration is done again.
    text = path.read_text(encoding="utf-8")
    lines = csv.DictReader(io.StringIO(text[: text.rfind("\n") + 1]))
    found = [line for line in lines if line.get("code") == stamp and set(line) == {*_NAMES, "code"}]
    return [Row(**{field.name: _READ[str(field.type)](line[field.name]) for field in fields(Row)}) for line in found]


def _line(values: list[object]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(values)
    return text.getvalue()
