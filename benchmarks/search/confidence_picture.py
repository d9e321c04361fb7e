"""The confidence of right and wrong answers as histograms, and the ROC curves."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

import svgm
from benchmarks.paper.pictures import figure
from benchmarks.search.roc import area, curve
from benchmarks.search.rows import Row
from svgm.view.colours import INK, SOURCE, TARGET
from svgm.view.pictures.figure import save


def draw(rows: Sequence[Row], path: Path) -> None:
    """One histogram a data set, right answers upwards and wrong ones downwards, and all ROC curves."""
    names = list(dict.fromkeys(row.set for row in rows))
    picture, axes = figure(1, len(names) + 1)
    bins = np.linspace(0.0, 1.0, 26)
    for axis, name in zip(axes[0], names, strict=False):
        for right, colour, sign in ((True, TARGET, 1.0), (False, SOURCE, -1.0)):
            values = [row.confidence for row in rows if row.set == name and row.correct == right]
            label = f"{len(values)} {'right' if right else 'wrong'}"
            axis.hist(values, bins, weights=np.full(len(values), sign), color=colour, label=label)
        axis.axvline(svgm.TRUSTED, color=INK, linewidth=1.0, linestyle="--", label=f"trusted: {svgm.TRUSTED:g}")
        axis.set(title=name, xlabel="confidence", ylabel="answers")
        axis.yaxis.set_major_formatter(lambda value, _: f"{abs(value):g}")
        axis.legend(fontsize=8, frameon=False)
    for name in (*names, "together") if len(names) > 1 else names:
        chosen = [row for row in rows if name in (row.set, "together")]
        scores, right = [row.confidence for row in chosen], [row.correct for row in chosen]
        axes[0, -1].plot(*curve(scores, right), label=f"{name}, area {area(scores, right):.3f}")
    axes[0, -1].set(title="ROC", xlabel="share of the wrong accepted", ylabel="share of the right accepted")
    axes[0, -1].legend(fontsize=8, frameon=False)
    save(picture, path)
