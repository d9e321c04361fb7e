"""A short attack: nothing is found; and the attack itself sees what it must see."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from fuzz.__main__ import make_case
from fuzz.calls import targets
from fuzz.case import Case
from fuzz.values import Values
from fuzz.worker import Worker

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="the limits of time and memory are those of Linux")


@LINUX
def test_a_short_attack_finds_nothing(tmp_path: Path) -> None:
    options = ["--cases", "2500", "--seed", "2015", "--output", str(tmp_path)]
    run = subprocess.run([sys.executable, "-m", "fuzz", *options], capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr


@LINUX
def test_what_counts_as_a_finding() -> None:
    calls = {
        "svgm.fit(cloud('plain', 2, 20, 0))": "answered",
        "svgm.fit(3)": "refused",
        "1 / 0": "ZeroDivisionError",
        "np.log(np.zeros(1))": "RuntimeWarning",
        "np.array([nan])": "Broken",
        "np.ones(10**9)": "MemoryError",
        "np.random.default_rng()": "answered",
        "np.random.default_rng().random()": "Broken",
        "__import__('os').abort()": "died",
        "all(True for _ in iter(int, 1))": "too slow",
        "svgm.fit(b'x')": "refused",
    }
    with Worker(seconds=1.0) as worker:
        assert {call: worker.run(Case("call", "", call, twice=True)).kind for call in calls} == calls


def test_every_parameter_of_what_is_public_has_valid_values() -> None:
    values = Values(np.random.default_rng(0))
    for target in targets():
        for parameter in target.parameters or ():
            assert values.valid(target.path, parameter.name)


def test_a_case_is_made_of_its_seed_and_number_and_survives_a_file() -> None:
    for number in range(40):
        case = make_case(1, number)
        assert make_case(1, number) == case
        assert Case.from_json(case.to_json()) == case
    assert make_case(2, 0) != make_case(1, 0)
