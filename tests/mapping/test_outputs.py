"""The files of a map, as other programs read them."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import numpy as np
import pytest
from evo.tools import file_interface

import svgm
from svgm import FileError, MapResult, Mixture
from svgm.mapping.outputs import FILES, OutputError, check_folder, write_map
from svgm.mapping.tuning import MAP_TUNING
from svgm.rigid import apply
from tests.mapping.edges import size
from tests.mapping.scenes import room_loop

Written = tuple[MapResult, Path]


@pytest.fixture(scope="module", params=["all", "one left out"])
def written(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Written:
    """A map in a folder that was not there, of files; one may be damaged."""
    folder = tmp_path_factory.mktemp("outputs")
    paths = [folder / f"{number}.csv" for number in range(12)]
    for path, points in zip(paths, room_loop(40)[0], strict=False):
        svgm.write_points(path, points)
    if request.param == "one left out":
        paths[5].write_text("1,2,3,4\nwords\n")
    output = folder / "deep" / "map"
    return svgm.map(paths, output=output), output


def strict(path: Path) -> dict:
    def refuse(word: str) -> None:
        raise ValueError(word)

    return json.loads(path.read_text(encoding="utf-8"), parse_constant=refuse)


def there(result: MapResult) -> np.ndarray:
    return np.flatnonzero(np.isfinite(result.poses).all(axis=(1, 2)))


def test_all_files_are_there(written: Written) -> None:
    _, folder = written
    assert {path.name for path in folder.iterdir()} == {*FILES, "work"}
    assert not [path for path in folder.rglob("*") if path.name.startswith((".", "tmp"))]


def test_evo_reads_the_trajectories(written: Written) -> None:
    result, folder = written
    numbers = there(result)
    tum = file_interface.read_tum_trajectory_file(folder / "trajectory_tum.txt")
    assert tum.timestamps.tolist() == numbers.tolist()
    assert np.allclose(tum.positions_xyz[:, :2], result.poses[numbers, :2, 2], atol=1e-12)
    assert tum.check()[0]
    if len(numbers) == len(result.poses):
        kitti = file_interface.read_kitti_poses_file(folder / "trajectory_kitti.txt")
        assert kitti.check()[0]
        assert np.allclose([pose[:2, 3] for pose in kitti.poses_se3], result.poses[:, :2, 2], atol=1e-12)


def test_gtsam_reads_the_graph(written: Written) -> None:
    result, folder = written
    import gtsam

    graph, values = gtsam.readG2o(str(folder / "graph.g2o"), False)
    assert values.size() == len(there(result))
    assert graph.size() == len(result.edges)
    for number in there(result):
        assert np.allclose(values.atPose2(int(number)).matrix(), result.poses[number], atol=1e-9)
    first = graph.at(0)
    assert list(first.keys()) == [result.edges[0].target, result.edges[0].source]
    assert np.allclose(first.measured().matrix(), result.edges[0].transformation, atol=1e-9)


def test_the_mixture_and_the_cloud(written: Written) -> None:
    result, folder = written
    assert Mixture.load(folder / "map.npz") == result.mixture
    cloud = svgm.read_points(folder / "cloud.ply")
    moved = [apply(result.poses[number], room_loop(40)[0][number]) for number in there(result)]
    assert len(cloud) < sum(map(len, moved))
    assert np.allclose(cloud.min(axis=0), np.vstack(moved).min(axis=0), atol=result.sigma)
    assert np.allclose(cloud.max(axis=0), np.vstack(moved).max(axis=0), atol=result.sigma)


def test_the_record(written: Written) -> None:
    result, folder = written
    record = strict(folder / "record.json")
    assert record["svgm"] == svgm.__version__
    assert len(record["sources"]) == record["scans"] == 12
    assert record["sources"][3].endswith("3.csv")
    assert (
        record["settings"].items()
        >= {"order": "sequence", "nu": 0.01, "detail": 1.0, "links_back": MAP_TUNING.links_back}.items()
    )
    assert record["settings"]["sigma"] == record["sigma"]
    assert record["seconds"].keys() >= {"fitting and linking", "graph", "merging"}
    assert all(seconds >= 0 for seconds in record["seconds"].values())
    assert record["left_out"] == {str(number): why for number, why in result.left_out.items()}
    assert record["components"] == len(result.mixture) < record["components_of_scans"]
    assert len(record["edges"]) == len(result.edges)
    for edge in record["edges"]:
        assert 0.0 <= edge["confidence"] <= 1.0
        assert edge["kind"] in ("neighbour", "model", "loop", "weak")
        assert np.shape(edge["transformation"]) == (3, 3)
    assert all(edge["why"] for edge in record["rejected"])


def test_rejected_edges_have_reasons(tmp_path: Path) -> None:
    scans = room_loop(40)[0]
    alien = np.random.default_rng(0).uniform(0.0, 5.0, (120, 2))
    svgm.map([*scans[:2], alien], output=tmp_path)
    rejected = strict(tmp_path / "record.json")["rejected"]
    assert rejected
    assert {edge["source"] for edge in rejected} == {2}
    assert any(edge["why"].startswith("its confidence") for edge in rejected)
    assert all(edge["why"].startswith(("its confidence", "it contradicts the others by")) for edge in rejected)


@pytest.mark.parametrize("d", [2, 3])
def test_a_single_scan(d: int, tmp_path: Path, rng: np.random.Generator) -> None:
    svgm.map([rng.normal(size=(40, d))], output=tmp_path)
    assert {path.name for path in tmp_path.iterdir()} >= FILES.keys()
    assert strict(tmp_path / "record.json")["edges"] == []
    assert size(d) == (3 if d == 2 else 6)


def test_a_file_in_the_way_is_seen_before_the_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("svgm.mapping.pipeline.run_first_pass", lambda *rest: pytest.fail("has begun to work"))
    (tmp_path / "file").write_text("mine")
    scans = room_loop(40)[0][:2]
    with pytest.raises(FileError, match=r"file: is a file, not a folder$"):
        svgm.map(scans, output=tmp_path / "file")
    with pytest.raises(FileError, match=r"cannot be made, .*file is a file$"):
        svgm.map(scans, output=tmp_path / "file" / "below" / "it")
    with pytest.raises(FileError, match=r"^x+ \.\.\. x+: cannot be made \(File name too long\)$") as caught:
        svgm.map(scans, output="x" * 1000)
    assert len(str(caught.value)) < 300
    monkeypatch.setattr("os.access", lambda *rest: False)
    with pytest.raises(FileError, match=r"cannot be written to, .* is not writable$"):
        svgm.map(scans, output=str(tmp_path / "new"))
    assert (tmp_path / "file").read_text() == "mine"
    assert len(list(tmp_path.iterdir())) == 1


def test_nothing_is_left_behind_by_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(svgm.InputError):
        svgm.map([np.empty((0, 2))], output=tmp_path / "map")
    assert not (tmp_path / "map").exists()


def test_folders_that_will_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for folder in (tmp_path, tmp_path / "new" / "below", Path("new"), Path()):
        check_folder(folder)


def test_written_again_over_the_old(written: Written, tmp_path: Path) -> None:
    result, folder = written
    sources = [folder.parents[1] / f"{number}.csv" for number in range(12)]
    for _ in range(2):
        assert [path.name for path in write_map(result, sources, tmp_path)] == list(FILES)
    for name in FILES:
        assert (tmp_path / name).read_bytes() == (folder / name).read_bytes()


@pytest.mark.parametrize("name", list(FILES))
def test_one_that_fails_does_not_take_the_others_with_it(written: Written, name: str, tmp_path: Path) -> None:
    result, folder = written
    sources = [folder.parents[1] / f"{number}.csv" for number in range(12)]
    (tmp_path / name).mkdir()  # in the way
    with pytest.raises(OutputError, match=rf"{name}: is a folder, not a file$") as caught:
        write_map(result, sources, tmp_path)
    assert caught.value.result is result
    assert len(caught.value.reasons) == 1
    for other in FILES.keys() - {name}:
        assert (tmp_path / other).read_bytes() == (folder / other).read_bytes()


def test_all_that_fail_are_named(written: Written, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result, folder = written
    sources = [folder.parents[1] / f"{number}.csv" for number in range(12)]

    def unforeseen(*rest: object) -> None:
        raise KeyError("two\nlines")

    monkeypatch.setattr("svgm.mapping.outputs.write_kitti", unforeseen)
    monkeypatch.setattr("svgm.mapping.outputs.aligned_cloud", unforeseen)
    with pytest.raises(OutputError) as caught:
        write_map(result, sources, tmp_path)
    names = [str(tmp_path / name) for name in ("trajectory_kitti.txt", "cloud.ply")]
    assert [line.split(": ")[0] for line in caught.value.reasons] == names
    assert "\n" not in str(caught.value)
    assert {path.name for path in tmp_path.iterdir()} == FILES.keys() - {"trajectory_kitti.txt", "cloud.ply"}
    again = pickle.loads(pickle.dumps(OutputError(caught.value.reasons, None)))
    assert again.reasons == caught.value.reasons
