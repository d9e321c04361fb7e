"""Loops over pairs of points, in C++; see the headers beside this file."""

from __future__ import annotations

from svgm._core import _native
from svgm._core._native import (
    BoxTree,
    Objective,
    PoseBounds,
    Stop,
    SurfaceTable,
    align_to_surface,
    forces,
    gauss_transform,
    highest_peaks,
    instruction_sets,
    minimise,
    moved,
    nearest,
    occupied_neighbours,
    self_overlap,
    splat,
    surface_residuals,
    surfels,
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
    "Stop",
    "SurfaceTable",
    "align_to_surface",
    "forces",
    "gauss_transform",
    "highest_peaks",
    "instruction_set",
    "instruction_sets",
    "minimise",
    "moved",
    "nearest",
    "occupied_neighbours",
    "self_overlap",
    "splat",
    "surface_residuals",
    "surfels",
    "thin",
    "train_one_class",
    "train_two_class",
    "trust_region_step",
    "weighted_scatter",
]


def instruction_set() -> str:
    """The instruction set of the loops in C++: the widest that this machine has.

    The environment variable ``SVGM_INSTRUCTIONS`` (``baseline``, ``avx2`` or ``avx512``) chooses another one, if it is
    set before svgm is imported. Results are the same bits on one machine with one instruction set; between two of them
    they differ by rounding.

    Raises
    ------
    InputError
        If ``SVGM_INSTRUCTIONS`` names one that this machine lacks; so does every function that needs the loops.

    Examples
    --------
    >>> import svgm
    >>> svgm.instruction_set() in ("baseline", "avx2", "avx512")
    True
    """
    return _native.instruction_set()
