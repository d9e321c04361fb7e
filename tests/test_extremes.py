"""Numbers at the ends of what a float holds, huge dimensions and sizes: an answer, or one line at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import svgm
from svgm import InputError, Mixture, datasets, rigid
from svgm.checks.arguments import MOST_THREADS, shown, thread_count
from svgm.geometry.points import MOST_DIMENSIONS, as_points
from svgm.registration.search import branch_and_bound
from svgm.registration.search.branch_and_bound import certify

RNG = np.random.default_rng(5)
CLOUD = RNG.normal(size=(40, 2))
TURNED = RNG.normal(size=(3, 2000))
CORNER = np.array([[1.0, 0.0], [0.0, 0.0], [-1.0, 0.6]])
ONE = Mixture([[0.0, 0.0]], 1.0, [1.0])


def even(points: Any, variance: float) -> Mixture:
    places = np.asarray(points, dtype=float)
    return Mixture(places - places.mean(axis=0), variance, np.full(len(places), 1.0 / len(places)))


@pytest.mark.parametrize(
    "call",
    [
        svgm.fit,
        svgm.kde,
        svgm.fit_two_class,
        svgm.estimate_scale,
        lambda points: svgm.evaluate(points, points, np.eye(4), 1.0),
        lambda points: Mixture(points, 1.0, np.full(3, 1 / 3)),
        lambda points: svgm.Mesh(points, [[0, 1]]),
        lambda points: datasets.visible(points, np.zeros(3)),
    ],
)
def test_points_in_columns_get_a_hint(call: Any) -> None:
    with pytest.raises(InputError, match=r"got shape \(3, 2000\): did you mean the transpose\?$"):
        call(TURNED)


def test_the_largest_dimension_works() -> None:
    points = RNG.normal(size=(60, MOST_DIMENSIONS))
    mixture = svgm.fit(points)
    assert np.isfinite(mixture.log_density(points)).all()
    assert np.isfinite(mixture.kernel_sum(points)).all()
    with pytest.raises(InputError, match=f"at most {MOST_DIMENSIONS} coordinates"):
        svgm.fit(RNG.normal(size=(60, MOST_DIMENSIONS + 1)))


@pytest.mark.parametrize(
    "value",
    [
        CLOUD.astype(">f8"),
        np.asfortranarray(CLOUD),
        np.repeat(CLOUD, 2, axis=0)[::2],
        np.frombuffer(CLOUD.tobytes()).reshape(-1, 2),
        CLOUD.astype(object),
        CLOUD.astype(np.longdouble),
    ],
    ids=["swapped", "by columns", "strided", "read-only", "objects", "long"],
)
def test_any_layout_gives_the_same(value: np.ndarray) -> None:
    assert svgm.fit(value) == svgm.fit(CLOUD)


@pytest.mark.parametrize("factor", [1e-155, 1e-160, 5e-324])
def test_lengths_without_a_square(factor: float) -> None:
    for call in (svgm.fit, svgm.kde, svgm.fit_two_class):
        with pytest.raises(InputError, match=r"must be from 1e-150 to|must not all coincide"):
            call(factor * CLOUD)


def test_coordinates_at_the_upper_end() -> None:
    mixture = svgm.fit(1e149 * CLOUD)
    assert np.isfinite(mixture.log_density(1e149 * CLOUD)).all()
    assert np.array_equal(mixture.weights > 0, np.ones(len(mixture), dtype=bool))


def test_densities_beyond_a_float() -> None:
    narrow = Mixture([[0.0, 0.0, 0.0]], 1e-250, [1.0])
    with pytest.raises(InputError, match=r"^variance must be larger.*log_density"):
        narrow.density([[0.0, 0.0, 0.0]])
    with pytest.raises(InputError, match=r"^variance must be larger"):
        _ = narrow.norm
    assert narrow.log_density([[0.0, 0.0, 0.0]])[0] == pytest.approx(-1.5 * np.log(2 * np.pi * 1e-250))
    assert narrow.log_density([[1e100, 0.0, 0.0]])[0] == -np.inf


@pytest.mark.parametrize(
    "call",
    [
        lambda n: ONE.sample(n, seed=0),
        datasets.butterfly,
        datasets.body,
        datasets.round_walk,
        lambda n: datasets.laser_scan(datasets.storey(), np.eye(3), beams=n),
        lambda n: datasets.disturb(CLOUD, outliers=n),
        lambda n: datasets.butterfly(5, turns=n),
    ],
)
def test_sizes_beyond_memory(call: Any) -> None:
    for n in (10**12, 10**400):
        with pytest.raises(InputError, match="at most"):
            call(n)


def test_levels_of_an_annealing_are_few() -> None:
    with pytest.raises(InputError, match=r"^finest must be"):
        svgm.Annealing(delta=1.1, finest=1e308)
    assert len(svgm.Annealing(delta=1.1, finest=1e12).levels(1e-12, 1e9)) < 1000


def test_threads_are_capped() -> None:
    assert thread_count(10**9) >= MOST_THREADS
    assert thread_count(10**9) < 10**5


@pytest.mark.parametrize("cell", [1e-9, 1e-5, 5e-324])
def test_grids_of_a_surface_are_bounded(cell: float) -> None:
    with pytest.raises(InputError, match=r"^cell must"):
        svgm.surface(svgm.fit(CLOUD), cell=cell)


def test_a_message_is_one_short_line() -> None:
    class Long:
        def __repr__(self) -> str:
            return "many\nlines" * 1000

    for value in (Long(), "a\nb\0" * 100, 10**10_000, np.zeros((50, 50)), [CLOUD] * 50):
        assert len(shown(value)) <= 80
        assert shown(value).isprintable()


@pytest.mark.parametrize("value", [ONE.means, 3, None, "two.npz", [ONE]])
def test_what_is_no_mixture(value: Any) -> None:
    for call in (
        lambda: svgm.merge(value, ONE),
        lambda: svgm.merge(ONE, value),
        lambda: svgm.merge_naive(value, ONE),
        lambda: ONE.inner_product(value),
        lambda: ONE.l2_distance(value),
        lambda: svgm.surface(value),
        lambda: certify(value, ONE),
    ):
        with pytest.raises(InputError, match=r"must be a Mixture, got"):
            call()


@pytest.mark.parametrize("far", [1e2, 1e3])
def test_a_proof_with_a_stray(far: float) -> None:
    turn = rigid.exp([1.0, 0.0, 0.0])
    source = even(np.vstack([CORNER, [[far, 0.0]]]), 0.1)
    _, certificate = certify(source, source.transformed(turn), gap=0.1)
    assert certificate.complete
    assert certificate.objective < -0.8


def test_a_proof_starts_where_the_sets_are() -> None:
    """With a stray on one side only, no start with the centres on each other overlaps anywhere."""
    source = even(np.vstack([CORNER, [[1e4, 0.0]]]), 0.1)
    _, certificate = certify(source, even(CORNER, 0.1), gap=0.1, seconds=0.0)
    assert certificate.objective < -0.5


def test_a_proof_has_a_reach() -> None:
    source = even(np.vstack([CORNER, [[1e9, 0.0]]]), 0.1)
    with pytest.raises(InputError, match=f"^mixtures must be within {branch_and_bound.FARTHEST:g} sigma"):
        certify(source, source)


@pytest.mark.parametrize("places", [[[0.0, 0.0]], [[3.0, 1.0]], np.zeros((4, 2)), np.zeros((3, 3))])
def test_a_proof_of_one_place(places: Any) -> None:
    _, certificate = certify(even(places, 0.1), even(places, 0.1))
    assert certificate.complete


def test_files_are_checked_like_arrays(tmp_path: Any) -> None:
    np.save(tmp_path / "large.npy", 1e200 * CLOUD)
    with pytest.raises(InputError, match=r"large\.npy: points must be within 1e\+150"):
        as_points(tmp_path / "large.npy")
