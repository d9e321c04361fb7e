"""The Gauss transform with gradient and Hessian: against numpy.exp, on two threads, and near neighbours only."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from benchmarks.datasets import Array
from benchmarks.speed.clock import alternate, cores, in_fresh_process
from benchmarks.speed.core import instruction_set, transform, tree
from benchmarks.speed.findings import Findings, spoken

DENSE = 2_000
NEAR = (10_000, 100_000)
SAMPLE = 200


def run(findings: Findings, repeats: int) -> None:
    """Print all three."""
    times, apart = in_fresh_process(dense, 10 * repeats + 1, threads=2)
    print(f"\nGauss transform, {DENSE} x {DENSE}, float64, {instruction_set()} (median of {10 * repeats + 1}):")
    for name, value in times.items():
        print(f"  {name:<30} {spoken(value)}", flush=True)
    what = f"Gauss transform {DENSE} x {DENSE}"
    for threads, name in ((1, "svgm, one thread"), (2, "svgm, two threads")):
        findings.compare(what, "numpy.exp", times[name], times["numpy.exp"], threads=threads)
    findings.check(f"{what}: time over numpy.exp's", times["svgm, one thread"] / times["numpy.exp"], 1.0)
    if cores() > 1:
        speedup = times["svgm, one thread"] / times["svgm, two threads"]
        ceiling = times["numpy.exp"] / times["numpy.exp in two threads"]
        print(f"numpy.exp itself is {ceiling:.2f} times faster on two threads: less than 2 if the machine is busy")
        findings.check(f"{what}: times faster on two threads", speedup, 1.8, at_least=True)
    else:
        print("one core only: no figure for two threads")

    near, built, error = in_fresh_process(sparse, repeats, threads=1)
    print(f"\nGauss transform, near neighbours (median of {repeats}):")
    for n in NEAR:
        print(f"  {n:>7} components: {spoken(near[n])}, and {spoken(built[n])} for the tree", flush=True)
    small, large = NEAR
    findings.check(f"near-neighbour transform: {large} components over {small}", near[large] / near[small], 12.0)
    findings.check("near-neighbour transform: relative error", error, 1e-6)
    findings.check(f"{what}: relative error", apart, 1e-6)
    findings.details["transform"] = {"dense": times, "near": near, "tree": built}


def dense(repeats: int) -> tuple[dict[str, float], float]:
    """Times with every pair inside the cutoff, so that it takes as many exponentials as numpy.exp; and the error."""
    components, queries = sphere(DENSE), 0.9 * sphere(DENSE)[:, [1, 2, 0]]
    rate = 1.0  # on a sphere of radius 1 the smallest term is exp(-3.6)
    exponents = -rate * ((queries[:, None] - components) ** 2).sum(axis=2)
    out = np.empty_like(exponents)
    ready = tree(components)
    halves = [(exponents[rows], out[rows]) for rows in (slice(0, DENSE // 2), slice(DENSE // 2, DENSE))]
    pool = ThreadPoolExecutor(2)
    contestants = {
        "numpy.exp": lambda: np.exp(exponents, out=out),
        # What the machine gives to two threads at this moment: numpy lets go of the interpreter's lock.
        "numpy.exp in two threads": lambda: list(pool.map(lambda half: np.exp(half[0], out=half[1]), halves)),
        "svgm, one thread": transform(ready, queries, rate, 1),
        "svgm, two threads": transform(ready, queries, rate, 2),
    }
    return alternate(contestants, repeats), relative_error(contestants["svgm, one thread"](), components, queries, rate)


def sparse(repeats: int) -> tuple[dict[int, float], dict[int, float], float]:
    """Times of the transform and of its tree by number of components, and the largest error."""
    calls, builds, errors = {}, {}, []
    for n in NEAR:
        components, queries, rate = surface(n)
        calls[n] = transform(tree(components), queries, rate, 1)
        builds[n] = lambda components=components: tree(components)
        errors.append(relative_error(calls[n](), components, queries, rate))
    times = alternate({str(n): call for n, call in calls.items()}, repeats)
    built = alternate({str(n): build for n, build in builds.items()}, repeats)
    return {n: times[str(n)] for n in NEAR}, {n: built[str(n)] for n in NEAR}, max(errors)


def surface(n: int) -> tuple[Array, Array, float]:
    """Components, queries beside them and the rate: sigma is the spacing, so the number of neighbours does not change.

    The rate is the objective's, whose Gaussian has variance 2 sigma².
    """
    components = sphere(n)
    sigma = np.sqrt(4.0 * np.pi / n)
    queries = components + sigma * np.random.default_rng(0).uniform(-0.5, 0.5, components.shape)
    return components, queries, 0.25 / sigma**2


def sphere(n: int) -> Array:
    """Points evenly on the unit sphere (Fibonacci), in random order as scans have none that helps."""
    index = np.arange(n) + 0.5
    height, turn = 1.0 - 2.0 * index / n, np.pi * (1.0 + 5.0**0.5) * index
    ring = np.sqrt(1.0 - height**2)
    points: Array = np.c_[ring * np.cos(turn), ring * np.sin(turn), height]
    np.random.default_rng(1).shuffle(points)
    return points


def relative_error(sums: Array, components: Array, queries: Array, rate: float) -> float:
    """Against brute force on some rows: the norm of the error over the norm of the sums, worst of the three orders."""
    rows = np.random.default_rng(2).choice(len(queries), SAMPLE, replace=False)
    exact = np.empty((SAMPLE, 10))
    upper = np.triu_indices(3)
    for k, row in enumerate(rows):
        d = queries[row] - components
        term = np.exp(-rate * (d * d).sum(axis=1)) / len(components)
        second = (term[:, None] * d).T @ d
        exact[k] = [term.sum(), *(term @ d), *second[upper]]
    parts = (slice(0, 1), slice(1, 4), slice(4, 10))
    return max(
        float(np.linalg.norm(sums[rows, part] - exact[:, part]) / np.linalg.norm(exact[:, part])) for part in parts
    )
