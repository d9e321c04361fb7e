"""Values that are kept: few, the recent ones, the same for all threads."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import svgm
from svgm.datasets import butterfly
from svgm.registration.cache import RecentCache
from svgm.registration.prepared import KEPT_MIXTURES, KEPT_SURFELS


def test_the_one_not_asked_for_longest_goes() -> None:
    made: list[int] = []
    kept: RecentCache[int] = RecentCache(size=2)
    for key in (1, 2, 1, 3, 1, 2):
        kept.get(key, lambda key=key: made.append(key) or key)  # type: ignore[misc]
    assert made == [1, 2, 3, 2]


def test_a_copy_begins_empty() -> None:
    kept: RecentCache[int] = RecentCache(size=2)
    kept.get(1, lambda: 1)
    assert len(pickle.loads(pickle.dumps(kept))) == 0


def test_many_threads_keep_no_more() -> None:
    kept: RecentCache[int] = RecentCache(size=6)
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda n: kept.get(n % 40, lambda: n % 40), range(4000)))
    assert answers == [n % 40 for n in range(4000)]
    assert len(kept) == 6


def test_a_prepared_set_stays_small_whatever_it_meets() -> None:
    target = svgm.prepare(butterfly(200))
    sources = [(1.0 + 0.02 * k) * butterfly(200, seed=k) for k in range(12)]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda source: svgm.register(target, source, threads=1), sources))
    assert len(target._mixtures) <= KEPT_MIXTURES
    assert len(target._surfels) <= KEPT_SURFELS
    alone = [svgm.register(svgm.prepare(butterfly(200)), source, threads=1) for source in sources]
    assert all(np.array_equal(a.transformation, b.transformation) for a, b in zip(together, alone, strict=True))
