"""The constants of the non-rigid registration, in one record.

Lengths are in root mean square radii: of the source for its modes, of the target for distances and noise.  All were
chosen on five levels of the deformed fish (samples 0 to 5); `python -m benchmarks.nonrigid` judges on others.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Constants:
    """See the module."""

    #: Largest number of points of each set in the search, which compares all pairs.
    search_points: int = 300
    #: A larger set is searched by this many weighted points, with so many bends.
    thinned_points: int = 200
    thinned_bends: int = 100
    #: Factor of the number of points from one refinement to the next, and the largest number.
    refinement_factor: int = 5
    refinement_points: int = 12_000
    #: Control points, at most, and modes of a refinement of larger sets.
    controls: int = 400
    refined_modes: int = 150

    #: Rotations of the start maps.
    rotations_2d: int = 18
    rotations_3d: int = 24
    #: Translations of the start maps along each axis.
    offset: float = 0.7
    #: Starts that are tried by EM, with this noise, these bends and so many iterations; those that go on.
    tried: int = 120
    tried_noise: float = 0.2
    tried_bends: int = 10
    tried_iterations: int = 15
    kept: int = 14
    #: Answers closer than this are the same start.
    same_start: float = 0.2

    #: The next step: its noise, bends and iterations.
    middle_noise: float = 0.15
    middle_bends: int = 40
    middle_iterations: int = 40
    #: The best starts are also annealed by correlation: scales, and weight of the bending at scale 1.
    correlated: int = 3
    scales: tuple[float, ...] = (0.3, 0.18, 0.11, 0.07)
    bending_weight: float = 0.08
    correlation_iterations: int = 30
    #: The last step: so many answers, farther apart than this, and iterations.
    finals: int = 3
    same_answer: float = 0.1
    final_iterations: int = 60
    refinement_iterations: int = 25
    #: Answers whose evidence is lower by less than this are as good: the initial map decides among them.
    evidence_tie: float = 3.0

    #: Share of outliers to begin with.
    outliers: float = 0.1
    #: Precision of the bends to begin with, and the weight of this prior in numbers.  Different samplings of a surface
    #: are matched along it by chance, which a soft spline would follow.
    precision_2d: float = 5.0
    precision_3d: float = 20.0
    prior_weight_2d: float = 20.0
    prior_weight_3d: float = 200.0
    #: The prior of the outliers counts as target points with a partner, this share of the source's number.
    partner_prior: float = 0.3
    #: The prior of the noise: this many spacings of the target, and this share of the target's numbers.  Without it the
    #: likelihood of two different samplings of one shape has no maximum: some points meet exactly.
    noise_spacings: float = 0.3
    noise_prior: float = 0.1
    #: If points meet within this many spacings, the target holds the moved points themselves.
    exact_spacings: float = 0.03
    #: An EM iteration ends when points move by less than this share of the noise.
    settled: float = 5e-5
    #: A known pair counts as so many correspondences.
    pair_weight: float = 10.0

    def precision(self, dimension: int) -> float:
        """Precision of the bends to begin with."""
        return self.precision_2d if dimension == 2 else self.precision_3d

    def prior_weight(self, dimension: int) -> float:
        """The weight of its prior."""
        return self.prior_weight_2d if dimension == 2 else self.prior_weight_3d


NONRIGID = Constants()
