"""The types of the package as a user's script meets them: `mypy --strict` on a script outside the project."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import svgm

PACKAGE = Path(svgm.__file__).parent

RIGHT = """
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from typing_extensions import assert_type

import svgm

points = np.zeros((9, 2))
assert_type(svgm.fit(points), svgm.Mixture)
assert_type(svgm.fit([[0.0, 1.0]], like=svgm.fit(Path("a.ply")), weights=[1]), svgm.Mixture)
assert_type(svgm.fit(points).density([[0.0, 1.0]], threads=2), NDArray[np.float64])
assert_type(svgm.Mixture([[0.0, 1.0]], 1, [1.0]).sigma, float)
assert_type(svgm.register(points, "b.ply"), svgm.RegistrationResult)
assert_type(svgm.register(points, points).transformation, NDArray[np.float64])
assert_type(svgm.rigid.apply([[1, 0, 0], [0, 1, 0], [0, 0, 1]], points), NDArray[np.float64])
assert_type(svgm.surface(svgm.fit(points)), svgm.Mesh)
assert_type(svgm.datasets.butterfly(9), NDArray[np.float64])
assert_type(svgm.io.read_points("a.ply"), NDArray[np.float64])
svgm.view.fitted
"""

#: Each of these lines is an error.
WRONG = """
svgm.fit(points, nu="a")
svgm.fit(points, 0.1)
svgm.fit(points, sigma=1.0)
svgm.fit(3j, like=points)
svgm.merge(points, points)
svgm.register(points)
svgm.nothing
svgm.view.nothing
"""


@pytest.fixture(scope="module")
def messages(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What mypy says of both scripts in one run.

    It takes about 15 s of CPU time: mypy reads the types of numpy and all modules of the package, without a cache of
    earlier runs, because a cache could hide a missing type.
    """
    pytest.importorskip("mypy")
    folder = tmp_path_factory.mktemp("script")
    (folder / "script.py").write_text(RIGHT + WRONG, encoding="utf-8")
    installed = PACKAGE.parent.name == "site-packages"
    run = subprocess.run(
        # `silent`: errors in svgm itself, which is not installed in a checkout, are not a user's.
        [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "--no-error-summary", "script.py"],
        cwd=folder,
        env=os.environ | ({} if installed else {"MYPYPATH": str(PACKAGE.parent)}),
        capture_output=True,
        text=True,
        check=False,
    )
    assert not run.stderr, run.stderr
    return run.stdout.splitlines()


def test_types_are_shipped() -> None:
    assert (PACKAGE / "py.typed").is_file()
    assert (PACKAGE / "_core" / "_native.pyi").is_file()


def test_right_calls_have_their_types(messages: list[str]) -> None:
    last = len(RIGHT.splitlines())
    assert [line for line in messages if int(line.split(":")[1]) <= last] == []


def test_wrong_calls_are_errors(messages: list[str]) -> None:
    first = len(RIGHT.splitlines()) + 2
    wrong = {int(line.split(":")[1]) for line in messages if ": error:" in line}
    assert wrong == set(range(first, first + len(WRONG.split("\n")) - 2))
