"""Results in files: the same after a round trip, and one line for a file that is something else."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import svgm
from svgm import FileError, InputError, RegistrationResult
from svgm.rigid import apply, exp


@pytest.fixture(scope="module", params=["local", "global", "certified"])
def result(request: pytest.FixtureRequest, curve: np.ndarray) -> RegistrationResult:
    source = apply(exp([0.3, 0.2, -0.1]), curve)
    return svgm.register(source, curve, search=request.param, gamma=3.0 if request.param == "certified" else None)


def test_an_archive_holds_everything(result: RegistrationResult, tmp_path: Path) -> None:
    result.save(tmp_path / "result.npz")
    loaded = RegistrationResult.load(tmp_path / "result.npz")
    assert loaded == result
    assert loaded.mixtures == result.mixtures
    assert [stage.mixtures for stage in loaded.stages] == [stage.mixtures for stage in result.stages]
    assert loaded.merged() == result.merged()


def test_json_holds_all_but_the_mixtures(result: RegistrationResult, tmp_path: Path) -> None:
    result.save(tmp_path / "result.json")
    loaded = RegistrationResult.load(tmp_path / "result.json")
    assert loaded == result
    assert loaded.mixtures is None
    with pytest.raises(InputError, match=r"^merged needs the mixtures"):
        loaded.merged()


@pytest.mark.parametrize(
    "name", ["other.json", "other.npz", "mixture.npz", "result.txt", "missing.npz", "missing.json"]
)
def test_other_files_are_one_line(name: str, curve: np.ndarray, tmp_path: Path) -> None:
    (tmp_path / "other.json").write_text('{"transformation": 3}', encoding="utf-8")
    (tmp_path / "other.npz").write_bytes(b"PK but nothing more")
    svgm.fit(curve).save(tmp_path / "mixture.npz")
    with pytest.raises(FileError) as caught:
        RegistrationResult.load(tmp_path / name)
    assert "\n" not in str(caught.value)
    assert name in str(caught.value)


@pytest.mark.parametrize(
    ("name", "value"), [("transformation", [[float("nan")] * 3] * 3), ("central_covariance", [[1.0]])]
)
def test_numbers_that_are_no_pose_are_one_line(name: str, value: object, curve: np.ndarray, tmp_path: Path) -> None:
    plain = {**svgm.register(curve, curve, search="local").as_dict(), name: value}
    (tmp_path / "result.json").write_text(json.dumps(plain), encoding="utf-8")
    with pytest.raises(FileError, match=name):
        RegistrationResult.load(tmp_path / "result.json")


def test_what_is_merged_is_what_was_seen(curve: np.ndarray) -> None:
    """The way from a registration to a merged mixture needs neither the points nor a scale."""
    truth = exp([0.3, 0.2, -0.1])
    result = svgm.register(curve[:80], apply(truth, curve[40:]))
    merged = result.merged()
    assert result.mixtures is not None
    assert len(merged) < sum(map(len, result.mixtures))
    assert merged.decision(apply(truth, curve)).min() > -0.5 * merged.bias
