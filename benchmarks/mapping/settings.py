"""The settings of KISS-ICP that the outdoor drive is run with, and how they were found."""

from __future__ import annotations

from benchmarks.mapping.odometry import Setting

# Tried by the steps right of the 59 between the first 60 scans.  The vehicle stops every 2.2 m and turns by up to 114°
# from one scan to the next.  KISS-ICP starts where a constant velocity would have taken it and looks for partners in
# the neighbouring voxels only, so all settings lose turns of 0.6 to 1 rad at once (4 of the 59).  A start that is far
# off also costs many iterations, hence its time here.  Its threshold counts a turn times the range: with 100 m it grows
# to 10 m, and nothing is an outlier any more.  The scans reach 32 m.
#
#   range  voxel  threshold  right  s a scan (one core)
#   100    1.0    adaptive     9    0.23
#   100    0.3    adaptive    49    0.71
#   30     0.2    adaptive    48    1.13
#   30     0.3    adaptive    55    0.68    47 and 0.40 s with at most 50 iterations instead of 500
#   30     0.3    0.5         55    0.87
#   30     0.5    adaptive    49    0.23
#   30     0.5    0.3         49    0.37    10 if no motion is predicted
#   30     1.0    adaptive    45    0.08
#   30     1.0    0.5         44    0.10    29 with 1.0, 43 with 0.3
#   30     2.0    0.3         42    0.02
#
# Over all 299 steps an adaptive threshold may run away (voxel 1.0: 130 right, median 4.9 m), a fixed one cannot
# (voxel 2.0: 188 right), so the best voxel runs with both.  One thread or two: the same errors and the same time of all
# cores together (first 12 scans).
SETTINGS = (
    Setting("default"),
    Setting("fine", max_range=30.0, voxel_size=0.3),
    Setting("fine, fixed", max_range=30.0, voxel_size=0.3, fixed_threshold=0.5),
    Setting("fast", max_range=30.0, voxel_size=2.0, fixed_threshold=0.3),
)
