"""The settings of KISS-ICP that the outdoor drive is run with, and how they were found."""

from __future__ import annotations

from benchmarks.mapping.odometry import Setting

#: The setting whose time is the measure: the one that is right most often.
ACCURATE = "most accurate"

SETTINGS = (
    Setting("default"),
    Setting(ACCURATE, max_range=30.0, voxel_size=0.3),
)
