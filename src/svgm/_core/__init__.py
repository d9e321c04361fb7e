"""Loops over pairs of points, in C++; see the headers beside this file."""

from svgm._core._native import BoxTree, gauss_transform, instruction_set, train_one_class_svm

__all__ = ["BoxTree", "gauss_transform", "instruction_set", "train_one_class_svm"]
