"""Prepared sets: what they keep is bounded, the same for all threads, and not part of a copy."""

from __future__ import annotations

import gc
import pickle
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import svgm
from svgm.datasets import butterfly
from svgm.registration.prepared import KEPT_MIXTURES, KEPT_SURFELS


def test_a_prepared_set_stays_small_whatever_it_meets() -> None:
    target = svgm.prepare(butterfly(200))
    sources = [(1.0 + 0.02 * k) * butterfly(200, seed=k) for k in range(12)]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda source: svgm.register(target, source, threads=1), sources))
    assert KEPT_MIXTURES // 2 < target._trained.cache_info().currsize <= KEPT_MIXTURES
    assert 0 < target._made.cache_info().currsize <= KEPT_SURFELS
    alone = [svgm.register(svgm.prepare(butterfly(200)), source, threads=1) for source in sources]
    assert all(np.array_equal(a.transformation, b.transformation) for a, b in zip(together, alone, strict=True))


def test_a_copy_keeps_nothing_and_gives_the_same() -> None:
    target = svgm.prepare(butterfly(200))
    mixture = target.mixture(0.2, 1.0)
    copy = pickle.loads(pickle.dumps(target))
    assert copy._trained.cache_info().currsize == 0
    assert copy.mixture(0.2, 1.0) == mixture


def test_nothing_holds_a_set_that_is_no_longer_used() -> None:
    """Scans of a long drive must go at once: the collector of cycles does not see how large they are."""
    gc.disable()
    try:
        target = svgm.prepare(butterfly(200))
        target.mixture(0.2, 1.0)
        gone = weakref.ref(target)
        del target
        assert gone() is None
    finally:
        gc.enable()


def test_a_ready_mixture_stays_as_it_is_at_its_own_scale() -> None:
    ready = svgm.fit(butterfly(300), gamma=30.0)
    prepared = svgm.prepare(ready)
    same = prepared.mixture(ready.sigma, 1.0)
    assert np.allclose(same.means + prepared.centre, ready.means)
    assert same.bias == ready.bias
    assert len(prepared.mixture(4.0 * ready.sigma, 1.0)) < len(ready)


def test_a_ready_mixture_with_covariances_stays_as_it_is_at_its_own_scale() -> None:
    ready = svgm.fit(butterfly(300), gamma=30.0, covariance="full")
    prepared = svgm.prepare(ready)
    same = prepared.full_mixture(ready.sigma, 2.0, 1.0)
    assert np.allclose(2.0 * same.means + prepared.centre, ready.means)
    assert np.allclose(4.0 * same.covariances, ready.covariances)
    assert len(prepared.full_mixture(4.0 * ready.sigma, 1.0, 1.0)) < len(ready)
    # Round components at the levels of the paper.
    assert prepared.mixture(ready.sigma, 1.0).covariances is None


def test_the_finest_full_sigma_is_above_the_spacing() -> None:
    for n in (100, 3000):
        prepared = svgm.prepare(butterfly(n))
        assert prepared.resolution < prepared.full_sigma < prepared.scale
