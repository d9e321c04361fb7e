"""The parts that register many pairs: which pairs, who takes part, what is measured, and the bars."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.covariances.body import SEEDS, SOURCES, Body
from benchmarks.covariances.contestants import Contestant, calls, ransac, refined
from benchmarks.criteria import inlier, same_rotation
from benchmarks.datasets import dragon_pairs
from benchmarks.paper import figure5, table4
from benchmarks.paper.problems import Dragon, Problem, Shape, Street
from benchmarks.paper.store import Run
from benchmarks.search.pairs import TurnedDragon


@dataclass(frozen=True)
class Part:
    """Pairs in groups, each with a bar.

    Attributes
    ----------
    title
        One line: what is registered and what is measured.
    groups
        Problems by group, made when the part runs.
    contestants, held
        Who takes part, and who is held to the bars (default: the first).
    figure, unit
        Of the runs of one contestant on one group, what is measured.
    limits, at_least
        The bar of each group: a figure, or the name with which the bars of other contestants begin, of which the best
        counts; and whether more is better.
    right
        Whether an answer counts as right, by its errors (rad, unit of the points).
    """

    title: str
    groups: Callable[[], dict[str, list[Problem]]]
    contestants: Sequence[Contestant]
    figure: Callable[[Sequence[Run]], float]
    unit: str
    limits: Mapping[str, float | str]
    at_least: bool = False
    held: tuple[str, ...] = ()
    right: Callable[[Run], bool] = lambda run: same_rotation(run.rotation)


def on_the_ground(run: Run) -> bool:
    """The criterion outdoors."""
    return inlier(run.rotation, run.translation)


def of_30(runs: Sequence[Run]) -> float:
    """Pairs right, of 30."""
    return 30.0 * float(np.mean([same_rotation(run.rotation) for run in runs]))


def inliers(runs: Sequence[Run]) -> float:
    """In per cent."""
    return 100.0 * float(np.mean([on_the_ground(run) for run in runs]))


def median_error(runs: Sequence[Run]) -> float:
    """Of the rotation of the right answers, in degrees."""
    good = [run.rotation for run in runs if same_rotation(run.rotation)]
    return float(np.degrees(np.median(good))) if good else np.inf


def mean_error(runs: Sequence[Run]) -> float:
    """Of the rotation, in radians."""
    return float(np.mean([run.rotation for run in runs]))


STEPS = (1, 2, 3, 4)

#: Seeds of the random points: some on which constants are chosen, and some on which they are not.
SEEN, UNSEEN = "seeds 0-2", "seeds 6, 7"
SEEDS_OF_DRAGONS = {SEEN: (0, 1, 2), UNSEEN: (6, 7)}
GAPS = (1, 3, 5)


def _dragons() -> dict[str, list[Problem]]:
    return {
        f"{24 * step}°, {name}": [Dragon(*pair, seed=seed) for seed in seeds for pair in dragon_pairs(step)]
        for name, seeds in SEEDS_OF_DRAGONS.items()
        for step in STEPS
    }


def _whole() -> dict[str, list[Problem]]:
    return {f"{24 * step}°": [TurnedDragon(*pair) for pair in dragon_pairs(step)] for step in STEPS}


def _near() -> dict[str, list[Problem]]:
    pairs = dragon_pairs(1)
    small: list[Problem] = [Dragon(*pair, seed=seed) for seed in SEEDS_OF_DRAGONS[SEEN] for pair in pairs]
    return {"2,000 points": small, "whole scans": [Dragon(*pair, points=0) for pair in pairs]}


def _bodies() -> dict[str, list[Problem]]:
    return {f"{angle}°": [Body(angle, seed) for seed in SEEDS] for angle in SOURCES}


def _streets() -> dict[str, list[Problem]]:
    """Those of Table 4, but of adjacent scans every fifth pair as well."""
    return {f"gap {gap}": [Street(target, gap) for target in range(1, 301 - gap, 5)] for gap in GAPS}


def _all_streets() -> dict[str, list[Problem]]:
    wanted = {str(gap): f"gap {gap}" for gap in GAPS}
    found: dict[str, list[Problem]] = {name: [] for name in wanted.values()}
    for group, problem in table4.problems([0]):
        if group in wanted:
            found[wanted[group]].append(problem)
    return found


def _shapes() -> dict[str, list[Problem]]:
    """Of Figure 5, those with 40 % cut out."""
    group = "occlusion 0.4"
    found = [problem for name, problem in figure5.problems([0]) if name == group]
    assert all(isinstance(problem, Shape) for problem in found)
    return {group: found}


_DRAGON_BARS = dict(zip(STEPS, (30.0, 30.0, 25.0, 15.0), strict=True))
_WHOLE_BARS = dict(zip(STEPS, (30.0, 30.0, 30.0, 22.0), strict=True))

PARTS = {
    "dragon": Part(
        "dragon, 2,000 points, local search, from the identity: pairs right of 30",
        _dragons,
        calls("local", search="local"),
        of_30,
        "of 30",
        {f"{24 * step}°, {name}": bar for name in SEEDS_OF_DRAGONS for step, bar in _DRAGON_BARS.items()},
        at_least=True,
    ),
    "whole": Part(
        "dragon, whole scans moved anywhere, global search: pairs right of 30",
        _whole,
        calls("global", search="global"),
        of_30,
        "of 30",
        {f"{24 * step}°": bar for step, bar in _WHOLE_BARS.items()},
        at_least=True,
    ),
    "accuracy": Part(
        "dragon, 24 degrees apart, default call: median rotation error (degrees) of the right answers",
        _near,
        [*calls("default"), *refined("default")],
        median_error,
        "°",
        {"2,000 points": 0.14, "whole scans": 0.13},
    ),
    "body": Part(
        "views of the generated body, default call: median rotation error (degrees)",
        _bodies,
        [*calls("default"), *refined("default")],
        median_error,
        "°",
        {"27°": 0.06, "70°": 0.08},
    ),
    "streets": Part(
        "hannover1 on a grid of 0.1 m, pairs of Table 4: inliers (%)",
        _all_streets,
        [*calls("default"), *calls("local", search="local")],
        inliers,
        "%",
        {"gap 1": 100.0, "gap 3": 98.0, "gap 5": 85.0},
        at_least=True,
        held=("default", "local"),
        right=on_the_ground,
    ),
    "ransac": Part(
        "hannover1 beside Open3D's RANSAC on FPFH with point-to-plane ICP, voxels in diagonals: inliers (%)",
        _streets,
        [*calls("default"), *ransac()],
        inliers,
        "%",
        dict.fromkeys((f"gap {gap}" for gap in GAPS), "RANSAC"),
        at_least=True,
        right=on_the_ground,
    ),
    "shapes": Part(
        "2D sets turned by 1 rad, 40 % cut out (Figure 5): mean rotation error (rad)",
        _shapes,
        [*calls("default"), *calls("local", search="local")],
        mean_error,
        "rad",
        {"occlusion 0.4": 0.02},
        held=("default", "local"),
    ),
}
