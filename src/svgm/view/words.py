"""The sentences of reports: on a registration, its confidence and precision; on a map."""

from __future__ import annotations

from collections import Counter

import numpy as np

from svgm.checks.arguments import instance
from svgm.geometry.points import SMALLEST, Array, as_points
from svgm.geometry.strays import without_strays
from svgm.mapping.result import MapResult
from svgm.registration.confidence import TRUSTED
from svgm.registration.result import RegistrationResult, Status
from svgm.registration.tuning import TUNING
from svgm.view.scenes.uncertainty import position_deviations

#: A direction within 14 degrees of a coordinate axis is called by the name of the axis.
NEAR_AXIS = 0.97

#: Wrong ones among trusted answers, by dimension (``python -m benchmarks.confidence``: hard pairs).
WRONG_OF_100 = {2: 6, 3: 2}

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
    Trusted: the confidence is 0.97, at least 0.9, and no other pose is about as good
    On hard pairs, about 6 of 100 trusted answers were wrong in 2D.
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
    if result.trusted and result.warp is not None:
        return f"Trusted: {confidence}, at least {TRUSTED:g}, and no other deformation is about as good."
    if result.trusted:
        return (
            f"Trusted: {confidence}, at least {TRUSTED:g}, and no other pose is about as good. On hard pairs, about "
            f"{WRONG_OF_100[result.dimension]} of 100 trusted answers were wrong in {result.dimension}D."
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
    radius = max(result.scale * float(np.sqrt(source.var(axis=0).sum())), SMALLEST)
    sigma = max(finest_sigma(result, source), SMALLEST)
    turns = result.central_covariance[:-d, :-d]
    if d == 3 and result.kind != "affine":
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


def deformation_words(result: RegistrationResult) -> list[str]:
    """Say what a deformation is and what it is worth: bending, folds, noise, outliers, uncertainty of the points.

    Parameters
    ----------
    result : RegistrationResult
        Returned by :func:`svgm.register`.

    Returns
    -------
    list of str
        One sentence each on bending and folds, on noise and outliers, and on the uncertainty; none if the result is not
        that of ``transform="nonrigid"``.

    Raises
    ------
    InputError
        If `result` is not a RegistrationResult.

    Examples
    --------
    >>> import svgm
    >>> angle = np.linspace(0, 4, 60)
    >>> spiral = np.c_[angle * np.cos(angle), angle * np.sin(angle)]
    >>> bent = spiral + 0.1 * np.sin(spiral[:, ::-1])
    >>> result = svgm.register(spiral, bent, transform="nonrigid", search="local")
    >>> [sentence.split(" has ")[0] for sentence in deformation_words(result)][0]
    'The deformation'
    >>> deformation_words(svgm.register(spiral, spiral))
    []
    """
    warp = instance("result", result, RegistrationResult).warp
    if warp is None:
        return []
    points = "point" if warp.folds == 1 else "points"
    folds = (
        f"it turns space inside out at {warp.folds:,} source {points}" if warp.folds else "it folds at no source point"
    )
    middle, largest = np.median(warp.deviations), warp.deviations.max()
    return [
        f"The deformation has the bending energy {warp.bending:.3g} (0 for an affine map), and {folds}.",
        f"The target's points lie about {warp.noise:.2g} from the moved source (one standard deviation), and "
        f"{warp.outliers:.0%} of them have no partner in the source.",
        f"If the correspondences are right, places of the source's points are known to {middle:.2g} (median of the "
        f"standard deviations; the largest is {largest:.2g}).",
    ]


#: What the standard deviations of `certainty` do not include.
NOISE_ONLY = (
    "These numbers are one standard deviation, from the differences between parts of the surfaces. They do not include "
    "errors that all parts have in common, such as those of motion and calibration."
)


def pieces_sentence(result: MapResult) -> str:
    """Say whether a map is whole, and if not, into which pieces it falls.

    Parameters
    ----------
    result : MapResult
        Returned by :func:`svgm.map`.

    Returns
    -------
    str

    Raises
    ------
    InputError
        If `result` is not a MapResult.

    Examples
    --------
    >>> import svgm
    >>> walls, places = svgm.datasets.storey(), svgm.datasets.round_walk(90)[:3]
    >>> scans = [svgm.datasets.laser_scan(walls, place, seed=k) for k, place in enumerate(places)]
    >>> pieces_sentence(svgm.map(scans))
    'one piece'
    """
    if instance("result", result, MapResult).whole:
        return "one piece"
    sizes = [len(piece.scans) for piece in result.pieces]
    shown = ", ".join(map(str, sizes[:6])) + (", ..." if len(sizes) > 6 else "")
    return f"{len(sizes)} pieces of {shown} scans: no sound edge says how they lie to each other"


def map_assessment(result: MapResult) -> list[str]:
    """Say how complete and how reliable a map is.

    Parameters
    ----------
    result : MapResult
        Returned by :func:`svgm.map`.

    Returns
    -------
    list of str
        On the pieces, the scans and registrations, loops, the weakest joint, and the positions.

    Raises
    ------
    InputError
        If `result` is not a MapResult.

    Examples
    --------
    >>> import svgm
    >>> walls, places = svgm.datasets.storey(), svgm.datasets.round_walk(90)[:4]
    >>> scans = [svgm.datasets.laser_scan(walls, place, seed=k) for k, place in enumerate(places)]
    >>> map_assessment(svgm.map(scans))[0].split(".")[0]
    'All 4 scans are in the map'
    """
    count, lost = len(instance("result", result, MapResult).poses), len(result.left_out)
    first = f"All {count} scans are in the map." if not lost else f"{count - lost} of {count} scans are in the map."
    kinds = Counter(edge.kind for edge in result.edges)
    measured = len(result.edges) - kinds["odometry"]
    sentences = []
    if not result.whole:
        sentences.append(f"The map falls into {pieces_sentence(result)}. What follows is about the largest one.")
    sentences.append(
        f"{first} The map uses {_counted(measured, 'registration')}; {len(result.rejected)} "
        f"{'was' if len(result.rejected) == 1 else 'were'} rejected."
    )
    if kinds["loop"]:
        sentences.append(
            f"{kinds['loop']} of the registrations used {'closes a loop' if kinds['loop'] == 1 else 'close loops'}."
        )
    elif result.settings["order"] == "sequence" and count - lost > 2:
        sentences.append("No loop was closed: the error of a pose grows along the trajectory.")
    if result.joints:
        joint = result.joints[0]
        sentences.append(
            f"The weakest joint is between scans {joint.before} and {joint.after}, where "
            f"{_counted(joint.edges, 'edge')} {'holds' if joint.edges == 1 else 'hold'} the map together."
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
