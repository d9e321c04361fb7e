"""Success against time: one panel for each kind of pairs, one dot a method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmarks.speed.success import Dot


def draw(panels: Mapping[str, Sequence[Dot]], path: Path) -> None:
    """Write the picture; svgm in red, peers in blue."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, len(panels), figsize=(4.6 * len(panels), 4.0), sharey=True, squeeze=False)
    for axis, (what, dots) in zip(axes[0], panels.items(), strict=True):
        for dot in dots:
            own = dot.method.startswith("svgm")
            axis.plot(1e3 * dot.seconds, 100 * dot.share, "o", color="tab:red" if own else "tab:blue", markersize=6)
            axis.annotate(
                dot.method,
                (1e3 * dot.seconds, 100 * dot.share),
                textcoords="offset points",
                xytext=(5, -9 if own else 5),
                fontsize=7,
            )
        axis.set_xscale("log")
        axis.set_title(what, fontsize=10)
        axis.set_xlabel("median time of a pair (ms), one thread")
        axis.grid(visible=True, which="major", linewidth=0.4)
        axis.margins(x=0.25)
    axes[0, 0].set_ylabel("pairs right (%)")
    axes[0, 0].set_ylim(0, 108)
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    pyplot.close(figure)
