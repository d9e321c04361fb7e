"""The tuned constants of a map, in one record.

Each field says what it does and on which data it was chosen; docs/lab-notes.md ("Maps") has the counts.  Lengths have
no unit: they are in sigmas of the map, in radii of a scan or of a submap, or shares of a trajectory's length.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from svgm.registration.tuning import tuned

#: Sets of data on which constants were chosen.
LASER_LOGS = "laser logs intel, freiburg-101, belgioioso, acapulco"
LASERS_AND_OUTDOORS = "laser logs and hannover1"
INTEL = "laser log intel"
UNCOMPARED = "the first value tried; no comparison is recorded"
REASONED = "reasoned, not measured"


#: Covariance of the components in the registrations of a map.  With full ones the sparse scans of intel end in a map
#: with one room displaced (0.53 m instead of 0.13 m).
LINKS = "isotropic"


@dataclass(frozen=True)
class MapTuning:
    """Tuned constants; see the module."""

    # Scans.
    first_pass_scans: int = tuned(20, "Scans that the first pass reads to choose the map's sigma.", REASONED)
    svm_tolerance: float = tuned(0.01, "Tolerance of the SVMs behind the scans' mixtures.", UNCOMPARED)
    unit_factor: float = tuned(
        200.0,
        "A scan that differs in size from the others by more than this factor is in another unit of length: metres and "
        "millimetres differ by 1000, scans of one sensor in narrow and wide places by less than 100.",
        REASONED,
    )
    detail_factor: float = tuned(
        100.0,
        "Largest factor between the map's sigma and the spacing of the points: beyond it every point is a component, "
        "or the mixture shows no shape.",
        REASONED,
    )

    # Links between consecutive scans.
    links_back: int = tuned(
        3, "A scan is linked to this many scans before it, so that right links outvote a wrong one.", LASER_LOGS
    )
    submap_scans: int = tuned(10, "Scans in a submap, at most.", UNCOMPARED)
    largest_turn: float = tuned(
        float(np.pi / 2),
        "A link that turns by more (radians) needs `turn_overlap`: a corridor looks the same in both directions.",
        LASERS_AND_OUTDOORS,
    )
    turn_overlap: float = tuned(0.7, "Least overlap of a link that turns by more.", LASERS_AND_OUTDOORS)
    weak_deviation: float = tuned(
        0.3, "Standard deviation of a weak link, in radii of a scan: its scans are near each other.", INTEL
    )

    # The second registration of every link and loop in 2D.
    second_opinion: float = tuned(
        0.5,
        "Least confidence of the less confident of two registrations: the one with round components and the one with "
        "flat ones make different mistakes.",
        "laser log intel, scans 0 to 450",
    )
    same_answer: float = tuned(
        0.1,
        "Two registrations agree if they move no point at the scan's radius apart by more than this share of it.",
        "laser log intel, scans 0 to 450",
    )

    consecutive: float = tuned(
        0.7,
        "Probability that a pose on which two registrations of consecutive scans agree is right, before their own "
        "evidence is known: with a lower confidence of 0.8 to 0.9 36 of 36 are, with 0.5 to 0.8 16 of 17.",
        "generated storey, laser logs intel, aces and orebro",
    )

    # Odometry.
    odometry_share: float = tuned(
        0.1, "Deviation of odometry, as a share of the motion, if too few links show it.", REASONED
    )
    odometry_confidence: float = tuned(0.9, "Confidence of a step of odometry, if too few links show it.", REASONED)
    gross: float = tuned(
        100.0,
        "Squared Mahalanobis length from which on confirmed steps of odometry contradict a link: errors of odometry "
        "have longer tails than those of registrations.",
        REASONED,
    )
    fewest_steps: int = tuned(10, "Trusted links from which the noise of odometry is estimated.", REASONED)

    # Noise of measured poses.
    noise_floor: float = tuned(
        0.2,
        "Standard deviation of a measured pose beyond its covariance, in sigmas: the covariance knows how the surfaces "
        "were sampled, but not what moved, what was seen from one side only, or what turned during the scan.",
        UNCOMPARED,
    )
    contradiction: float = tuned(
        25.0,
        "Squared Mahalanobis length from which on two measurements contradict each other.  Of right ones, one in a "
        "thousand is beyond about 16 (2D) or 22 (3D).",
        "chi-squared distribution",
    )

    # The pose graph.
    kernel_scales: tuple[float, ...] = tuned(
        (100.0, 30.0, 10.0, 3.0, 1.0),
        "Scales of Cauchy's kernel, in standard deviations, from wide to narrow: a narrow kernel alone keeps wrong "
        "initial poses.",
        INTEL,
    )

    # Loop closures.
    loop_rounds: int = tuned(4, "Rounds of loop closures, at most.", UNCOMPARED)
    drift: float = tuned(
        0.015,
        "Expected drift of a pose, as a share of the trajectory's length.",
        "0.03 was tried before; no counts recorded",
    )
    overlap_reach: float = tuned(
        0.7,
        "Submaps may overlap if their centres are nearer than this share of the sum of their radii, plus the drift.",
        UNCOMPARED,
    )
    global_search_from: float = tuned(
        0.5, "If the drift may exceed this share of a submap's radius, all poses are searched.", UNCOMPARED
    )
    partners: int = tuned(12, "Submaps with which a submap is registered in one round, at most.", UNCOMPARED)
    least_overlap: float = tuned(0.3, "Least overlap of a loop closure: less can be chance.", INTEL)
    joining_loops: int = tuned(
        2, "Loops that must agree with each other to join two parts of a map that no step holds together.", REASONED
    )
    closing: float = tuned(
        0.9,
        "Probability that a pair of scans without an order which closes triangles is right, before its own evidence is "
        "known.",
        REASONED,
    )
    stale_submap: float = tuned(
        0.1, "A submap is merged anew if a component has moved in it by this much, in sigmas.", REASONED
    )
    moved_guess: float = tuned(
        0.1,
        "A loop that was not trusted is tried again if its guess has moved by this share of the submap's radius.",
        REASONED,
    )
    stray_factor: float = tuned(
        100.0,
        "A component this many times as far from a submap's middle as half of the components are does not count for "
        "the submap's centre and radius.",
        REASONED,
    )

    # Localisation in a finished map.
    in_map: float = tuned(0.95, "Probability that a scan was taken in the map, before anything is tried.", REASONED)
    part_radius: float = tuned(2.0, "Radius of the parts of a map that are tried, in radii of the scan.", UNCOMPARED)
    part_step: float = tuned(1.0, "Distance between these parts, in radii of the scan.", UNCOMPARED)
    part_components: int = tuned(20, "A part with fewer components is not tried.", REASONED)
    early_stop: Mapping[int, float] = tuned(
        {2: 0.99, 3: 0.95}, "With this confidence the other parts are not tried, by dimension.", UNCOMPARED
    )
    another_place: float = tuned(
        0.3, "Two poses are two places if they move a point of the scan apart by this share of its radius.", UNCOMPARED
    )

    # Files.
    cloud_cell: float = tuned(0.5, "Cell of the aligned cloud, in sigmas.", REASONED)
    grid_cell: float = tuned(0.5, "Cell of an occupancy grid, in sigmas.", REASONED)


MAP_TUNING = MapTuning()
