"""What the default call says of one pair."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

import svgm
from benchmarks.confidence.cases import Case


@dataclass(frozen=True)
class Observation:
    """A pair: its kind, and the default call's answer."""

    family: str
    name: str
    kind: str
    right: bool
    trusted: bool
    confidence: float

    def line(self) -> str:
        """As JSON, in one line."""
        return json.dumps(asdict(self))


def observe(case: Case) -> Observation:
    """Register the pair by the default call."""
    sets = case.load()
    result = svgm.register(sets.source, sets.target)
    right = case.right(result.transformation, sets)
    return Observation(case.family, case.name, case.kind, right, result.trusted, result.confidence)


def read(path: Path) -> dict[tuple[str, str], Observation]:
    """The observations of a file, by family and name; none if there is no file."""
    lines = path.read_text().splitlines() if path.exists() else []
    found = [Observation(**json.loads(line)) for line in lines]
    return {(each.family, each.name): each for each in found}
