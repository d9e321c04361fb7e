"""The deformed fish: mean distance of the moved template from the truth, by kind and level, beside the bars."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from benchmarks.datasets import Array, folder
from benchmarks.nonrigid.methods import available, processor_seconds

LEVELS = {"def": 5, "noise": 6, "outlier": 5, "rot": 6, "occlusion": 6}

#: Bars: a number, or a factor times the error of the best peer in the same run, from a level on.
BARS: dict[str, tuple[float | None, float | None, int]] = {
    "def": (0.005, None, 1),
    "noise": (None, 1.0, 1),
    "outlier": (None, 0.5, 2),
    "rot": (0.005, None, 1),
    "occlusion": (None, 0.5, 3),
}


def sample(data: dict[str, Array], kind: str, level: int, number: int) -> tuple[Array, Array, Array]:
    """Template, target and truth of one sample."""
    template, target, truth = (
        data[f"{kind}_{level}_{part}"][number].astype(np.float64) for part in ("template", "target", "truth")
    )
    return template, target, truth


def load(root: Path | None = None) -> dict[str, Array]:
    """The arrays of the file."""
    with np.load((root or folder()) / "deformed_2d" / "fish.npz") as arrays:
        return {name: arrays[name] for name in arrays.files}


def fish(samples: int, first: int, kinds: tuple[str, ...] = (), peers: bool = True, level: int = 0) -> list[list[str]]:
    """Print a row for each kind and level, and return the rows."""
    data, methods = load(), available()
    if not peers:
        methods = {"svgm": methods["svgm"]}
    rows = []
    print(f"fish, samples {first} to {first + samples - 1}: mean error (median, largest) seconds of processor time")
    for kind, count in LEVELS.items():
        for number in range(1, count + 1):
            if (kinds and kind not in kinds) or (level and number != level):
                continue
            means, words = {}, [f"{kind} {number}"]
            for name, deform in methods.items():
                errors, begin = [], processor_seconds()
                for k in range(first, first + samples):
                    template, target, truth = sample(data, kind, number, k)
                    moved = deform(template, target)[: len(truth)]
                    errors.append(float(np.linalg.norm(moved - truth, axis=1).mean()))
                seconds = (processor_seconds() - begin) / samples
                means[name] = float(np.mean(errors))
                words.append(f"{name} {means[name]:.4f} ({np.median(errors):.4f}, {max(errors):.3f}) {seconds:.2f}")
            words.append(_verdict(kind, number, means))
            print(" | ".join(words), flush=True)
            rows.append(words)
    return rows


def _verdict(kind: str, level: int, means: dict[str, float]) -> str:
    fixed, factor, start = BARS[kind]
    best = min((value for name, value in means.items() if name != "svgm"), default=None)
    bar = fixed if fixed is not None else (None if best is None or factor is None else factor * best)
    if bar is None or level < start:
        return "no bar"
    return f"bar {bar:.4f} {'reached' if means['svgm'] <= bar else 'MISSED'}"
