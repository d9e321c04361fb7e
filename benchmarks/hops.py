"""How many files and frames lie between a call and the core: ``python -m benchmarks.hops`` prints them."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import svgm
from svgm import _core
from svgm.datasets import body

ROOT = Path(svgm.__file__).parent


def files_entered(call: Callable[[], object]) -> list[str]:
    """The package's Python files whose functions a call runs, in the order of their first use."""
    found: dict[str, None] = {}

    def note(frame: FrameType, event: str, _: Any) -> None:
        path = Path(frame.f_code.co_filename)
        if event == "call" and path.is_relative_to(ROOT):
            found[str(path.relative_to(ROOT))] = None

    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
    return list(found)


def frames_to_training(call: Callable[[], object]) -> list[str]:
    """The package's functions on the stack when the core begins to train the last SVM of a call."""
    stacks: list[list[str]] = []
    train = _core.train_one_class

    def noted(*arguments: Any) -> Any:
        frames = (frame for frame in traceback.extract_stack() if Path(frame.filename).is_relative_to(ROOT))
        stacks.append([f"{Path(frame.filename).relative_to(ROOT)}:{frame.name}" for frame in frames])
        return train(*arguments)

    _core.train_one_class = noted
    try:
        call()
    finally:
        _core.train_one_class = train
    return stacks[-1]


def main() -> None:
    """Print both for a fit and for a registration."""
    points = body(400)[0]
    calls: dict[str, Callable[[], object]] = {
        "svgm.fit": lambda: svgm.fit(points),
        "svgm.register, local": lambda: svgm.register(points, points + 0.1, search="local", threads=1),
        "svgm.register": lambda: svgm.register(points, points + 0.1, threads=1),
    }
    for name, call in calls.items():
        call()  # what is imported when it is first used
        files, frames = files_entered(call), frames_to_training(call)
        print(f"{name}: {len(files)} files; {len(frames)} frames to the SVM of the core")
        print("  files: " + " ".join(files))
        print("  frames: " + " > ".join(frames))


if __name__ == "__main__":
    main()
