"""The Axes of pictures: the caller's or new ones; files only if asked; shown in notebooks, and no state elsewhere."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import svgm
from svgm import datasets, view

pytest.importorskip("matplotlib")

POINTS = datasets.butterfly(150, seed=1)
MIXTURE = svgm.fit(POINTS, gamma=4)
RESULT = svgm.register(POINTS + 0.5, POINTS)
BENT = svgm.register(POINTS, POINTS + 0.1 * np.sin(POINTS[:, ::-1]), transform="nonrigid", search="local")


def new_axes(width: float = 8.0, height: float = 6.0, **options):
    """Axes of a figure without pyplot."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height)).add_subplot(**options)


PICTURES = {
    "fitted": (lambda **k: view.fitted(MIXTURE, **k), 0),
    "fitted with points": (lambda **k: view.fitted(MIXTURE, POINTS, **k), 3),
    "registration": (lambda **k: view.registration(POINTS + 0.5, POINTS, RESULT, **k), 2),
    "deformation": (lambda **k: view.deformation(POINTS, POINTS, BENT, **k), 2),
    "candidates": (lambda **k: view.candidates(POINTS + 0.5, POINTS, RESULT, **k), 1 + len(RESULT.alternatives[:3])),
    "decision": (lambda **k: view.decision([("a", MIXTURE)], POINTS, **k), 0),
    "densities": (lambda **k: view.densities([[("a", MIXTURE)], [("b", POINTS), ("c", MIXTURE)]], **k), 3),
    "figure1": (lambda **k: view.figure1((POINTS, MIXTURE), (POINTS, MIXTURE), np.eye(3), MIXTURE, **k), 9),
    "mesh": (lambda **k: view.mesh([("a", POINTS), ("b", svgm.Mesh(POINTS, [[0, 1]]))], **k), 2),
}


@pytest.mark.parametrize("name", PICTURES)
def test_axes_are_the_callers_or_new_ones(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    draw, panels = PICTURES[name]
    ax = draw()
    assert len(ax.child_axes) == panels
    given = new_axes()
    assert draw(ax=given) is given
    assert len(given.child_axes) == panels
    assert given.axison == (panels == 0)
    given.figure.savefig(os.devnull, format="png")
    assert not list(tmp_path.iterdir())  # nothing is written unless a path is given


def test_the_whole_figure_of_given_axes_is_written(tmp_path):
    from matplotlib.figure import Figure
    from matplotlib.image import imread

    left, right = Figure(figsize=(4, 2), dpi=50).subplots(1, 2)
    view.fitted(MIXTURE, ax=left)
    view.fitted(MIXTURE, ax=right, path=tmp_path / "both.png")
    assert imread(tmp_path / "both.png").shape[:2] == (100, 200)


def test_axes_of_a_subfigure(tmp_path):
    from matplotlib.figure import Figure

    top, _ = Figure().subfigures(2)
    ax = view.registration(POINTS + 0.5, POINTS, RESULT, ax=top.subplots(), path=tmp_path / "top.png")
    assert ax.figure is top


@pytest.mark.parametrize("ax", [3, "ax", POINTS, object()])
def test_axes_that_are_none_are_refused(ax):
    with pytest.raises(svgm.InputError, match=r"^ax must be matplotlib Axes or None, got"):
        view.fitted(MIXTURE, ax=ax)


def test_axes_of_another_projection_are_refused():
    with pytest.raises(svgm.InputError, match=r"^ax must be plain 2D Axes"):
        view.fitted(MIXTURE, ax=new_axes(projection="polar"))


def test_text_is_smaller_in_narrow_axes():
    wide, narrow = (view.registration(POINTS + 0.5, POINTS, RESULT, ax=new_axes(width)) for width in (14.0, 5.0))
    sizes = [[text.get_fontsize() for text in (*ax.texts, ax.child_axes[0].title)] for ax in (wide, narrow)]
    assert all(5 < small < usual for usual, small in zip(*sizes, strict=True))


def test_a_mixture_plots_itself():
    ax = new_axes()
    assert MIXTURE.plot(ax) is ax
    assert ax.get_title().startswith(f"{len(MIXTURE)} components")
    assert MIXTURE.plot().get_title() == ax.get_title()
    with pytest.raises(svgm.InputError, match=r"^mixture must have 2 or 3 coordinates"):
        svgm.Mixture([[1.0]], 1.0, [1.0]).plot()


def test_nothing_is_left_in_pyplot(tmp_path):
    import matplotlib.pyplot as plt

    before = plt.get_fignums()
    view.fitted(MIXTURE)
    view.fitted(MIXTURE, path=tmp_path / "mixture.png")
    assert plt.get_fignums() == before


def test_in_ipython_pyplot_shows_new_figures_only(tmp_path, monkeypatch):
    import matplotlib.pyplot as plt

    plt.switch_backend("agg")
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=object))
    before = plt.get_fignums()
    view.fitted(MIXTURE, ax=new_axes())
    view.fitted(MIXTURE, path=tmp_path / "mixture.png")
    assert plt.get_fignums() == before
    ax = view.fitted(MIXTURE)
    assert plt.figure(plt.get_fignums()[-1]) is ax.figure
    plt.close(ax.figure)
    assert plt.get_fignums() == before


NOTEBOOK = """
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
import svgm, sys
assert "matplotlib" not in sys.modules
shell = InteractiveShell.instance()
shell.run_cell("import svgm; mixture = svgm.fit(svgm.datasets.butterfly(150), gamma=4)").raise_error()
for code in ("svgm.view.fitted(mixture)", "mixture.plot();", "ax = mixture.plot(); ax.set_title('a title'); None"):
    with capture_output() as shown:
        shell.run_cell(code).raise_error()
    assert [sorted(output.data) for output in shown.outputs][-1] == ["image/png", "text/plain"], code
shell.run_cell("import matplotlib.pyplot as plt; assert not plt.get_fignums()").raise_error()
"""


def test_a_notebook_shows_pictures():
    pytest.importorskip("IPython")
    pytest.importorskip("matplotlib_inline")
    environment = os.environ | {"MPLBACKEND": "module://matplotlib_inline.backend_inline"}
    folder = Path(svgm.__file__).parents[1]
    subprocess.run([sys.executable, "-c", NOTEBOOK], env=environment, check=True, cwd=folder, timeout=300)
