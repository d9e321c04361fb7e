"""`svgm doctor`: what it prints, and its self-test."""

from __future__ import annotations

import json

import pytest

import svgm
from svgm.cli.commands import doctor


def test_what_it_prints(run):
    outcome = run("doctor")
    assert outcome.exit_code == 0, outcome.output
    for line in ("svgm ", "Python ", "packages ", "instruction set ", "threads ", "extra io ", "self-test"):
        assert line in outcome.stdout
    assert "passed" in outcome.stdout


def test_json(run):
    found = json.loads(run("doctor", "--json").stdout)
    assert found["version"] == svgm.__version__
    assert found["instruction_set"] in found["instruction_sets"]
    assert found["self_test"]["passed"]
    assert set(found["extras"]) == set(doctor.EXTRAS)
    assert found["packages"]["numpy"]


def test_a_wrong_answer_fails(run, monkeypatch):
    monkeypatch.setattr(doctor, "MOST_DEGREES", 0.0)
    outcome = run("doctor")
    assert outcome.exit_code == 1
    assert "FAILED" in outcome.stdout


def test_what_is_missing_is_said():
    line = doctor._found("io", {"laspy": "2.5", "pye57": None})
    assert line == 'laspy 2.5; pye57 missing: pip install "svgm[io]"'
    assert doctor._found("io", {"laspy": "2.5"}) == "laspy 2.5"
    assert doctor.installed("numpy")
    with pytest.raises(TypeError):
        doctor.SelfTest()
