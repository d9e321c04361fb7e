"""How time and memory grow: points 10³ to 10⁶, components 10² to 10⁵, with fitted exponents and a picture."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import svgm
from benchmarks.datasets import Array
from benchmarks.methods import with_small_gicp
from benchmarks.speed import peers
from benchmarks.speed.clock import in_fresh_process, peak_memory, seconds
from benchmarks.speed.core import transform, tree
from benchmarks.speed.findings import Findings, spoken
from benchmarks.speed.fitting import libsvm
from benchmarks.speed.growth_picture import draw
from benchmarks.speed.transform import surface
from svgm.datasets import body
from svgm.rigid import apply, exp

POINTS = tuple(round(10 ** (k / 2)) for k in range(6, 13))
COMPONENTS = tuple(round(10 ** (k / 2)) for k in range(4, 11))
#: Seconds after which a measurement is not repeated.
STEADY = 3.0
MOTION = exp([0.2, -0.1, 0.15, 0.3, -0.2, 0.1])


@dataclass
class Curve:
    """Seconds and peak memory (MB) of one piece of work by its size; baseline is the memory before it."""

    name: str
    unit: str
    sizes: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    peak: list[float] = field(default_factory=list)
    baseline: list[float] = field(default_factory=list)

    def add(self, size: int, seconds: float, peak: float, baseline: float) -> None:
        """One more size."""
        self.sizes.append(size)
        self.seconds.append(seconds)
        self.peak.append(peak)
        self.baseline.append(baseline)

    def exponent(self) -> float | None:
        """Slope of log time by log size over the largest decade and a half, where constants no longer matter."""
        sizes, times = np.log(self.sizes[-4:]), np.log(self.seconds[-4:])
        return float(np.polyfit(sizes, times, 1)[0]) if len(sizes) > 1 else None

    def slope(self) -> str:
        """The exponent in words."""
        exponent = self.exponent()
        return "no exponent" if exponent is None else f"exponent {exponent:.2f}"

    def at(self, size: int) -> int | None:
        """Where a size stands, if it was measured."""
        return self.sizes.index(size) if size in self.sizes else None


def run(findings: Findings, repeats: int, patience: float, output: Path) -> None:
    """Measure all curves, each until a size would take longer than `patience` seconds, and draw them."""
    jobs: list[tuple[str, str, tuple[int, ...], Callable[[str], Callable[[], object]]]] = [
        ("svgm.fit", "points", POINTS, prepare_fit),
        ("svgm.register", "points", POINTS, prepare_register),
        ("Gauss transform", "components", COMPONENTS, prepare_transform),
    ]
    if peers.installed("sklearn"):
        # A run takes most of a minute at 10⁵ points; what lies beyond is out of reach.
        jobs.append(("OneClassSVM", "points", POINTS[:5], prepare_libsvm))
    if peers.installed("small_gicp"):
        jobs.append(("small_gicp GICP", "points", POINTS, prepare_gicp))
    curves = [measure(Curve(name, unit), sizes, prepare, repeats, patience) for name, unit, sizes, prepare in jobs]
    output.mkdir(parents=True, exist_ok=True)
    draw(curves, output / "growth.png")
    print(f"drawn: {output / 'growth.png'}")
    fit = curves[0]
    large, million = fit.at(POINTS[-3]), fit.at(POINTS[-1])
    if large is not None and million is not None:
        growth = fit.seconds[million] / fit.seconds[large]
        findings.check("fit: time at 10⁶ points over that at 10⁵", growth, 12.0)
        findings.check("fit: peak memory at 10⁶ points (MB)", fit.peak[million], 1024.0)
    else:
        print(f"fit: 10⁶ points would take longer than {patience:g} s; see --patience")
    findings.details["growth"] = [{**asdict(curve), "exponent": curve.exponent()} for curve in curves]


def measure(
    curve: Curve, sizes: tuple[int, ...], prepare: Callable[[str], Callable[[], object]], repeats: int, patience: float
) -> Curve:
    """Fill a curve, one fresh process a size: the points come from a file, so that making them costs it no memory."""
    print(f"\n{curve.name} by {curve.unit}, one thread (median of up to {repeats}):")
    with TemporaryDirectory() as folder:
        for size in sizes:
            if curve.seconds and 4.0 * curve.seconds[-1] > patience:
                print(f"  {size:>8}: left out, would take longer than {patience:g} s a run")
                break
            path = Path(folder) / "points.npz"
            in_fresh_process(write, curve.unit, size, str(path), threads=1)
            took, imported, baseline, peak = in_fresh_process(one, prepare, str(path), repeats, threads=1)
            curve.add(size, took, peak, baseline)
            memory = f"memory {imported:.0f} MB imported, {baseline:.0f} with the points, {peak:.0f} at the peak"
            print(f"  {size:>8}: {spoken(took):<9} {memory}", flush=True)
    print(f"  {curve.slope()} over the largest sizes")
    return curve


def write(unit: str, size: int, path: str) -> None:
    """The points (two samples of a body, one moved) or components (on a sphere) of a size."""
    if unit == "points":
        np.savez(path, source=apply(MOTION, body(size, seed=2)[0]), target=body(size, seed=1)[0])
    else:
        components, queries, rate = surface(size)
        np.savez(path, components=components, queries=queries, rate=rate)


def one(prepare: Callable[[str], Callable[[], object]], path: str, repeats: int) -> tuple[float, float, float, float]:
    """Median seconds; MB after import, before the work, and at its peak."""
    imported = peak_memory()
    work = prepare(path)
    baseline = peak_memory()
    begin, times = time.perf_counter(), [seconds(work)]
    # Repeats steady the short runs; the long ones are steady, and too long to repeat.
    while len(times) < repeats and time.perf_counter() - begin < STEADY:
        times.append(seconds(work))
    return statistics.median(times), imported, baseline, peak_memory()


def prepare_fit(path: str) -> Callable[[], object]:
    """svgm.fit with default thinning."""
    points = _array(path, "target")
    return lambda: svgm.fit(points, gamma=4)


def prepare_register(path: str) -> Callable[[], object]:
    """svgm.register of two samples of one body."""
    source, target = _array(path, "source"), _array(path, "target")
    return lambda: svgm.register(source, target, search="local", threads=1)


def prepare_libsvm(path: str) -> Callable[[], object]:
    """scikit-learn's OneClassSVM at the scale of svgm.fit."""
    import sklearn.svm  # noqa: F401  (loading it is no part of the work)

    points = _array(path, "target")
    return lambda: libsvm(points, 4.0, 0.01)


def prepare_gicp(path: str) -> Callable[[], object]:
    """small_gicp's GICP on all points."""
    import small_gicp  # noqa: F401  (loading it is no part of the work)

    source, target = _array(path, "source"), _array(path, "target")
    diagonal = float(np.linalg.norm(np.ptp(target, axis=0)))
    return lambda: with_small_gicp.align(source, target, unit=diagonal, threads=1, reach=0.2, voxel=1e-4)


def prepare_transform(path: str) -> Callable[[], object]:
    """The Gauss transform with gradient and Hessian, as many queries as components, near neighbours only."""
    components, queries, rate = (_array(path, name) for name in ("components", "queries", "rate"))
    return transform(tree(components), queries, float(rate), 1)


def _array(path: str, name: str) -> Array:
    with np.load(path) as archive:
        return np.asarray(archive[name], dtype=np.float64)
