"""Drive a laser around a storey, map what it saw without odometry, close the loop, and find a lost scan in the map.

Prints how far the poses are off; writes ``mapping.png``: the walls, the way and its loops.
Run: ``python examples/mapping.py [folder]``
"""

import sys
from pathlib import Path

import numpy as np

import svgm
from svgm import datasets, rigid, view

folder = Path(sys.argv[1] if len(sys.argv) > 1 else "demo-output")
folder.mkdir(parents=True, exist_ok=True)

walls, truth = datasets.storey(), datasets.round_walk(90)
scans = [datasets.laser_scan(walls, place, seed=number) for number, place in enumerate(truth)]

result = svgm.map(scans)  # with output="some-folder" also trajectories, pose graph, mixture, cloud and a record
print(result)

moved = rigid.invert(truth[0]) @ truth  # the map's world is the first scan's frame
errors = [rigid.pose_error(found, true) for found, true in zip(result.poses, moved, strict=True)]
rotation, translation = np.max(errors, axis=0)
print(f"largest errors: {np.degrees(rotation):.2f} degrees, {translation:.3f} m over a walk of {len(scans)} scans")

lost = datasets.laser_scan(walls, truth[40] @ rigid.exp([2.0, 0.4, -0.3]), seed=1000)
found = svgm.locate(lost, result.mixture)
rotation, translation = rigid.pose_error(found.transformation, moved[40] @ rigid.exp([2.0, 0.4, -0.3]))
print(
    f"a scan from elsewhere: confidence {found.confidence:.2f}, "
    f"off by {np.degrees(rotation):.2f} degrees and {translation:.3f} m"
)

view.map_picture(result, path=folder / "mapping.png", unit="m")
