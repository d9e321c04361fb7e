"""The sentences of reports: on a registration, its confidence and precision, doubts about the input; on a map."""

from __future__ import annotations

from collections import Counter

import numpy as np

from svgm.checks.arguments import instance
from svgm.checks.errors import InputError
from svgm.geometry.points import SMALLEST, Array, as_points
from svgm.geometry.strays import without_strays
from svgm.mapping.result import MapResult
from svgm.registration.confidence import TRUSTED
from svgm.registration.result import RegistrationResult, Status
from svgm.registration.tuning import TUNING
from svgm.view.scenes.uncertainty import position_deviations

#: A direction within 14 degrees of a coordinate axis is called by the name of the axis.
NEAR_AXIS = 0.97

#: If the radii of two sets differ by more than this factor, the sets are probably not in the same unit.
SAME_UNIT_FACTOR = 30.0

#: If more than this share and more than this number of the points are at one place, they are not measurements.
REPEATED_SHARE, REPEATED_COUNT = 0.01, 10

#: Largest number of points that are compared to find repeated ones; of a larger set every k-th point is taken.
MOST_COMPARED_POINTS = 100_000

#: Scale of a registration that has no annealing levels, as a share of the source's radius.
SCALE_WITHOUT_LEVELS = 0.02


def assessment(result: RegistrationResult) -> str:
    """Say whether the pose of a registration can be trusted.

    A result is trusted if its confidence is at least `svgm.TRUSTED` (0.9) and no other pose is about as good.

    Parameters
    ----------
    result : RegistrationResult
        Returned by :func:`svgm.register`.

    Returns
    -------
    str
        Two or three sentences.

    Raises
    ------
    InputError
        If `result` is not a RegistrationResult.

    Examples
    --------
    >>> import svgm
    >>> angle = np.linspace(0, 4, 60)
    >>> spiral = np.c_[angle * np.cos(angle), angle * np.sin(angle)]
    >>> for sentence in assessment(svgm.register(spiral + 1.0, spiral)).split(". "):
    ...     print(sentence)
    Trusted: the confidence is 1.00, at least 0.9, and no other pose is about as good
    On the benchmarks, about 2 of 100 answers with such a confidence were wrong.
    """
    if instance("result", result, RegistrationResult).status is Status.DISJOINT:
        return (
            "No pose was found: the sets do not overlap where the search ended. "
            'Use search="global", or give an initial pose.'
        )
    as_good = sum(other.score >= TUNING.ambiguous for other in result.alternatives)
    confidence = f"the confidence is {result.confidence:.2f}"
    if as_good:
        poses = "another pose is" if as_good == 1 else f"{as_good} other poses are"
        return (
            f"Not trusted: {poses} about as good, and the data do not say which pose is right. The shape is "
            f"symmetric, or it repeats itself, or the sets share too little of it. Here {confidence}."
        )
    if result.undetermined and result.confidence >= TRUSTED:
        motions = "; ".join(map(str, result.undetermined))
        return (
            f"Not trusted as a whole: the surfaces do not hold every direction ({motions}). Along the others "
            f"{confidence}, and the answer can be used."
        )
    if result.trusted:
        return (
            f"Trusted: {confidence}, at least {TRUSTED:g}, and no other pose is about as good. On the benchmarks, "
            "about 2 of 100 answers with such a confidence were wrong."
        )
    return (
        f"Not trusted: {confidence}, less than {TRUSTED:g}. Wrong answers are not rare below {TRUSTED:g}: look at the "
        "result before you use it."
    )


def certainty(result: RegistrationResult, source: Array) -> list[str]:
    """Say how precise rotation and position are, by their standard deviations.

    The position is that of the source's centre, in the target's coordinates.  A direction is poorly determined if an
    error of one standard deviation moves the source by more than the finest sigma of the registration, which is about
    the detail that the points resolve.  A direction is not determined if one standard deviation is more than a radian,
    or more than the source's radius.

    Parameters
    ----------
    result : RegistrationResult
        Returned by :func:`svgm.register`.
    source : array_like of shape (n, d)
        The source that was registered, in its own coordinates.

    Returns
    -------
    list of str
        One sentence on the rotation, one on the position.

    Raises
    ------
    InputError
        If `source` does not have the dimension of the result.

    Examples
    --------
    >>> import svgm
    >>> angle = np.linspace(0, 4, 60)
    >>> spiral = np.c_[angle * np.cos(angle), angle * np.sin(angle)]
    >>> for sentence in certainty(svgm.register(spiral + 1.0, spiral), spiral + 1.0):
    ...     print(sentence.split(" to ")[0])
    The rotation is known
    The position is known
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
        _sentence("rotation", [f"{np.degrees(a):.2g}°" for a in angles], about, angles * radius / sigma, angles),
        _sentence("position", [f"{step:.2g}" for step in steps], along, steps / sigma, steps / radius),
    ]


#: What the standard deviations of `certainty` do not include.
NOISE_ONLY = (
    "These numbers are one standard deviation, from the differences between parts of the surfaces. They do not include "
    "errors that all parts have in common, such as those of motion and calibration."
)


def doubts(source: Array, target: Array) -> list[str]:
    """Say what is unusual about two sets, without regard to a registration.

    Three things are reported: sets of very different size, points that were left out because they lie far from all
    others, and many points at one place.

    Parameters
    ----------
    source, target : array_like of shape (n, d)
        Both of the same dimension.

    Returns
    -------
    list of str
        A sentence for each finding; empty if there is none.

    Raises
    ------
    InputError
        If the dimensions differ.

    Examples
    --------
    >>> scan = np.random.default_rng(0).normal(size=(200, 3))
    >>> doubts(scan, 1000.0 * scan)
    ['The target is about 1000 times as large as the source: are both in one unit?']
    >>> doubts(np.vstack([scan, np.zeros((20, 3))]), scan)
    ['9 % of the points of the source are at one place, (0, 0, 0): are these measurements without a return?']
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
    if ratio > SAME_UNIT_FACTOR:
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
        place, share = _most_frequent(points[:: -(-len(points) // MOST_COMPARED_POINTS)])
        if share > REPEATED_SHARE and share * len(points) > REPEATED_COUNT:
            where = ", ".join(f"{value + 0.0:g}" for value in place)
            what = f"{100 * share:.0f} % of the points of the {name} are at one place, ({where})"
            found.append(f"{what}: are these measurements without a return?")
    return found


def map_assessment(result: MapResult) -> list[str]:
    """Say how complete and how reliable a map is.

    Parameters
    ----------
    result : MapResult
        Returned by :func:`svgm.map`.

    Returns
    -------
    list of str
        On the scans and registrations, on loops, on steps without a trusted registration, and on the positions.

    Raises
    ------
    InputError
        If `result` is not a MapResult.

    Examples
    --------
    >>> import svgm
    >>> walls, places = svgm.datasets.storey(), svgm.datasets.round_walk(12)[:4]
    >>> scans = [svgm.datasets.laser_scan(walls, place, seed=k) for k, place in enumerate(places)]
    >>> map_assessment(svgm.map(scans))[0].split(".")[0]
    'All 4 scans are in the map'
    """
    count, lost = len(instance("result", result, MapResult).poses), len(result.left_out)
    first = f"All {count} scans are in the map." if not lost else f"{count - lost} of {count} scans are in the map."
    kinds = Counter(edge.kind for edge in result.edges)
    measured = len(result.edges) - kinds["weak"]
    sentences = [
        f"{first} The map uses {_counted(measured, 'registration')}; {len(result.rejected)} "
        f"{'was' if len(result.rejected) == 1 else 'were'} rejected."
    ]
    if kinds["loop"]:
        sentences.append(
            f"{kinds['loop']} of the registrations used {'closes a loop' if kinds['loop'] == 1 else 'close loops'}."
        )
    elif result.settings["order"] == "sequence" and count - lost > 2:
        sentences.append("No loop was closed: the error of a pose grows along the trajectory.")
    if kinds["weak"]:
        places = sorted(edge.source for edge in result.edges if edge.kind == "weak")
        shown = ", ".join(map(str, places[:8])) + (", ..." if len(places) > 8 else "")
        sentences.append(
            f"At {_counted(kinds['weak'], 'step')} no registration was trusted: the position of scan {shown} relative "
            "to the scan before is a guess."
        )
    deviations = position_deviations(result)
    known = np.flatnonzero(deviations > 0)  # the first scan has no error: it defines the world
    if len(known):
        worst = int(known[np.argmax(deviations[known])])
        sentences.append(
            f"If all registrations used are right, positions relative to the first scan are known to "
            f"{np.median(deviations[known]):.2g} (median of the standard deviations). The largest standard deviation "
            f"is {deviations[worst]:.2g}, of scan {worst}."
        )
    return sentences


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _most_frequent(points: Array) -> tuple[Array, float]:
    """The place where most points are, and their share of all points."""
    ordered = points[np.lexsort(points.T)]
    starts = np.flatnonzero(np.r_[True, (ordered[1:] != ordered[:-1]).any(axis=1)])
    counts = np.diff(np.r_[starts, len(points)])
    most = int(np.argmax(counts))
    return ordered[starts[most]], float(counts[most] / len(points))


def finest_sigma(result: RegistrationResult, source: Array) -> float:
    """The finest sigma of a registration: about the detail that the points resolve.

    Parameters
    ----------
    result : RegistrationResult
        Returned by :func:`svgm.register`.
    source : array_like of shape (n, d)
        The source that was registered.

    Returns
    -------
    float
        Sigma of the last annealing level.  After a global search, which has no levels, 0.02 times the source's radius.

    Raises
    ------
    InputError
        If `source` does not have the dimension of the result.

    Examples
    --------
    >>> import svgm
    >>> points = np.random.default_rng(0).normal(size=(300, 2))
    >>> result = svgm.register(points, points)
    >>> finest_sigma(result, points) == result.stages[-1].sigma
    True
    """
    places = as_points(source, "source", (instance("result", result, RegistrationResult).dimension,))
    if result.stages:
        return result.stages[-1].sigma
    return SCALE_WITHOUT_LEVELS * float(np.sqrt(without_strays(places).var(axis=0).sum()))


def _sentence(what: str, amounts: list[str], where: list[str], details: Array, wholes: Array) -> str:
    """Standard deviations as a sentence: amounts ascending, each with its direction.

    `details` are the amounts as multiples of the finest sigma, `wholes` as multiples of a radian or of the radius.
    """
    poor = [k for k in range(len(amounts)) if details[k] > 1]
    if not poor:
        return f"The {what} is known to {amounts[-1]}."
    known = f"known to {amounts[poor[0] - 1]}, but " if poor[0] else ""
    faults = [
        f"not determined {where[k]}" if wholes[k] > 1 else f"poorly determined {where[k]} ({amounts[k]})" for k in poor
    ]
    # In 2D a rotation has no direction.
    return f"The {what} is {known}{', '.join(faults)}.".replace("  ", " ").replace(" .", ".")


def _direction(axis: Array) -> str:
    k = int(np.argmax(np.abs(axis)))
    if abs(axis[k]) > NEAR_AXIS:
        return "xyz"[k]
    return "(" + ", ".join(f"{value * np.sign(axis[k]) + 0.0:.2f}" for value in axis) + ")"
