"""The core in C++, as Python sees it. Each folder here is one part of the method:

============== ==========================================================================================
``points/``    Thinning, the scatter matrix, the order along a Morton curve
``svm/``       Training of an SVM: one class (section 3.1 of the paper) and two classes
``sums/``      Sums of Gaussians over a tree of points: density, self-overlap, nearest neighbour
``objective/`` The objective of eq. (14) with its gradient (15)-(17) and Hessian: pair by pair, or by a spline
``minimise/``  The Newton step in a trust region, and the iteration over many starts
``surfels/``   Points with normals, and their rigid alignment
``search/``    Global search: bounds over sets of poses, correlation by Fourier transform, lines of sight
``simd/``      Vector types, and the choice of the instruction set
``runtime/``   The pool of threads; interrupts
``binding/``   The Python module ``_native``, one file for each part above
============== ==========================================================================================

The innermost loops are the files ``*_loop.cpp``: each is compiled once per instruction set.
"""

from __future__ import annotations

from svgm._core import _native
from svgm._core._native import (
    BoxTree,
    LinearObjective,
    LinesOfSight,
    MixtureObjective,
    PoseBounds,
    Stop,
    SurfaceTable,
    align_to_surface,
    bounds_and_sums,
    forces,
    full_forces,
    full_overlap,
    full_transform,
    gauss_transform,
    hidden_shares,
    highest_peaks,
    instruction_sets,
    local_shapes,
    minimise,
    moved,
    nearest,
    nearest_distances,
    nearest_of_sample,
    occupied_neighbours,
    pose_shares,
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
    "LinearObjective",
    "LinesOfSight",
    "MixtureObjective",
    "PoseBounds",
    "Stop",
    "SurfaceTable",
    "align_to_surface",
    "bounds_and_sums",
    "forces",
    "full_forces",
    "full_overlap",
    "full_transform",
    "gauss_transform",
    "hidden_shares",
    "highest_peaks",
    "instruction_set",
    "instruction_sets",
    "local_shapes",
    "minimise",
    "moved",
    "nearest",
    "nearest_distances",
    "nearest_of_sample",
    "occupied_neighbours",
    "pose_shares",
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
