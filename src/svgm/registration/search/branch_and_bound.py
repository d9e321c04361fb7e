"""Branch and bound: a pose, and a proof that no other is better by more than a given gap.

The search is over all of SE(2) or SE(3).  For every box of poses the core bounds the objective from below; boxes
that cannot hold anything better than the best pose known, less the gap, are given up, the others are halved.  When none
is left, the least bound given up is a lower bound of the objective over all poses.
"""

from __future__ import annotations

from time import perf_counter

import numpy as np

from svgm import _core
from svgm.checks.arguments import MOST_NUMBERS, as_finite, instance, positive, reporter, thread_count
from svgm.checks.errors import InputError
from svgm.checks.types import Array, Progress
from svgm.mixture.mixture import Mixture
from svgm.registration.certificate import Certificate
from svgm.registration.minimise import minimise
from svgm.registration.objective import Objective
from svgm.registration.search.boxes import Boxes, join, roots

#: Pairs of components in a batch of boxes, roughly: a batch takes some tenths of a second, and is not interrupted.
BATCH_PAIRS = 30_000_000
BATCH = (512, 16_384)

#: Boxes kept, about: beyond, the newest are halved first, and their number hardly grows.  Every box that may hold
#: something better must be halved at some time, so the order changes the work little.
KEPT_BOXES = 1_000_000

#: A smaller gap might be below the rounding of the bounds.
SMALLEST_GAP = 1e-7

#: A larger one asks for nothing.
LARGEST_GAP = 1e9

#: Pairs of components, at most: of each the search keeps a few numbers.
MOST_PAIRS = MOST_NUMBERS // 16

#: The farthest component from the origin, in units of the Gaussian: a proof takes time in proportion.
FARTHEST = 1e5

#: Starts of the first pose: splits of the rotations, all with the centres on each other.
_SPLITS = {2: 5, 3: 6}


def certify(
    source: Mixture,
    target: Mixture,
    *,
    gap: float = 1e-3,
    seconds: float | None = None,
    starts: Array | None = None,
    threads: int = 1,
    progress: Progress | None = None,
) -> tuple[Array, Certificate]:
    """The global minimum of f over all rigid motions, proven up to a relative gap.

    f(T) = -scale * sum_ij w_i w_j exp(-|R x_i + t - y_j|² / (2 (sigma_x² + sigma_y²))), eq. (14).  Bounds over boxes
    are derived in ``_core/search/pose_bounds.hpp``.

    Parameters
    ----------
    source, target
        Mixtures with positive weights, in 2D or 3D, in normalised coordinates: both centred.
    gap
        Of (objective - bound) / |objective|, at least 1e-7.
    seconds
        Stop after so long, with the bound reached by then; None: never.
    starts
        Poses (B, d+1, d+1) that are known to be good.
    threads
        The result does not depend on them unless time runs out.
    progress
        Called as ``progress("proving", hundredths, 100)`` after every batch of boxes.

    Returns
    -------
    pose, certificate
        The pose maps source into target.

    Examples
    --------
    >>> corner = np.array([[1.0, 0.0], [0.0, 0.0], [-1.0, 0.6]])
    >>> mixture = Mixture(corner - corner.mean(axis=0), 0.1, np.full(3, 1 / 3))
    >>> pose, certificate = certify(mixture, mixture)
    >>> bool(np.allclose(pose, np.eye(3), atol=1e-4)), certificate.complete, certificate.bound >= -1.0011
    (True, True, True)
    """
    begin = perf_counter()
    gap, threads = positive("gap", gap, least=SMALLEST_GAP, most=LARGEST_GAP), thread_count(threads)
    seconds = None if seconds is None else positive("seconds", seconds, infinite=True, zero=True)
    report = reporter(progress)
    instance("source", source, Mixture)
    instance("target", target, Mixture)
    if source.dimension != target.dimension or source.dimension not in (2, 3):
        raise InputError(f"mixtures must both be in 2D or 3D, got {source.dimension}D and {target.dimension}D")
    if source.signed or target.signed:
        raise InputError("certify needs mixtures with positive weights")
    if len(source) * len(target) > MOST_PAIRS:
        raise InputError(
            f"mixtures must have at most {MOST_PAIRS} pairs of components, got {len(source) * len(target)}"
        )
    problem = BoundedObjective(source, target, threads)
    best = _Best(problem, starts)
    extent = problem.extent(best.value)

    open_boxes = roots(source.dimension, extent)
    bounds = np.full(len(open_boxes), np.inf)
    given_up, bounded = best.value, 0
    while len(open_boxes):
        chosen, rest = _choose(bounds, problem.batch)
        children = open_boxes[chosen].split(problem.sides(open_boxes[chosen]))
        open_boxes, bounds = open_boxes[rest], bounds[rest]
        uppers, values = problem.bound(children)
        bounded += len(children)
        best.offer(children, values)
        enough = best.value * (1.0 + gap)
        alive = uppers > enough
        given_up = max(given_up, float(uppers[~alive].max(initial=0.0)))
        open_boxes, bounds = join([open_boxes, children[alive]]), np.concatenate([bounds, uppers[alive]])
        reached = max(given_up, best.value, float(bounds.max(initial=0.0)))
        report("proving", _hundredths(reached / best.value - 1.0, gap), 100)
        if reached <= enough or (seconds is not None and perf_counter() - begin > seconds):
            break
    proven = max(given_up, best.value, float(bounds.max(initial=0.0)))
    return best.pose, Certificate(
        objective=-best.value,
        bound=-proven,
        requested=gap,
        boxes=bounded,
        seconds=perf_counter() - begin,
        complete=proven <= best.value * (1.0 + gap),
    )


def _hundredths(gap: float, wanted: float) -> int:
    """How much is done: the gap falls from 1 to the wanted one, about evenly in its logarithm."""
    if gap <= wanted:
        return 100
    return round(100 * float(np.clip(np.log(gap) / np.log(min(wanted, 0.5)), 0.0, 1.0)))


def _choose(bounds: Array, batch: int) -> tuple[np.ndarray, np.ndarray]:
    """Which boxes to halve now and which to keep: the most promising, or the newest when there are too many."""
    if len(bounds) <= batch:
        return np.arange(len(bounds)), np.arange(0)
    if len(bounds) > KEPT_BOXES:
        return np.arange(len(bounds) - batch, len(bounds)), np.arange(len(bounds) - batch)
    order = np.argpartition(-bounds, batch)
    return np.sort(order[:batch]), np.sort(order[batch:])


class BoundedObjective:
    """F = -f in units of the Gaussian, exp(-½ |R x + t - y|²): the mixtures, and bounds over boxes."""

    def __init__(self, source: Mixture, target: Mixture, threads: int) -> None:
        self.threads = threads
        self.objective = Objective(source, target, threads=threads)
        self.width = float(np.sqrt(source.variance + target.variance))
        moving, fixed = source.weights > 0, target.weights > 0
        self.x, self.y = source.means[moving] / self.width, target.means[fixed] / self.width
        self.u, self.w = self.objective.scale * source.weights[moving], target.weights[fixed]
        self._trees = _core.BoxTree(self.x, self.u), _core.BoxTree(self.y, self.w)
        self._bounds = _core.PoseBounds(*self._trees)
        farthest = max(float(np.abs(self.x).max()), float(np.abs(self.y).max()))
        if not farthest <= FARTHEST:
            raise InputError(f"mixtures must be within {FARTHEST:g} sigma of the origin for a proof, got {farthest:g}")
        squared = np.einsum("ij,ij->i", self.x, self.x)
        self.lever = float(np.sqrt(self.u @ squared / self.u.sum()))
        self.batch = int(np.clip(BATCH_PAIRS / (len(self.x) * len(self.y)), *BATCH)) // 2

    def bound(self, boxes: Boxes) -> tuple[Array, Array]:
        """Upper bounds of F over boxes and F at their centres, (B,) each."""
        upper, value = self._bounds(boxes.poses(), boxes.angles(), boxes.shifts(), self.threads)
        return upper, value

    def sides(self, boxes: Boxes) -> np.ndarray:
        """The side of each box along which points move farthest."""
        extents = boxes.extents()
        extents[:, : -boxes.dimension] *= self.lever
        sides: np.ndarray = np.argmax(extents, axis=1)
        return sides

    def extent(self, value: float) -> float:
        """Translations longer than this have F < `value` with every rotation: no x comes near enough to any y."""
        reach = np.add.outer(np.linalg.norm(self.x, axis=1), np.linalg.norm(self.y, axis=1))
        weights = np.multiply.outer(self.u, self.w)
        low, high = 0.0, float(reach.max()) + 8.0
        while np.sum(weights * np.exp(-0.5 * np.maximum(0.0, high - reach) ** 2)) > value:
            high *= 2.0
        for _ in range(30):
            middle = 0.5 * (low + high)
            above = np.sum(weights * np.exp(-0.5 * np.maximum(0.0, middle - reach) ** 2)) > value
            low, high = (middle, high) if above else (low, middle)
        return high


class _Best:
    """The best pose so far and its F, first from a lattice of starts."""

    def __init__(self, problem: BoundedObjective, starts: Array | None) -> None:
        self._problem = problem
        d = problem.objective.source.dimension
        lattice = roots(d, 0.0)
        for _ in range(_SPLITS[d]):
            lattice = lattice.split(problem.sides(lattice))
        poses = lattice.poses()
        if starts is not None:
            poses = np.concatenate([as_finite(starts, "starts", d + 1, d + 1).reshape(-1, d + 1, d + 1), poses])
        self.value, self.pose = 0.0, np.eye(d + 1)
        self._polish(poses)
        if not self.value > 0.0:
            # The centres are no place of the sets, as with a stray far away: the heaviest components are.
            x, y = problem.x[np.argmax(problem.u)], problem.y[np.argmax(problem.w)]
            poses[:, :-1, -1] = problem.width * (y - poses[:, :-1, :-1] @ x)
            self._polish(poses)
        if not self.value > 0.0:
            raise InputError("mixtures must have weights whose products are above zero")

    def _polish(self, poses: Array) -> None:
        width = self._problem.width
        minimum = minimise(
            self._problem.objective,
            poses,
            radius=0.5 * width,
            max_radius=1.5 * width,
            step_tolerance=1e-6 * width,
            max_iterations=100,
            same=0.01 * width,
        )
        values = np.where(minimum.given_up, np.inf, minimum.values)
        least = int(np.argmin(values))
        if -values[least] > self.value:
            self.value, self.pose = -float(values[least]), minimum.poses[least]

    def offer(self, boxes: Boxes, values: Array) -> None:
        """Polish the best centre, if it is better than the best pose."""
        if values.max() > self.value:
            poses = boxes[np.array([np.argmax(values)])].poses()
            poses[:, :-1, -1] *= self._problem.width
            self._polish(poses)
