"""A part of a 2D set against all of it: the ratio of their sizes is no scale, and the scale must not collapse."""

from __future__ import annotations

import numpy as np

import svgm
from benchmarks.datasets import shape_2d
from benchmarks.linear.shapes import NAMES
from benchmarks.speed.findings import Findings
from svgm.rigid import apply, rotation_exp

#: Shares of the points that are kept, on one side of a line.
SHARES = (0.8, 0.65, 0.5)

#: Directions of the line for each set and share.
DIRECTIONS = 8

#: A scale that is off by more than this factor has collapsed, or exploded.
COLLAPSED = 2.0

SCALE_ERROR = 0.02


def run(findings: Findings, every: int, seed: int) -> None:
    """Count right and collapsed scales; the part is the source and the target in turn."""
    for share in SHARES:
        errors, trusted = [], []
        for name in NAMES:
            whole = shape_2d(name)
            for k in range(0, DIRECTIONS, every):
                rng = np.random.default_rng([seed, k, NAMES.index(name)])
                direction = rng.normal(size=2)
                height = (whole - whole.mean(axis=0)) @ direction
                part = whole[height >= np.quantile(height, 1.0 - share)]
                scale = float(np.exp(rng.uniform(np.log(0.05), np.log(20.0))))
                motion = np.eye(3)
                motion[:2, :2] = scale * rotation_exp(rng.uniform(-np.pi, np.pi, 1), 2)
                motion[:2, 2] = scale * rng.normal(size=2) * np.ptp(whole)
                for source, target in ((part, whole), (whole, part)):
                    result = svgm.register(apply(motion, source), target, transform="similarity", threads=1)
                    errors.append(abs(float(np.log(result.scale * scale))))
                    trusted.append(result.trusted)
        found = np.array(errors)
        right, far = int((found < SCALE_ERROR).sum()), found > np.log(COLLAPSED)
        collapsed, wrong = int(far.sum()), int((far & np.array(trusted)).sum())
        print(
            f"parts, {share:.0%} of the points: scale right in {right} of {len(found)}, off by more than a factor "
            f"{COLLAPSED:g} in {collapsed}, {wrong} of them trusted; {np.median(found):.2%} off (median)",
            flush=True,
        )
        findings.details[f"parts {share:g}"] = errors
        findings.check(f"parts, {share:.0%}: trusted answers with a collapsed scale", wrong, 0)
