"""What the default call says of one pair, and the evidence behind it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import svgm
import svgm.registration.answer as answering
import svgm.registration.register as registering
from benchmarks.confidence.case import Case
from benchmarks.datasets import Array
from svgm.registration.confidence import Assessment, Evidence


@dataclass(frozen=True)
class Answer:
    """One answer that was assessed: the default call may assess several before it returns one."""

    right: bool
    evidence: Evidence | None


@dataclass(frozen=True)
class Observation:
    """A pair: its kind, and the default call's answer."""

    family: str
    name: str
    kind: str
    dimension: int
    right: bool
    trusted: bool
    doubtful: bool
    confidence: float
    answers: tuple[Answer, ...]

    def line(self) -> str:
        """As JSON, in one line."""
        return json.dumps(asdict(self))

    @classmethod
    def of_line(cls, line: str) -> Observation:
        """What :meth:`line` wrote."""
        fields: dict[str, Any] = json.loads(line)
        answers = [
            Answer(each["right"], None if each["evidence"] is None else Evidence(**each["evidence"]))
            for each in fields.pop("answers")
        ]
        return cls(**fields, answers=tuple(answers))


def observe(case: Case) -> Observation:
    """Register the pair by the default call."""
    sets = case.load()
    with _assessed() as answers:
        result = svgm.register(sets.source, sets.target)
    return Observation(
        case.family,
        case.name,
        case.kind,
        result.dimension,
        case.right(result.transformation, sets),
        result.trusted,
        result.ambiguous or bool(result.undetermined),
        result.confidence,
        tuple(Answer(case.right(pose, sets), evidence) for pose, evidence in answers),
    )


def read(path: Path) -> dict[tuple[str, str], Observation]:
    """The observations of a file, by family and name; none if there is no file."""
    lines = path.read_text().splitlines() if path.exists() else []
    found = [Observation.of_line(line) for line in lines]
    return {(each.family, each.name): each for each in found}


@contextmanager
def _assessed() -> Iterator[list[tuple[Array, Evidence | None]]]:
    """A list that receives every answer that is assessed, with its evidence."""
    assess, finish = answering.assess, answering.finished
    assessments: list[Assessment] = []
    answers: list[tuple[Array, Evidence | None]] = []

    def watched_assess(*arguments: Any, **options: Any) -> Any:
        assessment = assess(*arguments, **options)
        assessments.append(assessment)
        return assessment

    def watched_finish(*arguments: Any, **options: Any) -> svgm.RegistrationResult:
        result = finish(*arguments, **options)
        answers.append((result.transformation, assessments[-1].evidence(-result.objective)))
        return result

    answering.assess, registering.finished = watched_assess, watched_finish
    try:
        yield answers
    finally:
        answering.assess, registering.finished = assess, finish
