"""Registration by a similarity or an affine map: rigid registrations at a ladder of scales, refined and compared.

The rigid global search finds the pose of a source that is too large or too small by a quarter, and the refinement finds
the scale from a third away.  So a few scales around the ratio of the sets' sizes are enough.  An affine map is sought
from similarities, and from the rigid motions between both sets after their principal scatter has been made round, which
makes every affine map between whole sets a rotation.

The candidates compete by the correlation at one scale, which no shrinking wins.  The best one is assessed as a rigid
motion of the source after its scale, or its linear part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from svgm.checks.types import Array, PoseLike, Progress
from svgm.registration.annealing import Annealing
from svgm.registration.linear.answer import of_source
from svgm.registration.linear.carried import about_centre, carried, distance, joined, scale_of, split
from svgm.registration.linear.held import loose_shape
from svgm.registration.linear.kinds import as_map
from svgm.registration.linear.refinement import Refinement
from svgm.registration.prepared import Prepared, mapped, scatter_of
from svgm.registration.problem import check_pair
from svgm.registration.result import RegistrationResult
from svgm.registration.tuning import TUNING


@dataclass(frozen=True)
class Candidate:
    """A map (d+1, d+1), and minus the correlation there at the level that compares candidates."""

    matrix: Array
    value: float


@dataclass(frozen=True)
class LinearSearch:
    """The search for a similarity or an affine map between two sets.

    Attributes
    ----------
    refinement
        Refines maps between the two sets.
    rigid
        The rigid registration of two sets, with the options of the caller, as :func:`svgm.register`.
    viewpoints
        Where the sensors of the source and of the target stood, if that is known.
    annealing
        The levels, or None for the first gamma alone.
    first_gamma
        Of the coarsest level.
    report
        Called as ``report(phase, done, total)``.
    """

    refinement: Refinement
    rigid: Callable[..., RegistrationResult]
    viewpoints: tuple[Array, Array] | None
    annealing: Annealing | None
    first_gamma: float
    report: Progress

    @property
    def source(self) -> Prepared:
        """The set that moves."""
        return self.refinement.source

    @property
    def target(self) -> Prepared:
        """The set that stays."""
        return self.refinement.target

    def answer(self, init: PoseLike | None, search: str) -> RegistrationResult:
        """The result of a search: "local", "global", or "auto".

        With "auto" a trusted local answer next to a given initial map is the result.  Otherwise the local candidates
        compete with the others, since a scale of 1 that nobody has given is no guess.
        """
        d = self.source.dimension
        kind = "affine" if self.refinement.affine else "similarity"
        start = np.eye(d + 1) if init is None else as_map(init, d, "init", kind)
        check_pair(self.source, self.target)
        ratio = scale_of(start) * self.source.scale / self.target.scale
        known: list[Candidate] = []
        if search == "local" or (search == "auto" and abs(np.log(ratio)) < np.log(TUNING.local_ratio)):
            known = self.nearby(start)
        if search == "local" or (known and init is not None):
            result = self.assessed(self._finest(known), "local")
            if search == "local" or result.confidence >= TUNING.trusted:
                return result
        return self.everywhere(known)

    def nearby(self, init: Array) -> list[Candidate]:
        """The minima next to an initial map."""
        starts = [init]
        for factor in TUNING.local_scales:
            near = about_centre(init, factor, self.source)
            first, rest = split(near, affine=self.refinement.affine)
            starts += self._maps(self._rigid(first, rest, "local"), first)
        return self.refined(starts)

    def everywhere(self, known: Sequence[Candidate]) -> RegistrationResult:
        """The answer among all maps; the candidates that are `known` compete with the others."""
        candidates, rungs = list(known), TUNING.scale_rungs
        best: Candidate | None = None
        for number, powers in enumerate(rungs):
            self.report("searching", number, len(rungs))
            starts = [start for power in powers for start in self._at_scale(TUNING.scale_step**power)]
            if self.refinement.affine and number == 0:
                starts += self._from_round_scatter()
            candidates += self.refined(starts)
            finest = self._finest(candidates)
            if best is None or distance(best.matrix, finest.matrix, self.source) > SAME:
                best, result = finest, self.assessed(finest, "global")
            if result.confidence >= TUNING.trusted:
                break
        self.report("searching", len(rungs), len(rungs))
        return result

    def refined(self, starts: Iterable[Array]) -> list[Candidate]:
        """The different minima next to these maps."""
        candidates: list[Candidate] = []
        for start in starts:
            for coarsest in TUNING.affine_gammas if self.refinement.affine else TUNING.similarity_gammas:
                candidate = Candidate(*self.refinement(start, self.levels(start, coarsest, TUNING.linear_compared)))
                if not any(distance(other.matrix, candidate.matrix, self.source) < SAME for other in candidates):
                    candidates.append(candidate)
        return candidates

    def levels(self, matrix: Array, coarsest: float, finest: float) -> tuple[float, ...]:
        """The gammas from one to another, or to where the sets resolve no more."""
        if self.annealing is None:
            return (self.first_gamma,)
        resolved = self.annealing.finest or self.refinement.resolved(matrix)
        finest = min(finest, resolved)
        return Annealing(self.annealing.delta, finest).levels(min(coarsest, finest), resolved)

    def assessed(self, best: Candidate, search: str) -> RegistrationResult:
        """The result whose map is this candidate.

        If the rigid registration finds a better pose of the carried source, the map is refined from there.
        """
        result, first = self._rigid_after(best.matrix, "local" if search == "local" else "auto")
        whole = joined(result.transformation, first)
        if distance(whole, best.matrix, self.source) > SAME:
            other = self._finest([*self.refined([whole]), best])
            result, first = self._rigid_after(other.matrix, "local")
        answer = of_source(result, first, affine=self.refinement.affine, search=search)
        shape = loose_shape(self.source, self.target, answer.transformation, affine=self.refinement.affine)
        return replace(answer, undetermined=(*answer.undetermined, *shape))

    def _finest(self, candidates: Sequence[Candidate]) -> Candidate:
        """The best of the candidates at the finest level that all of them resolve, refined at its own finest level."""
        last = sorted(candidates, key=lambda candidate: candidate.value)[: TUNING.linear_finalists]
        resolved = min(self.refinement.resolved(candidate.matrix) for candidate in last)
        found = []
        for candidate in last:
            levels = self.levels(candidate.matrix, TUNING.linear_compared, resolved)
            found.append(Candidate(*self.refinement(candidate.matrix, levels)))
        best = min(found, key=lambda candidate: candidate.value)
        finest = self.refinement.resolved(best.matrix)
        return Candidate(*self.refinement(best.matrix, self.levels(best.matrix, finest, finest), exact=True))

    def _rigid_after(self, matrix: Array, search: str) -> tuple[RegistrationResult, Array]:
        first, rest = split(matrix, affine=self.refinement.affine)
        return self._rigid(first, rest, search), first

    def _rigid(self, first: Array, init: Array, search: str) -> RegistrationResult:
        """The rigid registration of the source after a linear map (d, d)."""
        moved = carried(self.source, first, affine=self.refinement.affine)
        seen = None if self.viewpoints is None else np.stack([first @ self.viewpoints[0], self.viewpoints[1]])
        return self.rigid(moved, self.target, init=init, search=search, viewpoint=seen)

    def _at_scale(self, factor: float) -> list[Array]:
        """Maps by a global search at a scale: the ratio of the sets' sizes times a factor."""
        d = self.source.dimension
        first = factor * self.target.scale / self.source.scale * np.eye(d)
        return self._maps(self._rigid(first, np.eye(d + 1), "global"), first)

    def _from_round_scatter(self) -> list[Array]:
        """Maps by a global search between both sets after each has been made round."""
        d = self.source.dimension
        moving, fixed = _rounding(self.source), _rounding(self.target)
        found = self.rigid(mapped(self.source, moving), mapped(self.target, fixed), search="global")
        back = joined(np.eye(d + 1), np.asarray(np.linalg.inv(fixed), dtype=np.float64))
        return [back @ map_ for map_ in self._maps(found, moving)]

    def _maps(self, result: RegistrationResult, first: Array) -> list[Array]:
        """The answer of a rigid registration and its best alternatives, as maps of the source."""
        poses = [result.transformation, *(other.transformation for other in result.alternatives)]
        return [joined(pose, first) for pose in poses[: TUNING.linear_candidates]]


#: Maps that take a typical point of the source to places nearer than this, in radii of the source, are one.
SAME = 0.02


def _rounding(prepared: Prepared) -> Array:
    """The linear map after which the set has the same scatter along all directions, of the same size."""
    variances, axes = np.linalg.eigh(scatter_of(prepared))
    deviations = np.sqrt(np.maximum(variances, 1e-4 * variances[-1]))
    return np.asarray((axes / deviations) @ axes.T, dtype=np.float64)
