"""full_overlap: the double sum of a mixture with itself, each pair of blocks summed once."""

from __future__ import annotations

import numpy as np
import pytest

from svgm import _core
from tests.mixture.full_mixtures import full_mixture

CUTOFF = 36.0


@pytest.mark.parametrize("d", [2, 3])
@pytest.mark.parametrize(("m", "sigma"), [(1, 0.5), (7, 0.5), (500, 0.5), (500, 0.05)])
def test_it_is_minus_the_objective_of_the_mixture_on_itself(
    d: int, m: int, sigma: float, rng: np.random.Generator
) -> None:
    mixture = full_mixture(rng, m, d, sigma=sigma)
    tree, own = _core.BoxTree(mixture.means, mixture.weights), mixture.covariances
    objective = _core.MixtureObjective(tree, own, tree, own, 1.0, CUTOFF, False, 1)
    value = objective.scale * _core.full_overlap(tree, own, CUTOFF, False, 1)
    assert -objective(np.eye(d + 1)[None])[0][0] == pytest.approx(value, rel=1e-12)
    assert value == pytest.approx((2 * np.pi) ** (d / 2) * mixture.norm**2, rel=1e-9)


@pytest.mark.parametrize("d", [2, 3])
def test_precision_and_threads(d: int, rng: np.random.Generator) -> None:
    mixture = full_mixture(rng, 1500, d, sigma=0.1)
    tree, own = _core.BoxTree(mixture.means, mixture.weights), mixture.covariances
    for single in (False, True):
        values = {_core.full_overlap(tree, own, CUTOFF, single, threads) for threads in (1, 2, 5)}
        assert len(values) == 1
        assert values.pop() == pytest.approx(_core.full_overlap(tree, own, CUTOFF, False, 1), rel=1e-5)
    near = _core.full_overlap(tree, own, 7.0, False, 1)
    assert near == pytest.approx(_core.full_overlap(tree, own, CUTOFF, False, 1), rel=1e-3)
