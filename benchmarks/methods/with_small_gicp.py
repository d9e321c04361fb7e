"""small_gicp's GICP and VGICP."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.datasets import Array
from benchmarks.methods.silence import silent


def align(
    source: Array,
    target: Array,
    *,
    unit: float,
    threads: int,
    reach: float,
    voxel: float,
    cell: float = 0.0,
    still: float = 0.0,
    iterations: int = 20,
    start: Array | None = None,
) -> Array:
    """GICP on points thinned by voxel, covariances and k-d tree included; VGICP with the target in cells if given.

    `still` is the step at which it stops; by default its own, a millimetre whatever the size of the scan.  `start` is
    the initial pose, by default the identity.
    """
    import small_gicp

    kind: dict[str, Any] = {"registration_type": "GICP"}
    if cell:
        kind = {"registration_type": "VGICP", "voxel_resolution": cell * unit}
    if still:
        kind["translation_epsilon"] = still * unit
    with silent(2):  # it warns of each point without neighbours
        result = small_gicp.align(
            target,
            source,
            init_T_target_source=np.eye(4) if start is None else start,
            downsampling_resolution=voxel * unit,
            max_correspondence_distance=reach * unit,
            max_iterations=iterations,
            num_threads=threads,
            **kind,
        )
    return np.array(result.T_target_source)
