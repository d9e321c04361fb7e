"""The growth curves as one picture: time above, memory below, by points and by components."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmarks.speed.growth import Curve


def draw(curves: Sequence[Curve], path: Path) -> None:
    """Write the picture; svgm in full lines, peers dashed."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    units = list(dict.fromkeys(curve.unit for curve in curves))
    figure, axes = pyplot.subplots(2, len(units), figsize=(5.5 * len(units), 8), sharex="col", squeeze=False)
    for column, unit in enumerate(units):
        time, memory = axes[:, column]
        for curve in (curve for curve in curves if curve.unit == unit):
            style = "o-" if curve.name.startswith(("svgm", "Gauss")) else "s--"
            label = f"{curve.name}: {curve.slope()}"
            (line,) = time.loglog(curve.sizes, curve.seconds, style, markersize=4, label=label)
            memory.semilogx(curve.sizes, curve.peak, style, markersize=4, color=line.get_color(), label=curve.name)
        time.set_ylabel("seconds, one thread")
        memory.set_ylabel("peak memory of the process (MB)")
        memory.set_xlabel(unit)
        memory.set_ylim(bottom=0)
        for axis in (time, memory):
            axis.grid(visible=True, which="major", linewidth=0.4)
            axis.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    pyplot.close(figure)
