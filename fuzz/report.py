"""Findings: each kept once as a file that can be run again, and the table at the end."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

from fuzz.case import Case
from fuzz.worker import Outcome


class Report:
    """What was run and what was found; a finding is new if its target, kind or place is."""

    def __init__(self, folder: Path, seed: int) -> None:
        self._folder, self._seed = folder, seed
        self.cases: Counter[str] = Counter()
        self.outcomes: Counter[str] = Counter()
        self.findings: dict[tuple[str, str, str], list[str]] = {}

    def add(self, number: int, case: Case, outcome: Outcome) -> None:
        """Count a case; keep it if it is a new finding."""
        self.cases[case.kind] += 1
        self.outcomes["findings" if outcome.found else outcome.kind] += 1
        if not outcome.found:
            return
        key = case.target, outcome.kind, outcome.place
        if key not in self.findings:
            self._write(number, case, outcome)
        self.findings.setdefault(key, []).append(str(number))

    def _write(self, number: int, case: Case, outcome: Outcome) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        name = re.sub(r"\W+", "-", f"{case.target} {outcome.kind}").strip("-")
        record = {
            "seed": self._seed,
            "case": number,
            "found": outcome.kind,
            "place": outcome.place,
            "message": outcome.message,
            "traceback": outcome.traceback.splitlines(),
            **json.loads(case.to_json()),
        }
        path = self._folder / f"{self._seed}-{number}-{name[:80]}.json"
        path.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")

    def lines(self, seconds: float) -> list[str]:
        """What is printed at the end."""
        found = [
            f"{kind} in {target} at {place or '?'}: {len(cases)} times, first in case {cases[0]}"
            for (target, kind, place), cases in sorted(self.findings.items())
        ]
        counts = ", ".join(f"{count} {kind}" for kind, count in sorted(self.cases.items()))
        outcomes = ", ".join(f"{count} {kind}" for kind, count in sorted(self.outcomes.items()))
        kinds = Counter(kind for _, kind, _ in self.findings)
        different = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
        return [
            *found,
            f"{sum(self.cases.values())} cases in {seconds:.0f} s with seed {self._seed}: {counts}",
            f"outcomes: {outcomes}",
            f"{len(self.findings)} different findings{': ' + different if different else ''}",
        ]
