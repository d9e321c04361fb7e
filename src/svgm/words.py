"""The answer of a registration in words: whether to believe it, and what the data determine of it."""

from __future__ import annotations

import numpy as np

from svgm.points import Array
from svgm.result import AMBIGUOUS, RegistrationResult, Status
from svgm.search.confidence import TRUSTED

#: A direction within 14 degrees of a coordinate axis is called by its name.
NEAR_AXIS = 0.97

#: Of the source's radius: the scale of an answer that went through no levels.
WITHOUT_LEVELS = 0.02


def verdict(result: RegistrationResult) -> str:
    """Whether to believe the answer, in a sentence or two.

    >>> import svgm
    >>> angle = np.linspace(0, 4, 60)
    >>> spiral = np.c_[angle * np.cos(angle), angle * np.sin(angle)]
    >>> verdict(svgm.register(spiral + 1.0, spiral))
    'To be trusted: confidence 1.00, and from 0.9 on fewer than one answer in a hundred was wrong on the benchmarks.'
    """
    if result.status is Status.DISJOINT:
        return "No answer: the sets do not overlap where the search ended."
    if result.trusted:
        text = (
            f"To be trusted: confidence {result.confidence:.2f}, and from {TRUSTED:g} on fewer than one answer in a "
            "hundred was wrong on the benchmarks."
        )
    else:
        text = (
            f"Look before you use it: the confidence is {result.confidence:.2f}, and below {TRUSTED:g} wrong answers "
            "are not rare."
        )
    as_good = sum(other.score >= AMBIGUOUS for other in result.alternatives)
    if as_good:
        poses = "another pose is" if as_good == 1 else f"{as_good} other poses are"
        text += f" But {poses} about as good: the shape is symmetric, repeats itself, or too little of it is shared."
    return text


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
    d = result.dimension
    centre = source.mean(axis=0)
    radius = float(np.sqrt(source.var(axis=0).sum()))
    sigma = finest_sigma(result, source)
    turns = result.covariance[:-d, :-d]
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


def finest_sigma(result: RegistrationResult, source: Array) -> float:
    """The finest scale of the registration, about the detail that the points resolve."""
    if result.stages:
        return result.stages[-1].sigma
    return WITHOUT_LEVELS * float(np.sqrt(source.var(axis=0).sum()))


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
