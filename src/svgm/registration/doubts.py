"""Doubts about two sets: what is unusual about them, without regard to a registration."""

from __future__ import annotations

from svgm.registration.prepared import Prepared

#: If the radii of two sets differ by more than this factor, the sets are probably not in the same unit.
SAME_UNIT_FACTOR = 30.0

#: If the spacings of two sets differ by more than this factor, the finer one's detail is of no use.
SPACING_FACTOR = 10.0

#: If more than this share and more than this number of the points are at one place, they are not measurements.
REPEATED_SHARE, REPEATED_COUNT = 0.01, 10


def doubts(source: Prepared, target: Prepared) -> tuple[str, ...]:
    """A sentence for each finding: sets of very different size or spacing, points that were left out because they lie
    far from all others or are clutter, and many points at one place.

    >>> import numpy as np
    >>> from svgm import prepare
    >>> scan = np.random.default_rng(0).normal(size=(200, 3))
    >>> doubts(prepare(scan), prepare(1000.0 * scan))
    ('The target is about 1000 times as large as the source: are both in one unit?',)
    >>> doubts(prepare(np.vstack([scan, np.zeros((20, 3))])), prepare(scan))
    ('9 % of the points of the source are at one place, (0, 0, 0): are these measurements without a return?',)
    >>> doubts(prepare(scan), prepare(np.vstack([scan, [[1e6, 0.0, 0.0]]])))
    ('1 of 201 points of the target lies far from all others and was left out.',)
    """
    sets = {"source": source, "target": target}
    found = []
    smaller, larger = sorted(sets, key=lambda name: sets[name].radius)
    ratio = sets[larger].radius / sets[smaller].radius
    finer, coarser = sorted(sets, key=lambda name: sets[name].resolution)
    spacings = sets[coarser].resolution / sets[finer].resolution
    if ratio > SAME_UNIT_FACTOR:
        found.append(f"The {larger} is about {_about(ratio)} times as large as the {smaller}: are both in one unit?")
    elif spacings > SPACING_FACTOR and not (source.is_mixture or target.is_mixture):
        found.append(f"The points of the {coarser} are about {_about(spacings)} times as far apart as the {finer}'s.")
    for name, each in sets.items():
        if each.strays:
            far = (
                "lies far from all others and was left out"
                if each.strays == 1
                else "lie far from all others and were left out"
            )
            found.append(f"{each.strays} of {each.count + each.strays + each.clutter} points of the {name} {far}.")
        if each.clutter:
            what = f"{each.clutter} of {each.count + each.clutter} points of the {name} look like clutter"
            found.append(f"{what} and were left out: they lie on no surface, spread over the whole set.")
    for name, each in sets.items():
        place, share = each.most_frequent
        if share > REPEATED_SHARE and share * each.count > REPEATED_COUNT:
            where = ", ".join(f"{value + 0.0:g}" for value in place)
            what = f"{100 * share:.0f} % of the points of the {name} are at one place, ({where})"
            found.append(f"{what}: are these measurements without a return?")
    return tuple(found)


def _about(ratio: float) -> str:
    return f"{float(f'{ratio:.1g}'):g}"
