"""Every example runs and leaves one picture that is not blank, and perhaps a page."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.waiting import PATIENCE

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*.py"))

#: It sets shapes, which numpy 2.5 deprecates.
NOT_OURS = "ignore::DeprecationWarning:skimage.measure._marching_cubes_lewiner"


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_example_draws_its_picture(example, tmp_path):
    imread = pytest.importorskip("matplotlib.image").imread
    folder = tmp_path / "pictures"
    outcome = subprocess.run(
        [sys.executable, "-W", "error", "-W", NOT_OURS, str(example), str(folder)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert outcome.returncode == 0, outcome.stderr
    # A page beside the picture, where the example is of one.
    assert {path.name for path in folder.iterdir()} - {f"{example.stem}.html"} == {f"{example.stem}.png"}
    assert np.asarray(imread(folder / f"{example.stem}.png"))[..., :3].std() > 0.05


def test_there_are_examples():
    assert len(EXAMPLES) >= 5
