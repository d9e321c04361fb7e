"""Fitting a whole scan against scikit-learn's OneClassSVM (LIBSVM) on the same points."""

from __future__ import annotations

import numpy as np

import svgm
from benchmarks.datasets import Array, dragon_scans
from benchmarks.speed import peers
from benchmarks.speed.clock import alternate, in_fresh_process
from benchmarks.speed.findings import Findings, spoken

GAMMA, NU = 4.0, 0.01
WHAT = "fit a whole scan"


def run(findings: Findings, repeats: int) -> None:
    """Times, the distance between the mixtures and the duals' objectives."""
    if not peers.installed("sklearn"):
        return
    times, sizes, distance, duals = in_fresh_process(measure, repeats, threads=1)
    print(f"\n{WHAT} at gamma {GAMMA:g} (median of {repeats}):")
    for name, value in times.items():
        print(f"  {name:<22} {spoken(value):<9} {sizes[name]} components, dual {duals[name]:.8g}", flush=True)
    theirs = times["OneClassSVM"]
    findings.check(f"{WHAT}: times faster than OneClassSVM", theirs / times["svgm"], 50.0, at_least=True)
    findings.check(f"{WHAT}: relative squared L2 distance to its mixture", distance, 1e-3)
    excess = duals["svgm, thinning 0"] / duals["OneClassSVM"] - 1.0
    print(f"dual of the exact mode over LIBSVM's, less 1: {excess:+.2e} (the lower dual is nearer the optimum)")
    findings.check(f"{WHAT}, exact: relative difference of the dual", abs(excess), 1e-4)
    for name in ("svgm", "svgm, thinning 0"):
        findings.compare(WHAT + (", exact" if name != "svgm" else ""), "OneClassSVM", times[name], theirs)
    findings.details["fit"] = {"seconds": times, "components": sizes, "distance": distance, "duals": duals}


def measure(repeats: int) -> tuple[dict[str, float], dict[str, int], float, dict[str, float]]:
    """Median seconds, components and dual objective by contestant, and the distance between ours and LIBSVM's."""
    points = dragon_scans()[0][0]
    fitters = {
        "svgm": lambda: svgm.fit(points, gamma=GAMMA, nu=NU),
        "svgm, thinning 0": lambda: svgm.fit(points, gamma=GAMMA, nu=NU, thinning=0),
        "OneClassSVM": lambda: libsvm(points, GAMMA, NU),
    }
    times = alternate(fitters, repeats)
    mixtures = {name: fitter() for name, fitter in fitters.items()}
    ours, theirs = mixtures["svgm"], mixtures["OneClassSVM"]
    return (
        times,
        {name: len(mixture) for name, mixture in mixtures.items()},
        ours.l2_distance(theirs) / theirs.norm**2,
        {name: dual_objective(mixture) for name, mixture in mixtures.items()},
    )


def libsvm(points: Array, gamma: float, nu: float) -> svgm.Mixture:
    """The mixture of scikit-learn's OneClassSVM at a multiple of gamma-hat = 1 / (2 scale²)."""
    from sklearn.svm import OneClassSVM

    scale = svgm.estimate_scale(points)
    machine = OneClassSVM(gamma=gamma / (2.0 * scale**2), nu=nu).fit(points)
    duals = machine.dual_coef_[0]
    return svgm.Mixture(machine.support_vectors_, scale**2 / gamma, duals / duals.sum())


def dual_objective(mixture: svgm.Mixture, block: int = 1000) -> float:
    """½ alphaᵀ K alpha over the support vectors, alpha scaled to sum 1, with the exact kernel."""
    means, alpha = mixture.means - mixture.means.mean(axis=0), mixture.weights
    total = 0.0
    for start in range(0, len(means), block):
        rows = slice(start, start + block)
        squared = ((means[rows, None] - means) ** 2).sum(axis=2)
        total += alpha[rows] @ np.exp(-mixture.gamma * squared) @ alpha
    return 0.5 * float(total)
