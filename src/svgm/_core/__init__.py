"""Loops over pairs of points, in C++; see the headers beside this file."""

from svgm._core._native import BoxTree, gauss_transform, instruction_set, nearest_distances, train_svm

__all__ = ["BoxTree", "gauss_transform", "instruction_set", "nearest_distances", "train_svm"]
