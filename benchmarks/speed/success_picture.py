"""Success against time: one panel for each kind of pairs, one dot a method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmarks.speed.success import Dot


def draw(panels: Mapping[str, Sequence[Dot]], path: Path) -> None:
    """Write the picture; svgm in red."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, len(panels), figsize=(4.6 * len(panels), 4.0), sharey=True, squeeze=False)
    for axis, (what, dots) in zip(axes[0], panels.items(), strict=True):
        for number, dot in enumerate(dots):
            own = dot.method.startswith("svgm")
            style = {"color": "tab:red" if own else f"C{number}", "marker": "o" if own else "s^vDP*X<>"[number % 9]}
            axis.plot(1e3 * dot.seconds, 100 * dot.share, linestyle="", markersize=7, label=dot.method, **style)
        axis.set_xscale("log")
        axis.set_title(what, fontsize=10)
        axis.set_xlabel("median time of a pair (ms of one core)")
        axis.grid(visible=True, which="major", linewidth=0.4)
        axis.legend(fontsize=7, loc="lower left")
    axes[0, 0].set_ylabel("pairs right (%)")
    axes[0, 0].set_ylim(0, 108)
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    pyplot.close(figure)
