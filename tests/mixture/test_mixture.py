"""Mixture: closed forms against brute force and numerical integration, files, and refused arguments."""

from __future__ import annotations

import contextlib
import dataclasses
import pickle
import zipfile
from pathlib import Path

import numpy as np
import pytest

from svgm import FileError, InputError, Mixture, fit
from svgm.mixture.mixture import CUTOFF, is_mixture_file
from svgm.rigid import apply, exp


def random_mixture(rng: np.random.Generator, m: int, d: int, variance: float, spread: float = 1.0) -> Mixture:
    weights = rng.random(m) + 0.1
    return Mixture(spread * rng.normal(size=(m, d)), variance, weights / weights.sum(), bias=0.1)


def brute_density(mixture: Mixture, x: np.ndarray) -> np.ndarray:
    squared = ((x[:, None] - mixture.means) ** 2).sum(axis=2)
    peak = (2 * np.pi * mixture.variance) ** (-mixture.dimension / 2)
    return peak * np.exp(-squared / (2 * mixture.variance)) @ mixture.weights


def grid(d: int, reach: float, n: int) -> tuple[np.ndarray, float]:
    axis = np.linspace(-reach, reach, n)
    points = np.stack(np.meshgrid(*[axis] * d, indexing="ij"), axis=-1).reshape(-1, d)
    return points, (axis[1] - axis[0]) ** d


@pytest.mark.parametrize("d", [1, 2, 3, 7])
@pytest.mark.parametrize("m", [1, 16, 17, 150])
def test_density_is_the_formula(d: int, m: int, rng: np.random.Generator) -> None:
    mixture = random_mixture(rng, m, d, 0.3)
    x = 2.0 * rng.normal(size=(60, d))
    expected = brute_density(mixture, x)
    peak = (2 * np.pi * mixture.variance) ** (-d / 2)
    truncated = np.exp(-CUTOFF)  # what far pairs may add, as a share of a peak
    assert np.allclose(mixture.density(x), expected, rtol=1e-12, atol=2 * truncated * peak)
    assert np.allclose(mixture.kernel_sum(x) * peak, mixture.density(x), rtol=1e-13)
    assert np.allclose(mixture.decision(x), expected / peak - 0.1, rtol=0, atol=2 * truncated)
    assert np.allclose(mixture.log_density(x), np.log(expected), rtol=1e-12)


@pytest.mark.parametrize("sigma", [1e-4, 1e-2, 0.1, 1.0])
def test_truncation_is_below_its_bound(sigma: float, rng: np.random.Generator) -> None:
    """At a small sigma most pairs are left out; what they add is below exp(-CUTOFF) of a peak."""
    mixture = random_mixture(rng, 800, 3, sigma**2)
    x = mixture.means[:200] + sigma * rng.normal(size=(200, 3))
    expected = brute_density(mixture, x)
    peak = (2 * np.pi * sigma**2) ** -1.5
    assert np.abs(mixture.density(x) - expected).max() <= peak * (np.exp(-CUTOFF) + 1e-14)


@pytest.mark.parametrize("d", [1, 2])
@pytest.mark.parametrize("variances", [(0.2, 0.2), (0.2, 0.7), (1.0, 0.05)])
def test_integrals_match_quadrature(d: int, variances: tuple[float, float], rng: np.random.Generator) -> None:
    p, q = (random_mixture(rng, 6, d, variance) for variance in variances)
    x, cell = grid(d, 9.0, 4001 if d == 1 else 361)
    dp, dq = p.density(x), q.density(x)
    assert dp.sum() * cell == pytest.approx(1.0, rel=1e-8)
    assert p.inner_product(q) == pytest.approx((dp * dq).sum() * cell, rel=1e-8)
    assert q.inner_product(p) == pytest.approx(p.inner_product(q), rel=1e-13)
    assert p.norm == pytest.approx(np.sqrt((dp**2).sum() * cell), rel=1e-8)
    assert p.l2_distance(q) == pytest.approx(((dp - dq) ** 2).sum() * cell, rel=1e-7)


def test_signed_integrals_match_quadrature() -> None:
    signed = Mixture([[0.0], [1.0], [2.0]], 0.1, [0.4, -0.3, 0.6])
    other = Mixture([[0.5]], 0.3, [1.0])
    x, cell = grid(1, 8.0, 4001)
    assert signed.signed
    assert signed.inner_product(other) == pytest.approx((signed.density(x) * other.density(x)).sum() * cell, rel=1e-8)
    assert signed.norm == pytest.approx(np.sqrt((signed.density(x) ** 2).sum() * cell), rel=1e-8)
    for method in (signed.log_density, lambda x: signed.sample(3, seed=0)):
        with pytest.raises(InputError, match="needs positive weights"):
            method(x)


def test_l2_distance_to_itself_is_zero(rng: np.random.Generator) -> None:
    mixture = random_mixture(rng, 100, 3, 0.05)
    # Three sums of ten thousand pairs cancel: what is left is their rounding.
    assert mixture.l2_distance(mixture) <= 1e-12 * mixture.norm**2
    disjoint = mixture.transformed(exp([0, 0, 0, 1e3, 0, 0]))
    assert mixture.inner_product(disjoint) == 0.0
    assert mixture.l2_distance(disjoint) == pytest.approx(2 * mixture.norm**2)


def test_log_density_far_away(rng: np.random.Generator) -> None:
    mixture = Mixture([[0.0, 0.0], [1.0, 0.0]], 1e-4, [0.25, 0.75])
    assert mixture.log_density([[1e5, 0.0]])[0] == pytest.approx(
        np.log(0.75) - 0.5 * (1e5 - 1) ** 2 / 1e-4 - np.log(2 * np.pi * 1e-4), rel=1e-12
    )
    assert np.all(np.isfinite(mixture.log_density(1e6 * rng.normal(size=(10, 2)))))


def test_log_density_ignores_components_without_weight() -> None:
    mixture = Mixture([[0.0], [1.0]], 1.0, [0.0, 1.0])
    assert mixture.log_density([[1.0]])[0] == pytest.approx(-0.5 * np.log(2 * np.pi))


def test_log_density_in_chunks(rng: np.random.Generator) -> None:
    mixture = random_mixture(rng, 2000, 2, 0.1)
    x = rng.normal(size=(2500, 2))  # more than one chunk of 2e6 pairs
    assert np.allclose(mixture.log_density(x), np.log(brute_density(mixture, x)))


@pytest.mark.parametrize("x", [1e300, np.inf])
def test_log_density_beyond_the_range_of_squares(x: float) -> None:
    with pytest.raises(InputError, match="x must be finite and within"):
        Mixture([[0.0]], 1.0, [1.0]).log_density([[x]])


def test_sample_has_the_moments_of_the_density() -> None:
    mixture = Mixture([[0.0, 0.0], [4.0, 2.0]], 0.25, [0.25, 0.75])
    drawn = mixture.sample(200_000, seed=3)
    mean = mixture.weights @ mixture.means
    centred = mixture.means - mean
    covariance = (centred * mixture.weights[:, None]).T @ centred + 0.25 * np.eye(2)
    assert np.allclose(drawn.mean(axis=0), mean, atol=0.02)
    assert np.allclose(np.cov(drawn.T), covariance, atol=0.03)
    assert np.array_equal(drawn, mixture.sample(200_000, seed=3))
    assert not np.array_equal(drawn[:5], mixture.sample(5, seed=4))
    assert mixture.sample(0, seed=0).shape == (0, 2)


@pytest.mark.parametrize("d", [2, 3])
def test_transformed_density_is_the_density_moved_back(d: int, rng: np.random.Generator) -> None:
    mixture = random_mixture(rng, 30, d, 0.2)
    T = exp(rng.normal(size=d * (d + 1) // 2))
    x = rng.normal(size=(20, d))
    moved = mixture.transformed(T)
    assert np.allclose(moved.density(apply(T, x)), mixture.density(x))
    assert moved.bias == mixture.bias
    assert moved.norm == pytest.approx(mixture.norm)


def test_scales_are_one(rng: np.random.Generator) -> None:
    mixture = random_mixture(rng, 3, 2, 0.04)
    assert mixture.sigma == pytest.approx(0.2)
    assert mixture.gamma == pytest.approx(1 / (2 * 0.04))
    assert len(mixture) == 3
    assert mixture.dimension == 2


def test_repr() -> None:
    assert repr(Mixture([[0.0, 0.0]], 0.25, [1.0])) == "Mixture(1 components in 2D, sigma 0.5)"
    assert repr(Mixture([[0.0]], 0.25, [1.0], 0.125)) == "Mixture(1 components in 1D, sigma 0.5, bias 0.125)"
    assert "1 of them negative" in repr(Mixture([[0.0], [1.0]], 0.25, [1.0, -0.5]))


def test_frozen(rng: np.random.Generator) -> None:
    means = rng.normal(size=(3, 2))
    mixture = Mixture(means, 1.0, np.full(3, 1 / 3))
    for name in ("means", "variance", "weights", "bias"):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(mixture, name, None)
    for array in (mixture.means, mixture.weights):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0.0
    means[0] = 99.0  # the caller's array is another one
    assert mixture.means[0, 0] != 99.0
    with pytest.raises(TypeError):
        hash(mixture)


def test_equality_and_pickling(rng: np.random.Generator) -> None:
    one = random_mixture(rng, 3, 2, 1.0)
    assert one == Mixture(one.means, one.variance, one.weights, one.bias)
    assert one != Mixture(one.means, one.variance, one.weights)
    assert one != Mixture(one.means + 1, one.variance, one.weights, one.bias)
    assert one != "mixture"
    assert pickle.loads(pickle.dumps(one)) == one


# Files


@pytest.mark.parametrize("bias", [None, 0.25, -0.1, 0.0])
def test_save_and_load(bias: float | None, tmp_path: Path, rng: np.random.Generator) -> None:
    weights = np.array([0.5, 0.5, -0.25])
    mixture = Mixture(rng.normal(size=(3, 4)), 0.3, weights, bias)
    mixture.save(tmp_path / "m.npz")
    assert Mixture.load(tmp_path / "m.npz") == mixture
    assert Mixture.load(str(tmp_path / "m.npz")) == mixture
    assert is_mixture_file(tmp_path / "m.npz")


@pytest.fixture
def saved(tmp_path: Path, curve: np.ndarray) -> Path:
    fit(curve).save(tmp_path / "m.npz")
    return tmp_path / "m.npz"


def rewrite(path: Path, **changes: np.ndarray | None) -> Path:
    with np.load(path) as arrays:
        content = {**dict(arrays), **changes}
    np.savez(path, **{name: value for name, value in content.items() if value is not None})
    return path


@pytest.mark.parametrize(
    "changes",
    [
        {"version": np.array(2)},
        {"version": np.array("x")},
        {"format": np.array("svgm map")},
        {"format": None},
        {"means": None},
        {"weights": None},
        {"bias": None},
        {"variance": np.array(-1.0)},
        {"variance": np.array([1.0, 2.0])},
        {"variance": np.array("a")},
        {"means": np.full((3, 2), np.nan)},
        {"means": np.zeros((3, 2))},
        {"weights": np.array(["a"])},
        {"weights": np.array([1.0])},
    ],
    ids=str,
)
def test_foreign_newer_and_damaged_files(changes: dict[str, np.ndarray | None], saved: Path) -> None:
    with pytest.raises(FileError, match=r"m\.npz: .*(mixture|version)") as caught:
        Mixture.load(rewrite(saved, **changes))
    assert "\n" not in str(caught.value)


def test_newer_files_say_so(saved: Path) -> None:
    with pytest.raises(FileError, match=r"is a mixture of version 7, this svgm reads up to 2"):
        Mixture.load(rewrite(saved, version=np.array(7)))


@pytest.mark.parametrize("kept", [0, 1, 10, 0.3, 0.6, 0.95, -1])
def test_cut_off_files(kept: float, saved: Path) -> None:
    whole = saved.read_bytes()
    saved.write_bytes(whole[: int(kept * len(whole)) if isinstance(kept, float) else kept])
    with pytest.raises(FileError):
        Mixture.load(saved)


def test_flipped_bytes_never_escape(saved: Path, rng: np.random.Generator) -> None:
    whole = saved.read_bytes()
    for position in rng.integers(0, len(whole), size=150):
        damaged = bytearray(whole)
        damaged[position] ^= 0xFF
        saved.write_bytes(bytes(damaged))
        with contextlib.suppress(FileError):
            assert isinstance(Mixture.load(saved), Mixture)


def test_pickled_arrays_are_refused(saved: Path) -> None:
    class Bomb:
        def __reduce__(self):
            return (pytest.fail, ("a pickle was executed",))

    rewrite(saved, means=np.array([[Bomb()]], dtype=object))
    with pytest.raises(FileError):
        Mixture.load(saved)


def test_other_files(tmp_path: Path, curve: np.ndarray) -> None:
    (tmp_path / "text.npz").write_text("not an archive")
    np.savez(tmp_path / "points.npz", points=curve)
    with zipfile.ZipFile(tmp_path / "zip.npz", "w") as archive:
        archive.writestr("means.npy", b"nonsense")
    for name in ("text.npz", "points.npz", "zip.npz", "missing.npz", "."):
        with pytest.raises(FileError):
            Mixture.load(tmp_path / name)
    assert not is_mixture_file(tmp_path / "points.npz")
    assert not is_mixture_file(tmp_path / "points.ply")


def test_save_refuses_other_suffixes_and_folders(tmp_path: Path) -> None:
    mixture = Mixture([[0.0]], 1.0, [1.0])
    for path in (tmp_path / "m.txt", tmp_path / "missing" / "m.npz", tmp_path):
        with pytest.raises(FileError):
            mixture.save(path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("d", [1, 2, 3, 5])
@pytest.mark.parametrize("sigma", [2.0, 0.1])
def test_the_norm_is_the_inner_product_with_itself(d: int, sigma: float, rng: np.random.Generator) -> None:
    """The norm sums each pair of blocks once; 10,000 components are too many to visit every block."""
    for n in (1, 16, 300, 10_000):
        weights = rng.random(n)
        mixture = Mixture(rng.normal(size=(n, d)), sigma**2, weights / weights.sum())
        assert mixture.norm**2 == pytest.approx(mixture.inner_product(mixture), rel=1e-9)


def test_threads_change_nothing(rng: np.random.Generator) -> None:
    mixture, other = (random_mixture(rng, 300, 3, 0.1) for _ in range(2))
    x = rng.normal(size=(2000, 3))
    for method in (mixture.density, mixture.decision, mixture.kernel_sum):
        assert np.array_equal(method(x, threads=1), method(x))
        assert np.array_equal(method(x, threads=1), method(x, threads=3))
    assert mixture.inner_product(other, threads=1) == mixture.inner_product(other, threads=3)
    assert mixture.l2_distance(other, threads=1) == mixture.l2_distance(other)
