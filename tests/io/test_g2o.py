"""Pose graphs: round trips, damaged files, and gtsam as the other reader."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from svgm.checks.errors import FileError
from svgm.io.g2o import G2oEdge, read_g2o, write_g2o
from svgm.rigid import exp, invert


def graph(d: int, count: int = 6) -> tuple[np.ndarray, list[G2oEdge]]:
    rng = np.random.default_rng(d)
    size = d * (d + 1) // 2
    poses = exp(rng.normal(size=(count, size)))
    edges = []
    for source, target in [(k + 1, k) for k in range(count - 1)] + [(count - 1, 0), (1, 3)]:
        root = rng.normal(size=(size, size))
        motion = invert(poses[target]) @ poses[source] @ exp(0.1 * rng.normal(size=size))
        edges.append(G2oEdge(source, target, motion, root @ root.T + np.eye(size)))
    return poses, edges


@pytest.mark.parametrize("d", [2, 3])
def test_round_trip(tmp_path: Path, d: int) -> None:
    poses, edges = graph(d)
    poses[2] = np.nan
    edges = [edge for edge in edges if 2 not in (edge.source, edge.target)]
    write_g2o(tmp_path / "a.g2o", poses, edges)
    got, got_edges = read_g2o(tmp_path / "a.g2o")
    assert list(got) == [0, 1, 3, 4, 5]
    for i, T in got.items():
        assert np.allclose(T, poses[i], rtol=0, atol=1e-13)
    for edge, same in zip(edges, got_edges, strict=True):
        assert (edge.source, edge.target) == (same.source, same.target)
        assert np.allclose(edge.transformation, same.transformation, rtol=0, atol=1e-13)
        assert np.array_equal(np.triu(edge.information), np.triu(same.information))
        assert np.array_equal(same.information, same.information.T)
    assert "FIX 0\n" in (tmp_path / "a.g2o").read_text()
    write_g2o(tmp_path / "b.g2o", poses, edges, fix=False)
    assert "FIX" not in (tmp_path / "b.g2o").read_text()


def test_the_first_pose_that_is_there_is_fixed(tmp_path: Path) -> None:
    poses, edges = graph(3)
    poses[0] = np.nan
    write_g2o(tmp_path / "a.g2o", poses, edges[1:3])
    assert "FIX 1\n" in (tmp_path / "a.g2o").read_text()


@pytest.mark.parametrize("d", [2, 3])
def test_gtsam_reads_the_same_graph(tmp_path: Path, d: int) -> None:
    gtsam = pytest.importorskip("gtsam")
    poses, edges = graph(d)
    write_g2o(tmp_path / "a.g2o", poses, edges)
    factors, values = gtsam.readG2o(str(tmp_path / "a.g2o"), d == 3)
    assert values.size() == len(poses)
    assert factors.size() == len(edges)
    for i, T in enumerate(poses):
        got = values.atPose3(i) if d == 3 else values.atPose2(i)
        assert np.allclose(got.matrix(), T, rtol=0, atol=1e-12)
    # gtsam's tangent vector is (rotation, translation) in 3D and (x, y, theta) in 2D.
    order = [1, 2, 0] if d == 2 else list(range(6))
    for k, edge in enumerate(edges):
        factor = factors.at(k)
        assert list(factor.keys()) == [edge.target, edge.source]
        assert np.allclose(factor.measured().matrix(), edge.transformation, rtol=0, atol=1e-12)
        information = factor.noiseModel().information()
        assert np.allclose(information, edge.information[np.ix_(order, order)], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("d", [2, 3])
def test_gtsam_means_the_same_by_the_information(tmp_path: Path, d: int) -> None:
    """The squared error of a pose off by xi is xiᵀ information xi, to first order."""
    gtsam = pytest.importorskip("gtsam")
    poses, edges = graph(d)
    write_g2o(tmp_path / "a.g2o", poses, edges[:1])
    factors, _ = gtsam.readG2o(str(tmp_path / "a.g2o"), d == 3)
    xi = 1e-5 * np.random.default_rng(0).normal(size=d * (d + 1) // 2)
    edge, kind = edges[0], gtsam.Pose3 if d == 3 else gtsam.Pose2
    values = gtsam.Values()
    for number, T in ((edge.target, np.eye(d + 1)), (edge.source, edge.transformation @ exp(xi))):
        pose = kind(T) if d == 3 else kind(T[0, 2], T[1, 2], np.arctan2(T[1, 0], T[0, 0]))
        values.insert(number, pose)
    assert 2.0 * factors.at(0).error(values) == pytest.approx(xi @ edge.information @ xi, rel=1e-3)


@pytest.mark.parametrize("d", [2, 3])
def test_we_read_what_gtsam_writes(tmp_path: Path, d: int) -> None:
    gtsam = pytest.importorskip("gtsam")
    poses, edges = graph(d)
    write_g2o(tmp_path / "a.g2o", poses, edges)
    gtsam.writeG2o(*gtsam.readG2o(str(tmp_path / "a.g2o"), d == 3), str(tmp_path / "b.g2o"))
    got, got_edges = read_g2o(tmp_path / "b.g2o")
    # gtsam writes six digits.
    assert all(np.allclose(got[i], poses[i], atol=1e-4) for i in range(len(poses)))
    for edge, same in zip(edges, got_edges, strict=True):
        assert (edge.source, edge.target) == (same.source, same.target)
        assert np.allclose(edge.information, same.information, rtol=1e-4, atol=1e-4)


DAMAGED = {
    "": "is empty",
    "# nothing\nFIX 0\n": "holds no poses and no edges",
    "VERTEX_XY 0 1 2\n": "line 1, 'VERTEX_XY' is none of VERTEX_SE2",
    "VERTEX_SE2 0 1 2\n": "line 1 must have 4 numbers after its name, it has 3",
    "VERTEX_SE2 0.5 1 2 3\n": "line 1, '0.5' is not a whole number",
    "VERTEX_SE2 0 1 2 x\n": "line 1, 'x' is not a number",
    "VERTEX_SE2 0 1 2 inf\n": "line 1 must be finite",
    "VERTEX_SE2 0 1 2 3\n\nVERTEX_SE2 0 1 2 3\n": "line 3, vertex 0 is declared twice",
    "VERTEX_SE2 0 1 2 3\nVERTEX_SE3:QUAT 1 0 0 0 0 0 0 1\n": "line 2, a graph must hold 2D poses or 3D poses",
    "VERTEX_SE3:QUAT 1 0 0 0 0 0 0 0\n": "the quaternion must have length 1, its length is 0",
    "EDGE_SE2 0 1 0 0 0 1 0 0 1 0\n": "line 1 must have 11 numbers",
}


@pytest.mark.parametrize(("text", "message"), DAMAGED.items())
def test_damaged_files(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "a.g2o"
    path.write_text(text)
    with pytest.raises(FileError, match=message) as caught:
        read_g2o(path)
    assert "\n" not in str(caught.value)


def test_refused_graphs_leave_no_file(tmp_path: Path) -> None:
    poses, edges = graph(2)
    good = edges[0]
    poses[4] = np.nan
    motion, information = good.transformation, good.information
    cases = {
        "one joins 9 and 0": G2oEdge(9, 0, motion, information),
        "one joins 4 and 0": G2oEdge(4, 0, motion, information),
        "one joins 1 and 1": G2oEdge(1, 1, motion, information),
        "finite 3x3 matrix": G2oEdge(1, 0, np.eye(4), information),
        "must hold a rotation": G2oEdge(1, 0, np.diag([1.0, 2.0, 1.0]), information),
        "finite 3x3 information": G2oEdge(1, 0, motion, np.eye(6)),
        "symmetric information": G2oEdge(1, 0, motion, information + np.triu(np.ones((3, 3)), 1)),
    }
    for message, edge in cases.items():
        with pytest.raises(FileError, match=message):
            write_g2o(tmp_path / "a.g2o", poses, [edge])
    assert not list(tmp_path.iterdir())
