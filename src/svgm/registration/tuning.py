"""The constants of a registration that were chosen by experiment, in one record.

Each field says what it does and on which data it was chosen.  ``python -m benchmarks.tuning`` prints what happens to
the counts at half and at twice each value (docs/tuning.md).  Lengths have no unit: they are in sigmas, in cells of a
surface or in radii of the source.  A gamma is a multiple of gamma-hat.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

#: Sets of data on which constants were chosen.
DRAGON = "dragon, 2,000 points, seeds 0-5, 10, 11"
WHOLE_DRAGON = "dragon, all points"
SHAPES = "the 2D shapes"
OUTDOORS = "dragon and hannover1"
CONFIDENCE = "every kind of data of python -m benchmarks.confidence; round, 2D: dragon and hannover1"
FLAT = "dragon, 2,000 points, seeds 0-3; generated bodies"
SCALED = "dragon, 2,000 points, every seventh pair; generated shapes"
SLIDING = "examples/strips.py; dragon, 2,000 points, seeds 0 and 1"


#: A form of the confidence: the dimension, or `ROUND_2D`.
Form = int | str

#: The confidence of 2D answers with ``covariance="isotropic"``, which links of maps have.
ROUND_2D = "round, 2"


def tuned(value: Any, does: str, chosen_on: str) -> Any:
    """A field: its value, what it does, and the data on which it was chosen."""
    meaning = {"does": does, "chosen_on": chosen_on}
    if isinstance(value, dict):
        return field(default_factory=lambda: MappingProxyType(value), metadata=meaning)
    return field(default=value, metadata=meaning)


@dataclass(frozen=True)
class AlignmentRound:
    """One round of the global search: so many poses, each aligned with so many surfels in so many steps.

    The steps reach from the first to the second of `reaches`, in cells.  Of the answers closer than `same_pose` (cells)
    one is kept.
    """

    poses: int
    surfels: int
    reaches: tuple[float, float]
    steps: int
    same_pose: float


@dataclass(frozen=True)
class Tuning:
    """Constants chosen by experiment; see the module."""

    # Levels of the annealing, and the SVMs of a level.
    coarsest_gamma: float = tuned(0.1, "First gamma: a sigma of three sigma-hat.", DRAGON + "; " + SHAPES)
    finest_gamma: float = tuned(300.0, "Last gamma, unless the points' spacing is reached before.", DRAGON)
    thinning: float = tuned(0.5, "Cells that are one point to the SVM of a level, in sigmas.", DRAGON)
    svm_gap: float = tuned(0.03, "Duality gap of the SVM of a level, relative to its objective.", DRAGON)
    ready_factor: float = tuned(
        1.34, "A ready mixture serves levels up to this many times coarser than itself.", "half a step of the annealing"
    )

    # Levels with full covariances.
    full_from: float = tuned(20.0, "From this gamma on the components have full covariances, ...", SLIDING)
    turned_full_from: float = tuned(8.0, "... and from this one on in the run with more turned copies.", SLIDING)
    full_candidates: int = tuned(40, "`kept_candidates` of these levels where turned copies start, ...", FLAT)
    full_survivors: int = tuned(12, "... and of the others.", DRAGON)
    full_correlation: float = tuned(0.4, "`kept_correlation` of these levels.", FLAT)
    full_turns: Mapping[int, tuple[float, ...]] = tuned(
        {2: (60.0,), 3: (30.0, 60.0, 90.0, 120.0, 150.0, 180.0)},
        "By how many degrees the copies are turned, by dimension.",
        FLAT,
    )
    full_translations: Mapping[int, int] = tuned(
        {2: 0, 3: 4}, "Translations of the highest correlation that start beside each copy, by dimension.", FLAT
    )
    full_tie: float = tuned(0.003, "`tie` of the finest of them, which decides alone.", "one pair of hannover1")
    full_spacing: float = tuned(1.15, "Cells that are one component of the finest such level, in sigmas, ...", FLAT)
    coarse_spacing: float = tuned(1.5, "... and of the others, whose answers need not be exact.", FLAT)
    full_cells: float = tuned(0.35, "The finest sigma of such a level, in cells that the points fill, ...", FLAT)
    full_spacings: float = tuned(1.5, "... and at least this, in spacings of the points.", FLAT)

    # Candidates of a local search.
    kept_candidates: int = tuned(8, "Poses that go on from one level to the next, at most.", DRAGON)
    same_candidate: float = tuned(0.3, "Two poses closer than this, in sigmas, are one.", DRAGON)
    turned_at: Mapping[int, tuple[float, ...]] = tuned(
        {2: (3.0, 10.0), 3: (10.0,)}, "Gammas at which turned copies of the initial pose start, by dimension.", DRAGON
    )
    turn_degrees: float = tuned(60.0, "By how much these copies are turned.", DRAGON + "; " + SHAPES)
    compared_from: float = tuned(
        5.0, "From this gamma on levels compare candidates, and leave out pairs of components far apart.", DRAGON
    )
    kept_correlation: float = tuned(
        0.9,
        "Candidates with less than this share of the best correlation are dropped, from `compared_from` on.",
        DRAGON,
    )
    restart_until: float = tuned(50.0, "Up to this gamma the initial pose starts anew at every level.", DRAGON)
    restart_correlation: float = tuned(
        0.8, "Beyond, it starts only with at least this share of the best correlation.", DRAGON
    )
    tie: float = tuned(
        0.02, "Logarithms of correlations that differ by less are equal: the pose nearest the initial one wins.", DRAGON
    )

    # Newton's method at a level, in sigmas.
    first_radius: float = tuned(0.5, "First radius of the trust region.", DRAGON)
    largest_radius: float = tuned(1.5, "Largest radius of the trust region.", DRAGON)
    level_step: float = tuned(0.1, "A level ends when the next step is shorter than this.", DRAGON)

    # Surfels: cells of a surface, as shares of sigma-hat unless said.
    finest_cell: float = tuned(1.0 / 30.0, "The finest cell of a surface.", OUTDOORS)
    coarsest_cell: float = tuned(1.0 / 3.0, "The coarsest cell of a surface.", OUTDOORS)
    filled_neighbours: Mapping[int, float] = tuned(
        {2: 1.7, 3: 8.0}, "Occupied cells around an occupied one, on a curve and on a surface without holes.", OUTDOORS
    )
    coarse_factor: float = tuned(2.7, "Coarse cells, in fine ones.", OUTDOORS)
    search_cell: float = tuned(1.0 / 11.0, "The cell of the global search.", WHOLE_DRAGON)
    search_spacings: float = tuned(1.2, "The same, at least, in spacings of the points.", WHOLE_DRAGON)
    fewest_surfels: int = tuned(8, "A set with fewer surfels has no surface.", SHAPES)

    # The surface score, in fine cells unless said.
    coinciding: float = tuned(0.4, "Surfels coincide within this distance along the normal.", WHOLE_DRAGON)
    beside: float = tuned(2.0, "Surfels lie beside each other within this distance.", WHOLE_DRAGON)
    near: float = tuned(2.5, "Surfels are near each other within this distance, in coarse cells.", WHOLE_DRAGON)
    scored_surfels: int = tuned(8000, "Fine surfels of the source that are scored, at most.", WHOLE_DRAGON)
    coarse_steps: int = tuned(6, "Steps of the alignment on coarse surfels, from `near` to one coarse cell.", OUTDOORS)
    coarse_surfels: int = tuned(1000, "Surfels of that alignment, at most.", OUTDOORS)
    fine_reach: float = tuned(1.3, "Last reach of the alignment on fine surfels, from `beside` on.", WHOLE_DRAGON)
    fine_steps: int = tuned(5, "Steps of that alignment.", WHOLE_DRAGON)
    same_place: float = tuned(1.0, "Poses closer than this, in coarse cells, are one.", WHOLE_DRAGON)
    flat_share: float = tuned(0.01, "Least eigenvalue of the normals' scatter, as a share of the mean one.", OUTDOORS)
    in_front: float = tuned(
        3.0, "A place is in front of what the sensor saw if it is nearer by this much.", WHOLE_DRAGON
    )
    blocked_share: float = tuned(
        0.02, "If this share of the surfaces stands in free space, the score falls by a factor e.", WHOLE_DRAGON
    )
    doubting_places: int = tuned(
        800, "Places of a set that are compared with free space in a round, at most.", WHOLE_DRAGON
    )

    # The global search.
    search_gammas: tuple[float, ...] = tuned(
        (20.0, 10.0, 5.0, 2.5, 1.25, 0.6, 0.3, 0.15),
        "Gammas of the correlation over all poses: the first whose grid is small enough.",
        WHOLE_DRAGON,
    )
    rotations: Mapping[int, int] = tuned(
        {2: 144, 3: 2000}, "Rotations tried: every 2.5 degrees in 2D, about every 20 degrees in 3D.", WHOLE_DRAGON
    )
    translations: Mapping[int, int] = tuned({2: 8, 3: 5}, "Translations kept for each rotation.", WHOLE_DRAGON)
    grid_step: float = tuned(1.3, "Step of the grid, in deviations of both Gaussians together.", WHOLE_DRAGON)
    grid_margin: float = tuned(0.6, "The grid exceeds the target by this share of the source's diameter.", WHOLE_DRAGON)
    rounds: tuple[AlignmentRound, ...] = tuned(
        (
            AlignmentRound(3000, 400, (5.0, 3.0), 5, 0.5),
            AlignmentRound(1000, 1000, (3.0, 1.75), 5, 1.25),
            AlignmentRound(200, 3000, (2.0, 1.0), 6, 1.25),
        ),
        "Rounds of the alignment on surfels.",
        WHOLE_DRAGON,
    )
    fine_poses: int = tuned(40, "Poses that are aligned on the fine surfels.", WHOLE_DRAGON)
    final_poses: int = tuned(8, "Poses that the global search returns.", WHOLE_DRAGON)
    final_poses_without_surfels: int = tuned(64, "The same for sets without a surface.", SHAPES)

    # Similarities and affine maps.
    scale_step: float = tuned(1.5, "Factor between the scales at which a global search runs, ...", SCALED)
    scale_rungs: tuple[tuple[int, ...], ...] = tuned(
        ((0,), (1, -1), (2, -2), (3, -3)),
        "... and its powers, times the ratio of the sets' sizes, round by round until the answer is trusted.",
        SCALED,
    )
    local_scales: tuple[float, ...] = tuned(
        (1.0, 1.25, 0.8), "Times the scale of the initial map: where a local search starts.", SCALED
    )
    local_ratio: float = tuned(
        2.0, "If the sizes of the sets differ by more, the initial scale is no guess and is not tried.", SCALED
    )
    linear_candidates: int = tuned(4, "Poses of a rigid registration that are refined.", SCALED)
    similarity_gammas: tuple[float, ...] = tuned((3.0, 10.0), "First gammas of the refinement of a similarity.", SCALED)
    affine_gammas: tuple[float, ...] = tuned((1.0, 5.0), "The same of an affine map.", SCALED)
    linear_compared: float = tuned(30.0, "The gamma at which the maps compete, ...", SCALED)
    linear_finalists: int = tuned(6, "... and so many of them again at the finest level.", SCALED)

    # Other translations with the answer's rotation.
    translated_gamma: float = tuned(20.0, "The finest gamma at which they are sought.", OUTDOORS)
    translated_peaks: int = tuned(32, "Translations that are aligned on the coarse surfels.", OUTDOORS)
    translated_poses: int = tuned(6, "Poses that are kept.", OUTDOORS)

    # Confidence (docs/confidence.md): a logistic function by dimension, and one for round components in 2D.
    bias: Mapping[Form, float] = tuned(
        {2: -0.5, 3: -1.5, ROUND_2D: 8.9}, "Constant of the logistic function.", CONFIDENCE
    )
    exact_weight: Mapping[Form, float] = tuned(
        {2: 0.0, 3: 0.4, ROUND_2D: 3.0}, "Weight of how exactly the surfaces coincide, ...", CONFIDENCE
    )
    alike_weight: Mapping[Form, float] = tuned(
        {2: 1.5, 3: 0.0, ROUND_2D: 2.8}, "... of how well the mixtures correlate, ...", CONFIDENCE
    )
    competitor_weight: Mapping[Form, float] = tuned(
        {2: 0.0, 3: 0.0, ROUND_2D: -4.3}, "... of the best competing pose, ...", CONFIDENCE
    )
    better_weight: Mapping[Form, float] = tuned(
        {2: 1.2, 3: 0.5, ROUND_2D: 0.0}, "... of the surface score over that of competing poses, ...", CONFIDENCE
    )
    more_exact_weight: Mapping[Form, float] = tuned(
        {2: 1.6, 3: 4.4, ROUND_2D: 0.0}, "... of how much more exactly they coincide than there, ...", CONFIDENCE
    )
    held_weight: Mapping[Form, float] = tuned(
        {2: 0.0, 3: 0.8, ROUND_2D: 0.0}, "... and of how firmly the surfaces hold the pose.", CONFIDENCE
    )
    unknown_competitor: float = tuned(
        0.4, "Without a global search, a competing pose with this share of the answer's score is assumed.", OUTDOORS
    )
    trusted: float = tuned(0.9, "Answers with at least this confidence are trusted.", OUTDOORS)
    ambiguous: float = tuned(0.9, "A competing pose with this share of the answer's score is as good.", OUTDOORS)
    fine_correction: float = tuned(
        1.2, "Fine surfels correct the answer if its score grows by this factor.", WHOLE_DRAGON
    )
    replacement: float = tuned(
        1.5, "A competing pose replaces the answer if its score is larger by this factor.", OUTDOORS
    )


TUNING = Tuning()
