"""Generated point sets: single shapes, and laser scans of a building."""

from svgm.datasets.scenes import laser_scan, round_walk, storey
from svgm.datasets.shapes import body, butterfly, disturb, occlude, partial_view, visible

__all__ = [
    "body",
    "butterfly",
    "disturb",
    "laser_scan",
    "occlude",
    "partial_view",
    "round_walk",
    "storey",
    "visible",
]
