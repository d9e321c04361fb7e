"""The answer of a registration in words: whether to believe it, and what the data determine of it."""

from __future__ import annotations

import numpy as np

from svgm.checks.arguments import instance
from svgm.checks.errors import InputError
from svgm.geometry.points import SMALLEST, Array, as_points
from svgm.geometry.strays import without_strays
from svgm.registration.confidence import TRUSTED
from svgm.registration.result import RegistrationResult, Status
from svgm.registration.tuning import TUNING

#: A direction within 14 degrees of a coordinate axis is called by its name.
NEAR_AXIS = 0.97

#: Sets whose radii differ by more than this factor are hardly in one unit.
ONE_UNIT = 30.0

#: So large a share of the points at one place, and so many, were not measured there; points looked at, at most.
REPEATED, FEWEST_REPEATED, LOOKED_AT = 0.01, 10, 100_000

#: Of the source's radius: the scale of an answer that went through no levels.
WITHOUT_LEVELS = 0.02


def verdict(result: RegistrationResult) -> str:
    """Whether to believe the answer, in a sentence or two.

    >>> import svgm
    >>> angle = np.linspace(0, 4, 60)
    >>> spiral = np.c_[angle * np.cos(angle), angle * np.sin(angle)]
    >>> verdict(svgm.register(spiral + 1.0, spiral))
    'To be trusted: confidence 1.00; of answers from 0.9 on, about two in a hundred were wrong on the benchmarks.'
    """
    if instance("result", result, RegistrationResult).status is Status.DISJOINT:
        return "No answer: the sets do not overlap where the search ended."
    as_good = sum(other.score >= TUNING.ambiguous for other in result.alternatives)
    if as_good:
        poses = "Another pose is" if as_good == 1 else f"{as_good} other poses are"
        return (
            f"{poses} about as good: the shape is symmetric, repeats itself, or too little of it is shared. Which one "
            f"is right the data do not say; this one has confidence {result.confidence:.2f}."
        )
    if result.trusted:
        return (
            f"To be trusted: confidence {result.confidence:.2f}; of answers from {TRUSTED:g} on, about two in a "
            "hundred were wrong on the benchmarks."
        )
    return (
        f"Look before you use it: the confidence is {result.confidence:.2f}, and below {TRUSTED:g} wrong answers "
        "are not rare."
    )


def certainty(result: RegistrationResult, source: Array) -> list[str]:
    """What the covariance says of rotation and position, a sentence each, by standard deviations.

    The position is that of the source's middle, in the target's coordinates.  A direction is poorly determined if an
    error of one deviation moves the source by more than the finest sigma of the registration, which is about the
    detail that the points resolve, and undetermined if it exceeds a radian or the source's radius.

    >>> import svgm
    >>> angle = np.linspace(0, 4, 60)
    >>> spiral = np.c_[angle * np.cos(angle), angle * np.sin(angle)]
    >>> for sentence in certainty(svgm.register(spiral + 1.0, spiral), spiral + 1.0):
    ...     print(sentence.split(" to ")[0])
    Rotation known
    Position known
    """
    d = instance("result", result, RegistrationResult).dimension
    source = without_strays(as_points(source, "source", (d,)))
    centre = source.mean(axis=0)
    radius = max(float(np.sqrt(source.var(axis=0).sum())), SMALLEST)
    sigma = max(finest_sigma(result, source), SMALLEST)
    turns = result.central_covariance[:-d, :-d]
    if d == 3:
        turns = result.rotation @ turns @ result.rotation.T
    variances, axes = np.linalg.eigh(turns)
    angles = np.sqrt(np.maximum(variances, 0.0))
    variances, directions = np.linalg.eigh(result.covariance_at(centre[None])[0])
    steps = np.sqrt(np.maximum(variances, 0.0))
    about = [f"about {_direction(axis)}" for axis in axes.T] if d == 3 else [""]
    along = [f"along {_direction(axis)}" for axis in directions.T]
    return [
        _sentence("Rotation", [f"{np.degrees(a):.2g}°" for a in angles], about, angles * radius / sigma, angles),
        _sentence("Position", [f"{step:.2g}" for step in steps], along, steps / sigma, steps / radius),
    ]


#: What the deviations of `certainty` leave out.
NOISE_ONLY = (
    "One standard deviation, of noise and sampling alone: what only one set has, motion and calibration come on top."
)


def doubts(source: Array, target: Array) -> list[str]:
    """What is odd about two sets whatever the answer, a sentence each.

    >>> scan = np.random.default_rng(0).normal(size=(200, 3))
    >>> doubts(scan, 1000.0 * scan)
    ['The target is about 1000 times as large as the source: are both in one unit?']
    >>> doubts(np.vstack([scan, np.zeros((20, 3))]), scan)
    ['9 % of the source are at one place, (0, 0, 0): beams that did not return?']
    >>> doubts(scan, np.vstack([scan, [[1e6, 0.0, 0.0]]]))
    ['1 of 201 points of the target lies far from all others and was left out.']
    """
    given = {name: as_points(value, name) for name, value in (("source", source), ("target", target))}
    if given["source"].shape[1] != given["target"].shape[1]:
        dimensions = " and ".join(str(points.shape[1]) for points in given.values())
        raise InputError(f"source and target must have the same dimension, got {dimensions}")
    sets = {name: without_strays(points) for name, points in given.items()}
    sizes = {name: float(np.sqrt(points.var(axis=0).sum())) for name, points in sets.items()}
    smaller, larger = sorted(sizes, key=lambda name: sizes[name])
    ratio = sizes[larger] / max(sizes[smaller], 1e-300)
    found = []
    if ratio > ONE_UNIT:
        about = f"{float(f'{ratio:.1g}'):g}"
        found.append(f"The {larger} is about {about} times as large as the {smaller}: are both in one unit?")
    for name, points in given.items():
        strays = len(points) - len(sets[name])
        if strays:
            far = (
                "lies far from all others and was left out"
                if strays == 1
                else "lie far from all others and were left out"
            )
            found.append(f"{strays} of {len(points)} points of the {name} {far}.")
    for name, points in sets.items():
        place, share = _most_frequent(points[:: -(-len(points) // LOOKED_AT)])
        if share > REPEATED and share * len(points) > FEWEST_REPEATED:
            where = ", ".join(f"{value + 0.0:g}" for value in place)
            found.append(f"{100 * share:.0f} % of the {name} are at one place, ({where}): beams that did not return?")
    return found


def _most_frequent(points: Array) -> tuple[Array, float]:
    """The place at which most points are, and their share."""
    ordered = points[np.lexsort(points.T)]
    starts = np.flatnonzero(np.r_[True, (ordered[1:] != ordered[:-1]).any(axis=1)])
    counts = np.diff(np.r_[starts, len(points)])
    most = int(np.argmax(counts))
    return ordered[starts[most]], float(counts[most] / len(points))


def finest_sigma(result: RegistrationResult, source: Array) -> float:
    """The finest scale of the registration, about the detail that the points resolve.

    >>> import svgm
    >>> points = np.random.default_rng(0).normal(size=(300, 2))
    >>> result = svgm.register(points, points)
    >>> finest_sigma(result, points) == result.stages[-1].sigma
    True
    """
    places = as_points(source, "source", (instance("result", result, RegistrationResult).dimension,))
    if result.stages:
        return result.stages[-1].sigma
    return WITHOUT_LEVELS * float(np.sqrt(without_strays(places).var(axis=0).sum()))


def _sentence(what: str, amounts: list[str], where: list[str], details: Array, wholes: Array) -> str:
    """Amounts ascending, each in its direction, as shares of the resolved detail and of the whole."""
    poor = [k for k in range(len(amounts)) if details[k] > 1]
    if not poor:
        return f"{what} known to {amounts[-1]}."
    known = f"{what} known to {amounts[poor[0] - 1]}, but " if poor[0] else f"{what} "
    faults = [
        f"{where[k]} not determined" if wholes[k] > 1 else f"{where[k]} poorly determined ({amounts[k]})" for k in poor
    ]
    return f"{known}{', '.join(faults)}.".replace("  ", " ")


def _direction(axis: Array) -> str:
    k = int(np.argmax(np.abs(axis)))
    if abs(axis[k]) > NEAR_AXIS:
        return "xyz"[k]
    return "(" + ", ".join(f"{value * np.sign(axis[k]) + 0.0:.2f}" for value in axis) + ")"
