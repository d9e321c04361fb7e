"""The parts of the mapping benchmarks with a map that is made up: what they count, and what they say."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import svgm
from benchmarks.mapping import dragon, growth, hannover, lasers, workers
from benchmarks.mapping.__main__ import main
from benchmarks.mapping.child import Watched
from benchmarks.mapping.mapped import make_map
from benchmarks.speed.findings import Findings
from svgm.io.carmen import CarmenLog
from svgm.rigid import exp

Drive = tuple[list[np.ndarray], np.ndarray]

pytestmark = pytest.mark.usefixtures("fake_map")


@pytest.fixture
def in_this_process(monkeypatch: pytest.MonkeyPatch, drive_3d: Drive) -> None:
    """The outdoor drive is eight scans, and no process is started."""

    def here(scans: list[np.ndarray], *, during: Any = None, workers: Any = None, **options: Any) -> Watched:
        if during is not None:
            during.victim = 1
        return Watched(make_map(scans, **options), 50.0, 100.0 + len(scans), 90.0)

    for module in (hannover, growth, workers):
        monkeypatch.setattr(module, "hannover_paths", lambda: drive_3d[0])
        monkeypatch.setattr(module, "map_in_child", here)
    step = np.linalg.inv(drive_3d[1][0]) @ drive_3d[1][1]
    monkeypatch.setattr(hannover, "hannover_reference", lambda target, source: step)


def _spoil(monkeypatch: pytest.MonkeyPatch, scan: int, change: Any) -> None:
    right = svgm.map  # type: ignore[attr-defined]

    def wrong(*arguments: Any, **options: Any) -> SimpleNamespace:
        result = right(*arguments, **options)
        change(result, scan)
        return result

    monkeypatch.setattr(svgm, "map", wrong)


def test_dragon_is_whole_whatever_the_order_and_the_motions(monkeypatch: pytest.MonkeyPatch, drive_3d: Drive) -> None:
    monkeypatch.setattr(dragon, "dragon_scans", lambda: (drive_3d[0], list(drive_3d[1])))
    findings = Findings()
    found = dragon.run(findings, seed=3)
    assert all(check.met for check in findings.checks)
    assert [row["scan"] for row in found["rows"]] == [24 * k for k in range(8)]
    assert found["share of components"] == 1 / 8
    assert np.allclose(found["poses"], drive_3d[1])


def test_a_scan_left_out_of_the_dragon_misses_the_bars(monkeypatch: pytest.MonkeyPatch, drive_3d: Drive) -> None:
    def leave_out(result: SimpleNamespace, scan: int) -> None:
        result.poses[scan] = np.nan
        result.left_out[scan] = "nothing in common"

    _spoil(monkeypatch, 2, leave_out)
    monkeypatch.setattr(dragon, "dragon_scans", lambda: (drive_3d[0], list(drive_3d[1])))
    findings = Findings()
    dragon.run(findings, seed=3)
    assert [check.met for check in findings.checks] == [False, False, False, True]


def test_lasers_are_drawn_and_held_to_their_bars_only_when_whole(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, drive_2d: Drive
) -> None:
    pytest.importorskip("evo", reason="evo is not installed")
    scans, poses = drive_2d
    log = CarmenLog(tuple(scans), poses, None, np.arange(len(scans), dtype=float), 80.0)
    monkeypatch.setattr(lasers, "folder", lambda: tmp_path)
    monkeypatch.setattr(lasers, "read_carmen", lambda path: log)
    findings = Findings()
    found = lasers.run(findings, ["intel", "acapulco"], tmp_path, None)
    assert [(check.what, check.met) for check in findings.checks] == [("lasers, intel: ATE (m)", True)]
    assert found["acapulco"]["edges by kind"]["neighbour"]["right"] == 7
    assert (tmp_path / "acapulco.png").stat().st_size > 1000
    cut = Findings()
    assert lasers.run(cut, ["intel"], tmp_path, 5)["intel"]["scans"] == 5
    assert cut.checks == []


@pytest.mark.usefixtures("in_this_process")
def test_the_outdoor_drive_with_a_wrong_edge(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("evo", reason="evo is not installed")

    def turn_away(result: SimpleNamespace, edge: int) -> None:
        result.edges[edge].transformation = result.edges[edge].transformation @ exp([0.0, 0.0, 0.5, 0.0, 0.0, 0.0])

    _spoil(monkeypatch, 4, turn_away)
    monkeypatch.setattr(hannover, "SETTINGS", ())
    findings = Findings()
    found = hannover.run(findings, 8, ())
    assert (found["steps right"], found["steps lost"]) == (6, [4])
    assert [check.met for check in findings.checks] == [False, True]
    assert "lost: 5 - 6: neighbour, confidence 0.900, off by 0.500 rad" in capsys.readouterr().out
    # The trajectory does not follow that edge.
    assert found["trajectories"]["svgm.map"]["steps right"] == 7


@pytest.mark.usefixtures("in_this_process")
def test_workers_and_growth_compare(capsys: pytest.CaptureFixture[str]) -> None:
    findings = Findings()
    found = workers.run(findings, 4)
    assert found["differences"] == {"two workers": [], "one killed": []}
    assert capsys.readouterr().out.count("the same output, bit for bit") == 2
    grown = growth.run(findings, (4, 8))
    # (108 - 50) / 8 over (104 - 50) / 4
    assert grown["ratios"]["memory a scan (MB)"] == pytest.approx(58 / 8 / (54 / 4))


@pytest.mark.usefixtures("in_this_process")
def test_the_command_writes_its_figures(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, drive_3d: Drive) -> None:
    monkeypatch.setattr(dragon, "dragon_scans", lambda: (drive_3d[0], list(drive_3d[1])))
    file = tmp_path / "figures.json"
    done = CliRunner().invoke(main, ["dragon", "dask", "--dask-scans", "3", "--json", str(file)])
    assert done.exit_code == 0, done.output
    written = json.loads(file.read_text())
    assert {"commit", "machine", "dragon", "dask"} <= set(written["details"])
    assert len(written["checks"]) == 8
    assert CliRunner().invoke(main, []).exit_code != 0
