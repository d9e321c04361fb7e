"""DRAGON-STAND scans whose scale and pose are unknown."""

from __future__ import annotations

import time

import numpy as np

import svgm
from benchmarks.criteria import same_rotation
from benchmarks.datasets import dragon_pairs, dragon_scans, relative, subsample
from benchmarks.search.pairs import anywhere
from benchmarks.speed.findings import Findings
from svgm.rigid import apply, pose, pose_error

#: Of the 30 pairs of each pose, by scans of 24 degrees between them.
BARS = {1: 30, 2: 28}

#: Scales of the source.
SMALLEST, LARGEST = 0.05, 20.0

#: Most that the scale may be off.
SCALE_ERROR = 0.01

POINTS = 2_000


def run(findings: Findings, every: int, seed: int) -> None:
    """Count the pairs with the right rotation and the right scale."""
    scans, poses = dragon_scans()
    for step, least in BARS.items():
        pairs = dragon_pairs(step)[::every]
        right, errors, seconds, trusted = 0, [], [], []
        for source, target in pairs:
            rng = np.random.default_rng([source, target, seed])
            scale = float(np.exp(rng.uniform(np.log(SMALLEST), np.log(LARGEST))))
            moving = subsample(scans[source], POINTS, source + 1000 * seed)
            fixed = subsample(scans[target], POINTS, target + 100 + 1000 * seed)
            motion = anywhere(rng, float(np.linalg.norm(np.ptp(moving, axis=0))))
            motion[:3] *= scale
            begin = time.process_time()
            result = svgm.register(apply(motion, moving), fixed, transform="similarity", threads=1)
            seconds.append(time.process_time() - begin)
            error = abs(float(np.log(result.scale * scale)))
            turned = result.rotation @ motion[:3, :3] / scale
            truth = relative(poses, source, target)
            angle = pose_error(pose(turned, np.zeros(3)), pose(truth[:3, :3], np.zeros(3)))[0]
            good = same_rotation(angle) and error <= SCALE_ERROR
            right += good
            errors.append(error)
            if result.trusted:
                trusted.append(good)
            if not good:
                print(
                    f"  {24 * step}° {source:>2} -> {target:>2}, scale {scale:.3g}: off by {np.degrees(angle):.0f}° "
                    f"and {np.expm1(error):.1%}, confidence {result.confidence:.2f}"
                )
        name = f"dragon {24 * step}°, similarity: pairs right of {len(pairs)}"
        print(
            f"{name}: {right}; scale off by {np.median(errors):.2%} (median); {np.mean(seconds):.2f} s of processor "
            f"time on average, {np.max(seconds):.1f} s at most; trusted {len(trusted)}, "
            f"of these wrong {len(trusted) - sum(trusted)}",
            flush=True,
        )
        findings.details[f"dragon {24 * step}"] = {"right": right, "scale errors": errors, "seconds": seconds}
        findings.check(name, right, least * len(pairs) / 30, at_least=True)
