"""One case of the attack, as text: a call, and the files that it finds in its folder."""

from __future__ import annotations

import base64
import json
from dataclasses import asdict, dataclass, field

import numpy as np

#: Bits of numbers are kept: a case is the same whoever generates it.
Generator = np.random.Generator


@dataclass(frozen=True)
class Case:
    """A Python expression in the names of `fuzz.objects`, evaluated in a folder that holds `files` and nothing else.

    `target` is the function, method, reader or command that is attacked; with `twice` the call is made again, and must
    give the same bits.
    """

    kind: str
    target: str
    call: str
    files: dict[str, bytes] = field(default_factory=dict)
    twice: bool = False

    def to_json(self) -> str:
        """One line of text."""
        files = {name: base64.b64encode(data).decode() for name, data in self.files.items()}
        return json.dumps({**asdict(self), "files": files})

    @staticmethod
    def from_json(text: str) -> Case:
        """The case that `to_json` wrote; other keys are left aside."""
        record = json.loads(text)
        files = {name: base64.b64decode(data) for name, data in record["files"].items()}
        return Case(record["kind"], record["target"], record["call"], files, record["twice"])


def one_of(rng: Generator, choices: list[str] | tuple[str, ...]) -> str:
    """One of some texts."""
    return choices[int(rng.integers(len(choices)))]
