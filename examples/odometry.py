"""Map a storey with the odometry of wheels that drift and slip, and a stretch where the laser sees nothing.

Without odometry the map falls into pieces, because nothing says how they lie to each other.  With odometry it is whole.
Prints both verdicts and errors; writes ``odometry.png``: the trajectories beside each other.
Run: ``python examples/odometry.py [folder]``
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import svgm
from svgm import datasets, rigid

folder = Path(sys.argv[1] if len(sys.argv) > 1 else "demo-output")
folder.mkdir(parents=True, exist_ok=True)

walls, walk = datasets.storey(), datasets.round_walk(60, laps=0.75)
truth = np.delete(walk, np.s_[22:34], axis=0)  # the laser was off on twelve poses
scans = [datasets.laser_scan(walls, place, seed=number) for number, place in enumerate(truth)]

# Wheels: each step errs by 5 % of its turn and length, and three steps slip.
generator = np.random.default_rng(1)
steps = rigid.invert(truth[:-1]) @ truth[1:]
noisy = [step @ rigid.exp(0.05 * generator.normal(size=3) * rigid.log(step)) for step in steps]
for slipping in (8, 30, 40):
    noisy[slipping] = noisy[slipping] @ rigid.exp([0.6, -0.5, 0.2])
wheels = [np.eye(3)]
for step in noisy:
    wheels.append(wheels[-1] @ step)

alone, driven = svgm.map(scans), svgm.map(scans, odometry=np.array(wheels))

expected = rigid.invert(truth[0]) @ truth
for name, result in (("scans alone", alone), ("with odometry", driven)):
    print(f"{name}: {len(result.pieces)} pieces of {[len(piece.scans) for piece in result.pieces]} scans")
    for piece in result.pieces:
        moved = rigid.invert(expected[piece.scans[0]]) @ expected[piece.scans]
        errors = [rigid.pose_error(*pair) for pair in zip(piece.poses[piece.scans], moved, strict=True)]
        rotation, translation = np.max(errors, axis=0)
        first, last = piece.scans[0], piece.scans[-1]
        print(f"  scans {first} to {last}: off by {np.degrees(rotation):.2f} degrees, {translation:.3f} m")
used = {edge.source for edge in driven.edges if edge.kind == "odometry"}
print(f"steps of odometry that the links outvoted: {sorted(set(range(1, len(scans))) - used)}")
joint = driven.joints[0]
print(f"weakest joint: between scans {joint.before} and {joint.after}, held by {joint.edges} edges")

# Nothing says where the pieces lie: each is drawn where its first scan really was.
drawn = {
    "wheels alone": [np.array(wheels)],
    f"scans alone: {len(alone.pieces)} maps": [expected[p.scans[0]] @ p.poses[p.scans] for p in alone.pieces],
    "scans and wheels: one map": [driven.poses[driven.scans]],
}
figure = Figure(figsize=(10, 3.4), layout="constrained")
for axis, (title, trajectories) in zip(figure.subplots(1, 3, sharex=True, sharey=True), drawn.items(), strict=True):
    for wall in walls:
        ends = rigid.apply(rigid.invert(truth[0]), wall)
        axis.plot(*ends.T, color="#c8c8c8", linewidth=1.0)
    for poses in trajectories:
        axis.plot(poses[:, 0, 2], poses[:, 1, 2], ".-", markersize=4, linewidth=0.9)
    axis.set_title(title, fontsize=10)
    axis.set_aspect("equal")
figure.savefig(folder / "odometry.png", dpi=120)
