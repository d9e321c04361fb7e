"""GMMerge on DRAGON-STAND: against the mixture fitted on the union, and fairness over all 15 scans.

Pairs 48 degrees apart, aligned by the truth, 2,000 points a scan, gamma = 4 gamma-hat.  Relative squared L2 distance:
integral of (p - q)² over integral of q², q the mixture fitted on the union.  ``python -m benchmarks.merging --help``
"""

from __future__ import annotations

import click
import numpy as np

from benchmarks.datasets import dragon_scans, relative, subsample
from benchmarks.report import bar, header
from svgm import Mixture, estimate_scale, fit, merge, merge_naive
from svgm.rigid import apply

GAMMA = 4.0


def relative_distance(mixture: Mixture, truth: Mixture) -> float:
    """Squared L2 distance over the truth's squared norm."""
    return mixture.l2_distance(truth) / truth.norm**2


@click.command()
@click.option("--points", default=2000, show_default=True)
@click.option("--seed", default=0, show_default=True)
def main(points: int, seed: int) -> None:
    """Print the two bars of merging, with the naive sum's figures beside them."""
    header(f"merging on DRAGON-STAND, {points} points per scan, seed {seed}, gamma = {GAMMA:g} gamma-hat")
    scans, poses = dragon_scans()
    sets = [subsample(scan, points, 1000 * seed + k) for k, scan in enumerate(scans)]

    rows = []
    for i in range(15):
        j = (i + 2) % 15
        source, target = apply(relative(poses, i, j), sets[i]), sets[j]
        scale = estimate_scale(target)
        a, b = fit(source, gamma=GAMMA, scale=scale), fit(target, gamma=GAMMA, scale=scale)
        union = fit(np.vstack([source, target]), gamma=GAMMA, scale=scale)
        merged, naive = merge(a, b), merge_naive(a, b)
        rows.append(
            [relative_distance(merged, union), relative_distance(naive, union), len(merged), len(naive), len(union)]
        )
    merged_distance, naive_distance, merged_size, naive_size, union_size = np.mean(rows, axis=0)
    print(
        f"mean relative squared L2 distance to the union's fit: GMMerge {merged_distance:.4f}, "
        f"naive {naive_distance:.4f}; components: GMMerge {merged_size:.0f}, naive {naive_size:.0f}, "
        f"union {union_size:.0f}"
    )
    bar("GMMerge's distance over the naive sum's", merged_distance / naive_distance, 0.5)
    bar("GMMerge's components over the naive sum's (per cent)", 100 * merged_size / naive_size, 65.0)

    # All scans in sequence, in the world's frame: the density at held-out points of each scan.
    rng = np.random.default_rng(seed)
    scale = float(np.median([estimate_scale(s) for s in sets]))
    merged_all: Mixture | None = None
    naive_all: Mixture | None = None
    held_out = []
    for k, scan in enumerate(scans):
        world = apply(poses[k], sets[k])
        held_out.append(apply(poses[k], scan[rng.choice(len(scan), 2000, replace=False)]))
        mixture = fit(world, gamma=GAMMA, scale=scale)
        merged_all = mixture if merged_all is None else merge(mixture, merged_all)
        naive_all = mixture if naive_all is None else merge_naive(mixture, naive_all)
    assert merged_all is not None
    assert naive_all is not None
    for name, mixture in (("GMMerge", merged_all), ("naive sum", naive_all)):
        medians = np.array([np.median(mixture.density(points)) for points in held_out])
        fairness = medians.min() / np.median(medians)
        print(f"15 scans in sequence, {name}: {len(mixture)} components, min D_k / median D_k {fairness:.3f}")
        if name == "GMMerge":
            bar("GMMerge: min D_k / median D_k", fairness, 0.5, at_least=True)


if __name__ == "__main__":
    main()
