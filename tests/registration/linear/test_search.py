"""`register(transform="similarity")` and "affine": scale unknown, moved anywhere, partial overlap, wrong arguments."""

from __future__ import annotations

import numpy as np
import pytest

import svgm
from svgm import InputError, rigid
from svgm.registration.linear.carried import scale_of
from tests.registration.linear.shapes import outline, views


def anywhere(rng: np.random.Generator, d: int, scale: float) -> np.ndarray:
    """A similarity of this scale: any rotation, a shift by some radii."""
    T = rigid.exp(np.r_[2.0 * rng.normal(size=d * (d - 1) // 2), scale * 3.0 * rng.normal(size=d)])
    T[:d, :d] *= scale
    return T


@pytest.mark.parametrize("scale", [0.05, 20.0])
@pytest.mark.parametrize("d", [2, 3])
def test_scale_and_pose_are_found_from_anywhere(d: int, scale: float, rng: np.random.Generator) -> None:
    source, target = (outline(300), outline(300, seed=1)) if d == 2 else views(24.0)
    T = anywhere(rng, d, scale)
    result = svgm.register(rigid.apply(T, source), target, transform="similarity", threads=1)
    assert (result.kind, result.search, result.trusted) == ("similarity", "global", True)
    assert result.scale * scale == pytest.approx(1.0, abs=0.01)
    assert np.abs(result.transform.apply(rigid.apply(T, source)) - source).max() < 0.1
    # The Gaussians of the carried source fit the target's, so both make one mixture.
    assert result.merged().dimension == d


def test_a_larger_set_is_no_better_or_worse(rng: np.random.Generator) -> None:
    """The unit of the source is no part of the answer, nor of its confidence."""
    source, target = views(24.0)
    first, second = (
        svgm.register(source * unit, target, transform="similarity", search="global", threads=1) for unit in (1.0, 64.0)
    )
    assert np.allclose(second.transformation[:3, :3] * 64.0, first.transformation[:3, :3], rtol=0, atol=1e-6)
    assert second.confidence == pytest.approx(first.confidence, abs=1e-6)
    assert second.objective == pytest.approx(first.objective, abs=1e-6)


def test_a_part_is_found_in_the_whole_at_any_scale(rng: np.random.Generator) -> None:
    """The ratio of the sizes is wrong here: half of an outline, on all of it, and the other way round."""
    half, whole = outline(300, end=0.5), outline(600, seed=1)
    for source, target in ((half, whole), (whole, half)):
        T = anywhere(rng, 2, 7.0)
        result = svgm.register(rigid.apply(T, source), target, transform="similarity", search="global", threads=1)
        assert result.scale * 7.0 == pytest.approx(1.0, abs=0.02)
        assert np.abs(result.transform.apply(rigid.apply(T, source)) - source).max() < 0.1


def test_a_local_search_starts_from_the_initial_map(rng: np.random.Generator) -> None:
    source, target = views(24.0)
    T = anywhere(rng, 3, 5.0)
    near = T @ np.diag([1.1, 1.1, 1.1, 1.0])
    init = np.linalg.inv(near)
    result = svgm.register(rigid.apply(T, source), target, transform="similarity", search="local", init=init, threads=1)
    assert result.search == "local"
    assert result.scale * 5.0 == pytest.approx(1.0, abs=0.01)


@pytest.mark.parametrize("angle", [-1.0, 0.0, 1.0])
def test_sets_stretched_and_sheared_are_found(angle: float) -> None:
    c, s = np.cos(angle), np.sin(angle)
    A = np.array([[c, -s], [s, c]]) @ np.array([[2.0, 0.5], [0.0, 1.0]])
    source, target = outline(200), outline(200, seed=1) @ A.T + [5.0, 1.0]
    result = svgm.register(source, target, transform="affine", threads=1)
    assert result.kind == "affine"
    assert np.linalg.norm(result.transformation[:2, :2] - A) < 0.05
    assert np.abs(result.transform.apply(source) - source @ A.T - [5.0, 1.0]).max() < 0.1


def test_an_affine_map_between_views_in_space() -> None:
    source, target = views(10.0)
    A = np.array([[1.2, 0.3, 0.0], [0.0, 0.9, 0.0], [0.1, 0.0, 1.0]])
    result = svgm.register(source, target @ A.T, transform="affine", threads=1)
    assert np.linalg.norm(result.transformation[:3, :3] - A) < 0.05


def test_prepared_sets_and_ready_mixtures() -> None:
    source, target = outline(300), outline(300, seed=1)
    points = svgm.register(3.0 * source, target, transform="similarity", threads=1)
    prepared = svgm.register(svgm.prepare(3.0 * source), svgm.prepare(target), transform="similarity", threads=1)
    assert np.array_equal(prepared.transformation, points.transformation)
    mixtures = [svgm.fit(each, gamma=100.0) for each in (3.0 * source, target)]
    for kind in ("similarity", "affine"):
        found = svgm.register(*mixtures, transform=kind, threads=1)
        assert scale_of(found.transformation) == pytest.approx(1.0 / 3.0, rel=0.02)


def test_threads_do_not_change_the_answer() -> None:
    source, target = outline(300, end=0.7), outline(400, seed=1)
    one, two = (svgm.register(2.5 * source, target, transform="similarity", threads=threads) for threads in (1, 2))
    assert one == two


def test_the_viewpoint_goes_with_the_source() -> None:
    source, target = views(24.0)
    places = np.array([[50.0, 0.0, 10.0], [5.0 * np.cos(np.radians(24)), 5.0 * np.sin(np.radians(24)), 1.0]])
    result = svgm.register(10.0 * source, target, transform="similarity", viewpoint=places, threads=1)
    assert result.scale == pytest.approx(0.1, rel=0.01)


def test_a_given_initial_map_is_tried_first(rng: np.random.Generator) -> None:
    source, target = views(24.0)
    T = anywhere(rng, 3, 5.0)
    init = np.linalg.inv(T @ np.diag([0.95, 0.95, 0.95, 1.0]))
    result = svgm.register(rigid.apply(T, source), target, transform="similarity", init=init, threads=1)
    assert (result.search, result.trusted) == ("local", True)
    assert result.scale * 5.0 == pytest.approx(1.0, abs=0.01)


def test_wrong_arguments() -> None:
    source = outline(100)
    with pytest.raises(InputError, match="transform must be one of"):
        svgm.register(source, source, transform="projective")
    with pytest.raises(InputError, match="search must be auto, local or global unless transform is 'rigid'"):
        svgm.register(source, source, transform="affine", search="certified")
    with pytest.raises(InputError, match="init must hold a rotation times a positive scale"):
        svgm.register(source, source, transform="similarity", init=np.diag([1.0, 3.0, 1.0]))
    with pytest.raises(InputError, match="differ in size by a factor of 1e\\+200"):
        svgm.register(1e100 * source, 1e-100 * source, transform="affine")
    with pytest.raises(InputError, match="source and target must have the same dimension"):
        svgm.register(source, np.c_[source, source[:, 0]], transform="similarity")
