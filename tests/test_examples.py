"""Every example runs and leaves one picture that is not blank, and perhaps a page."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.forked import Forks

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*.py"))

#: Every warning is an error, but for one that is not ours: skimage sets shapes, which numpy 2.5 deprecates.
RUN = """
import runpy, sys, warnings
warnings.simplefilter("error")
warnings.filterwarnings("ignore", category=DeprecationWarning, module="skimage.measure._marching_cubes_lewiner")
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_example_draws_its_picture(forks: Forks, example: Path, tmp_path: Path) -> None:
    imread = pytest.importorskip("matplotlib.image").imread
    folder = tmp_path / "pictures"
    outcome = forks.run(RUN, example, folder, cwd=tmp_path)
    assert outcome.returncode == 0, outcome.stderr
    # A page beside the picture, where the example is of one.
    assert {path.name for path in folder.iterdir()} - {f"{example.stem}.html"} == {f"{example.stem}.png"}
    assert np.asarray(imread(folder / f"{example.stem}.png"))[..., :3].std() > 0.05


def test_there_are_examples():
    assert len(EXAMPLES) >= 5
