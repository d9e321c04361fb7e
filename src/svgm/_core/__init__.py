"""Loops over pairs of points, in C++; see the headers beside this file."""

from svgm._core._native import (
    BoxTree,
    Objective,
    PoseBounds,
    forces,
    gauss_transform,
    instruction_set,
    minimise,
    moved,
    nearest_distances,
    self_overlap,
    thin,
    train_one_class,
    train_two_class,
    trust_region_step,
    weighted_scatter,
)

__all__ = [
    "BoxTree",
    "Objective",
    "PoseBounds",
    "forces",
    "gauss_transform",
    "instruction_set",
    "minimise",
    "moved",
    "nearest_distances",
    "self_overlap",
    "thin",
    "train_one_class",
    "train_two_class",
    "trust_region_step",
    "weighted_scatter",
]
