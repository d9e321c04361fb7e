"""Success against time: one panel for each kind of pairs, one dot a method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmarks.speed.success import Dot


def draw(panels: Mapping[str, Sequence[Dot]], path: Path) -> None:
    """Write the picture; svgm as red circles."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, len(panels), figsize=(4.6 * len(panels), 4.0), sharey=True, squeeze=False)
    for axis, (what, dots) in zip(axes[0], panels.items(), strict=True):
        peers = [dot for dot in dots if not dot.method.startswith("svgm")]
        for dot in dots:
            x, y = 1e3 * dot.seconds, 100 * dot.share
            if dot in peers:
                number = peers.index(dot)
                axis.plot(
                    x, y, "s^vDP*X<>"[number % 9], color=f"C{(0, 1, 2, 4, 5, 6, 7, 8, 9)[number % 9]}", label=dot.method
                )
            else:
                axis.plot(
                    x, y, "o", color="tab:red", mfc="tab:red" if dot.method == "svgm" else "none", label=dot.method
                )
        axis.set_xscale("log")
        ticks = [m * 10**k for k in range(5) for m in (1, 2, 5)]
        axis.set_xticks(ticks, [str(tick) for tick in ticks])
        axis.set_xlim(0.5e3 * min(dot.seconds for dot in dots), 2e3 * max(dot.seconds for dot in dots))
        axis.minorticks_off()
        axis.set_title(what, fontsize=10)
        axis.set_xlabel("median time of a pair (ms of one core)")
        axis.grid(visible=True, which="major", linewidth=0.4)
        axis.legend(fontsize=7, loc="lower left")
    axes[0, 0].set_ylabel("pairs right (%)")
    axes[0, 0].set_ylim(0, 108)
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    pyplot.close(figure)
