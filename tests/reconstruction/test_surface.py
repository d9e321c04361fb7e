"""Surfaces of mixtures: against shapes known in closed form, without seams, in any unit."""

from __future__ import annotations

import sys

import numpy as np
import pytest
import trimesh

import svgm
from svgm import InputError, Mesh, Mixture
from svgm.datasets import partial_view
from svgm.reconstruction import level_set
from svgm.rigid import exp

pytest.importorskip("skimage")


def ring(n: int = 200) -> np.ndarray:
    angle = np.linspace(0, 2 * np.pi, n, endpoint=False)
    return np.c_[np.cos(angle), np.sin(angle)]


def sphere(n: int = 3000) -> np.ndarray:
    index = np.arange(n) + 0.5
    height, turn = 1.0 - 2.0 * index / n, np.pi * (1.0 + 5.0**0.5) * index
    radius = np.sqrt(1.0 - height**2)
    return np.c_[radius * np.cos(turn), radius * np.sin(turn), height]


def torus(n: int = 4000, seed: int = 1) -> np.ndarray:
    """A torus of radii 1 and 0.4, with uniform density."""
    generator = np.random.default_rng(seed)
    u, v = generator.uniform(0, 2 * np.pi, (2, 3 * n))
    u, v = (angle[generator.random(3 * n) < (1 + 0.4 * np.cos(v)) / 1.4][:n] for angle in (u, v))
    return np.c_[(1 + 0.4 * np.cos(v)) * np.cos(u), (1 + 0.4 * np.cos(v)) * np.sin(u), 0.4 * np.sin(v)]


def from_torus(points: np.ndarray) -> np.ndarray:
    """Signed distance to the analytic torus."""
    return np.hypot(np.hypot(points[:, 0], points[:, 1]) - 1.0, points[:, 2]) - 0.4


def as_trimesh(mesh: Mesh) -> trimesh.Trimesh:
    return trimesh.Trimesh(mesh.vertices, mesh.simplices, process=False)


@pytest.fixture(scope="module")
def ball() -> Mixture:
    """The mixture of a sphere whose inside is free space."""
    return svgm.fit_two_class(sphere(), viewpoint=[0.0, 0.0, 0.0])


def test_ring_seen_from_its_centre_is_one_line() -> None:
    mixture = svgm.fit_two_class(ring(), viewpoint=[0.0, 0.0])
    mesh = svgm.surface(mixture)
    assert mesh.closed
    assert np.abs(np.linalg.norm(mesh.vertices, axis=1) - 1).max() < 0.01 * mixture.sigma
    assert mesh.measures.sum() == pytest.approx(2 * np.pi, rel=1e-3)
    # Free space, the outside, is on the right: clockwise.
    a, b = mesh.vertices[mesh.simplices[:, 0]], mesh.vertices[mesh.simplices[:, 1]]
    assert 0.5 * (a[:, 0] * b[:, 1] - b[:, 0] * a[:, 1]).sum() == pytest.approx(-np.pi, rel=1e-3)


def test_density_of_a_ring_has_a_sheet_on_both_sides() -> None:
    mesh = svgm.surface(svgm.fit(ring(), gamma=16))
    radii = np.linalg.norm(mesh.vertices, axis=1)
    assert mesh.closed
    assert radii[radii < 1].max() < 0.9
    assert radii[radii > 1].min() > 1.1


def test_sphere_is_one_watertight_sheet(ball: Mixture) -> None:
    mesh = svgm.surface(ball)
    solid = as_trimesh(mesh)
    assert mesh.closed
    assert solid.is_watertight
    assert solid.is_winding_consistent
    assert solid.euler_number == 2
    assert np.abs(np.linalg.norm(mesh.vertices, axis=1) - 1).max() < 0.02 * ball.sigma
    # Outside is where free space is, here within: the volume is negative.
    assert solid.volume == pytest.approx(-4 / 3 * np.pi, rel=2e-3)


def test_level_set_of_a_sphere_has_an_inner_and_an_outer_sheet() -> None:
    mixture = svgm.fit(sphere(), gamma=16)
    solid = as_trimesh(svgm.surface(mixture))
    assert solid.is_watertight
    assert solid.body_count == 2
    outer = max(solid.split(), key=lambda part: part.area)
    assert outer.volume > 0


@pytest.mark.parametrize("level", [0.5, 1.0])
def test_blocks_leave_no_seams(ball: Mixture, level: float, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = svgm.surface(ball, level=level)
    monkeypatch.setattr(level_set, "BLOCK_SIDE", {3: 5})
    pieces = svgm.surface(ball, level=level)
    assert len(pieces.simplices) == len(whole.simplices)
    assert np.allclose(np.sort(pieces.vertices, axis=0), np.sort(whole.vertices, axis=0), rtol=0, atol=1e-12)
    assert pieces.closed
    assert len(np.unique(pieces.vertices, axis=0)) == len(pieces.vertices)
    assert len(np.unique(np.sort(pieces.simplices, axis=1), axis=0)) == len(pieces.simplices)


def test_torus_from_merged_views() -> None:
    points = torus()
    eyes = [
        5.0 * np.array(eye) for eye in ([1, 0, 0.6], [-1, 0, 0.6], [0, 1, -0.6], [0, -1, -0.6], [0, 0, 1], [0, 0, -1])
    ]
    views = [partial_view(points, viewpoint=eye) for eye in eyes]
    merged = svgm.fit_two_class(views[0], gamma=1, scale=0.08, viewpoint=eyes[0])
    for view, eye in zip(views[1:], eyes[1:], strict=True):
        merged = svgm.merge(svgm.fit_two_class(view, gamma=1, scale=0.08, viewpoint=eye), merged)
    mesh = svgm.surface(merged)
    distances = np.abs(from_torus(mesh.vertices))
    assert np.median(distances) < 0.05 * merged.sigma
    assert np.quantile(distances, 0.95) < 0.5 * merged.sigma
    assert mesh.measures.sum() == pytest.approx(4 * np.pi**2 * 0.4, rel=0.05)


def test_noise_does_not_tear_the_surface(rng: np.random.Generator) -> None:
    points = sphere(6000) + 0.01 * rng.standard_normal((6000, 3))
    mesh = svgm.surface(svgm.fit_two_class(points, viewpoint=[0.0, 0.0, 0.0]))
    assert as_trimesh(mesh).body_count <= 3
    assert np.median(np.abs(np.linalg.norm(mesh.vertices, axis=1) - 1)) < 0.015


def test_a_scan_ends_where_its_points_end() -> None:
    x, y = np.meshgrid(np.linspace(-1, 1, 60), np.linspace(-1, 1, 60))
    patch = np.c_[x.ravel(), y.ravel(), 0.0 * x.ravel()]
    mixture = svgm.fit_two_class(patch, scale=0.1, gamma=1, viewpoint=[0.0, 0.0, 5.0])
    mesh = svgm.surface(mixture)
    assert not mesh.closed
    assert np.abs(mesh.vertices[:, :2]).max() < 1.0 + 2.0 * mixture.sigma
    assert np.abs(mesh.vertices[:, 2]).max() < 0.5 * mixture.sigma
    assert 4.0 < mesh.measures.sum() < (2.0 + 4.0 * mixture.sigma) ** 2
    normals = as_trimesh(mesh).face_normals
    assert np.mean(normals[:, 2] > 0) > 0.99


def test_free_space_on_both_sides_gives_a_closed_surface() -> None:
    mixture = svgm.fit_two_class(sphere(1500))
    mesh = svgm.surface(mixture)
    radii = np.linalg.norm(mesh.vertices, axis=1)
    assert mesh.closed
    assert np.abs(radii - 1).max() < 1.5 * mixture.sigma
    assert np.mean(radii < 1) == pytest.approx(0.5, abs=0.1)


@pytest.mark.parametrize(("factor", "shift"), [(1e3, 0.0), (1e-3, 0.0), (1.0, 1e6)])
@pytest.mark.parametrize("signed", [True, False])
def test_units_and_places_do_not_matter(factor: float, shift: float, signed: bool) -> None:
    points = torus(1500)
    mixture = svgm.fit_two_class(points, gamma=16, viewpoint=[0, 0, 9.0]) if signed else svgm.fit(points, gamma=16)
    moved = Mixture(factor * mixture.means + shift, factor**2 * mixture.variance, mixture.weights, mixture.bias)
    here, there = svgm.surface(mixture), svgm.surface(moved)
    # A node on the rim may round to the other side, hence not vertex by vertex.
    assert len(there.simplices) == pytest.approx(len(here.simplices), rel=1e-2)
    back = (there.vertices - shift) / factor
    assert np.allclose(
        np.quantile(back, [0, 0.1, 0.5, 0.9, 1], axis=0),
        np.quantile(here.vertices, [0, 0.1, 0.5, 0.9, 1], axis=0),
        atol=0.1 * mixture.sigma,
    )
    if not signed:
        assert len(there.simplices) == len(here.simplices)
        assert np.allclose(back, here.vertices, atol=1e-6 * mixture.sigma)


def test_same_input_same_mesh(ball: Mixture) -> None:
    first, second = svgm.surface(ball), svgm.surface(ball)
    assert np.array_equal(first.vertices, second.vertices)
    assert np.array_equal(first.simplices, second.simplices)


def test_a_finer_grid_is_nearer() -> None:
    mixture = Mixture([[0.0, 0.0, 0.0]], 1.0, [1.0], bias=1.0)
    errors = []
    for cell in (0.5, 0.25):
        mesh = svgm.surface(mixture, level=float(np.exp(-0.5)), cell=cell)
        assert as_trimesh(mesh).is_watertight
        errors.append(np.abs(np.linalg.norm(mesh.vertices, axis=1) - 1).max())
    assert errors[1] < 0.5 * errors[0] < 0.02


def test_a_large_scene_needs_no_large_grid() -> None:
    # A grid over both spheres would have 1e13 cells.
    far = np.vstack([sphere(600), sphere(600) + 2000.0])
    calls = []
    mesh = svgm.surface(svgm.fit(far, scale=0.2), progress=lambda phase, done, total: calls.append((done, total)))
    assert as_trimesh(mesh).body_count == 4
    assert calls[-1][0] == calls[-1][1] == len(calls) < 3000


def test_a_mixture_without_bias_is_measured_by_its_components() -> None:
    fitted = svgm.fit(ring(), gamma=16)
    bare = Mixture(fitted.means, fitted.variance, fitted.weights)
    a, b = svgm.surface(bare), svgm.surface(fitted)
    assert a.measures.sum() == pytest.approx(b.measures.sum(), rel=0.05)


def test_motion_moves_the_surface(ball: Mixture) -> None:
    T = exp([0.4, -1.0, 0.3, 5.0, 6.0, 7.0])
    mesh = svgm.surface(ball.transformed(T))
    assert mesh.closed
    assert np.abs(np.linalg.norm(mesh.vertices - T[:3, 3], axis=1) - 1).max() < 0.02 * ball.sigma


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"cell": 0.0}, r"^cell must be positive"),
        ({"cell": 1e-9}, r"^cell must leave at most"),
        ({"level": 0.0}, r"^level must be positive"),
        ({"level": float("nan")}, r"^level must be positive"),
        ({"level": 50.0}, r"^level 50.0 is reached nowhere"),
    ],
)
def test_bad_arguments_are_named(options: dict[str, float], match: str) -> None:
    with pytest.raises(InputError, match=match):
        svgm.surface(svgm.fit(ring(), gamma=16), **options)


def test_level_of_a_signed_mixture_must_be_finite(ball: Mixture) -> None:
    with pytest.raises(InputError, match=r"^level must be a finite number"):
        svgm.surface(ball, level=float("inf"))


def test_other_dimensions_have_no_surface() -> None:
    with pytest.raises(InputError, match=r"^mixture must be 2D or 3D"):
        svgm.surface(Mixture([[0.0]], 1.0, [1.0]))


def test_a_missing_scikit_image_is_one_line(monkeypatch: pytest.MonkeyPatch, ball: Mixture) -> None:
    monkeypatch.setitem(sys.modules, "skimage.measure", None)
    with pytest.raises(InputError, match=r'^surfaces need scikit-image: pip install "svgm\[mesh\]"'):
        svgm.surface(ball)


def test_full_covariances_have_no_surface() -> None:
    with pytest.raises(InputError, match=r"^mixture must be isotropic to have a surface"):
        svgm.surface(svgm.fit(ring(), gamma=16, covariance="full"))
