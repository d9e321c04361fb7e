"""Reliability: mean confidence against the share of right answers, by kind of data."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.confidence.observe import Observation

#: Edges of the bins.
EDGES = np.linspace(0.0, 1.0, 11)


def draw(found: Sequence[Observation], path: Path) -> Path:
    """One panel for pairs with a right answer, one for those without."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(9.0, 4.2))
    for axis, title, overlap in zip(
        axes, ("scans that overlap", "nothing in common, or sliding"), (True, False), strict=True
    ):
        mine = [each for each in found if (each.kind == "overlap") == overlap]
        scores = np.array([each.confidence for each in mine])
        right = np.array([each.right for each in mine], bool)
        bins = np.clip(np.digitize(scores, EDGES) - 1, 0, 9)
        for chosen, colour, label in ((right, "#2a7", "right"), (~right, "#c43", "wrong")):
            counts = np.bincount(bins[chosen], minlength=10)
            bottom = 0 if colour == "#2a7" else np.bincount(bins[right], minlength=10)
            axis.bar(EDGES[:-1] + 0.05, counts, 0.085, bottom=bottom, color=colour, label=label)
        for k in range(10):
            inside = bins == k
            if inside.sum() >= 10:
                share = f"{100 * right[inside].mean():.0f} %"
                axis.text(EDGES[k] + 0.05, inside.sum(), share, ha="center", va="bottom", fontsize=7)
        axis.set(title=title, xlabel="confidence", ylabel="pairs")
        axis.axvline(0.9, color="0.4", lw=0.8, ls="--")
        axis.legend(frameon=False)
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    plt.close(figure)
    return path
