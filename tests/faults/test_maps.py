"""Maps that are interrupted anywhere, shared, spoiled or starved: the same files in the end, or one line."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import svgm
from svgm.mapping.outputs import FILES
from tests.forked import Forks
from tests.mapping.scenes import room_loop

HERE = Path(__file__).parent

#: Seconds after which a command hangs, on however busy a machine.
LIMIT = 600

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals and limits of POSIX")


Run = Callable[..., "subprocess.CompletedProcess[str]"]


def arguments(drive: Path, output: Path, moment: int = 0, way: str = "") -> list[object]:
    return [moment, way, "map", drive, "-o", output, "-q"]


@pytest.fixture(scope="module")
def run(forks: Forks) -> Run:
    program = (HERE / "killed_map.py").read_text(encoding="utf-8")
    return lambda *values, **options: forks.run(program, *arguments(*values), **options)


def content(output: Path) -> dict[str, bytes]:
    """Every file of a map, bit for bit; of the record all but the times."""
    found = {name: (output / name).read_bytes() for name in FILES}
    record = json.loads(found["record.json"])
    del record["seconds"]
    return {**found, "record.json": json.dumps(record).encode()}


@pytest.fixture(scope="module")
def drive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files of scans, two segments of them."""
    folder = tmp_path_factory.mktemp("drive")
    for number, points in enumerate(room_loop(40)[0][:13]):
        np.save(folder / f"{number}.npy", points)
    return folder


@pytest.fixture(scope="module")
def whole(run: Run, drive: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, bytes], int, Path]:
    """The files of an uninterrupted run, how many it put in place, and its folder."""
    output = tmp_path_factory.mktemp("whole") / "map"
    outcome = run(drive, output)
    assert outcome.returncode == 0, outcome.stderr
    return content(output), int(outcome.stdout.split()[-1]), output


Whole = tuple[dict[str, bytes], int, Path]


def test_killed_again_and_again_it_goes_on_to_the_same_files(
    run: Run, drive: Path, whole: Whole, tmp_path: Path
) -> None:
    expected, count, _ = whole
    rng = np.random.default_rng(15)
    output = tmp_path / "map"
    for way in ("writing", "before", "after", "before"):
        outcome = run(drive, output, int(rng.integers(1, max(2, count // 4))), way)  # counted anew in each run
        assert outcome.returncode == -signal.SIGKILL, outcome.stderr
    outcome = run(drive, output)
    assert outcome.returncode == 0, outcome.stderr
    assert content(output) == expected


@pytest.mark.parametrize("last", range(len(FILES)))
def test_killed_while_the_map_is_written(run: Run, drive: Path, whole: Whole, last: int, tmp_path: Path) -> None:
    """Each file is the old one or the new one, whole; the results are there, so the rest takes no time."""
    expected, _, finished = whole
    output = tmp_path / "map"
    shutil.copytree(finished / "work", output / "work")
    outcome = run(drive, output, last + 1, "before")
    assert outcome.returncode == -signal.SIGKILL, outcome.stderr
    assert {path.name for path in output.iterdir() if not path.name.startswith(".")} == {"work", *list(FILES)[:last]}
    outcome = run(drive, output)
    assert outcome.returncode == 0, outcome.stderr
    assert content(output) == expected


def test_two_at_a_time_on_one_folder(drive: Path, whole: Whole, tmp_path: Path) -> None:
    """Tasks are pure and files appear whole, so neither can spoil the other's work."""
    output = tmp_path / "map"
    command = [sys.executable, str(HERE / "killed_map.py"), *map(str, arguments(drive, output))]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    for process in both:
        _, errors = process.communicate(timeout=LIMIT)
        assert process.returncode == 0, errors
    assert content(output) == whole[0]


def spoiled(path: Path, way: int, other: bytes) -> None:
    """Leave something else in the place of a file."""
    data = path.read_bytes()
    middle = len(data) // 2
    replacements = [
        b"",
        data[:middle],
        data[:-1],
        b"no archive",
        other,
        data[:middle] + b"\x55" * 64 + data[middle + 64 :],
    ]
    path.write_bytes(replacements[way % len(replacements)])


def test_a_spoiled_folder_of_results_costs_time_and_nothing_else(
    run: Run, drive: Path, whole: Whole, tmp_path: Path
) -> None:
    expected, _, finished = whole
    output = tmp_path / "map"
    shutil.copytree(finished / "work", output / "work")
    results = sorted((output / "work").iterdir())
    contents = [path.read_bytes() for path in results]
    for way, path in enumerate(results):
        spoiled(path, way, contents[way - 1])
    (output / "work" / "notes.txt").write_text("not ours")
    (output / "work" / "folder").mkdir()
    outcome = run(drive, output)
    assert (outcome.returncode, outcome.stderr) == (0, "")
    assert content(output) == expected
    assert sorted(path.read_bytes() for path in results) == sorted(contents)


@pytest.mark.parametrize("largest", [2_000, 12_000, 20_000])
def test_no_room_for_files(run: Run, drive: Path, whole: Whole, largest: int, tmp_path: Path) -> None:
    """Files cannot grow beyond a size: a line for each that fails, and what was done is there for the next run."""
    output = tmp_path / "map"
    if largest > 2_000:  # results are there, the map is not
        shutil.copytree(whole[2] / "work", output / "work")
    outcome = run(drive, output, limits={"RLIMIT_FSIZE": largest})
    lines = outcome.stderr.splitlines()
    assert outcome.returncode == 1
    assert lines
    assert all(line.startswith(f"svgm: error: {output}") for line in lines)
    assert "File too large" in lines[0]
    left = {path.name: path.read_bytes() for path in output.iterdir() if path.is_file()}
    assert left.keys() <= {*FILES, "map.png"}
    assert all(left[name] == whole[0][name] for name in FILES.keys() & left.keys() - {"record.json"})
    outcome = run(drive, output)
    assert outcome.returncode == 0, outcome.stderr
    assert content(output) == whole[0]


def test_workers_that_are_killed_and_a_scan_that_kills_them(drive: Path, tmp_path: Path) -> None:
    import dask
    import distributed  # noqa: F401  (its settings must be there before one of them is set for a while)

    paths = [drive / f"{number}.npy" for number in range(5)]
    there = svgm.map([*paths[:2], np.empty((0, 2)), *paths[2:]])
    unlucky, deadly = tmp_path / "unlucky.npy", tmp_path / "deadly.npy"
    for path in (unlucky, deadly):
        shutil.copy(paths[1], path)
    with dask.config.set({"distributed.worker.preload": [str(HERE / "preload.py")]}):
        result = svgm.map([paths[0], unlucky, deadly, *paths[2:]], workers=2)
    assert unlucky.with_suffix(".seen").exists()
    assert list(result.left_out) == [2]
    assert result.left_out[2].startswith(f"{deadly}: reading it kills the worker")
    assert result.poses.tobytes() == there.poses.tobytes()
    assert result.mixture == there.mixture
