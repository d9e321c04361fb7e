from collections.abc import Callable
from typing import Any, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T")
Derivatives = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]

class Stop:
    def __init__(self) -> None: ...
    def set(self) -> None: ...
    def run(self, function: Callable[..., T], /, *arguments: Any) -> T: ...

class BoxTree:
    def __init__(self, points: NDArray[np.float64], weights: NDArray[np.float64], sorted: bool = False) -> None: ...
    def __len__(self) -> int: ...

class PoseFunction:
    def __call__(self, poses: NDArray[np.float64]) -> Derivatives: ...

class LinearObjective(PoseFunction):
    def __init__(
        self,
        source: BoxTree,
        source_covariances: NDArray[np.float64],
        target: BoxTree,
        target_covariances: NDArray[np.float64],
        norms: float,
        cutoff: float,
        affine: bool,
        single: bool,
        threads: int,
    ) -> None: ...
    def taken(self, pose: NDArray[np.float64], step: NDArray[np.float64]) -> NDArray[np.float64]: ...

class MixtureObjective(PoseFunction):
    @overload
    def __init__(
        self,
        source: BoxTree,
        target: BoxTree,
        source_variance: float,
        target_variance: float,
        norms: float,
        cutoff: float,
        single: bool,
        threads: int,
    ) -> None: ...
    @overload
    def __init__(
        self,
        source: BoxTree,
        source_covariances: NDArray[np.float64],
        target: BoxTree,
        target_covariances: NDArray[np.float64],
        norms: float,
        cutoff: float,
        single: bool,
        threads: int,
    ) -> None: ...
    @property
    def scale(self) -> float: ...

class PoseBounds:
    def __init__(self, source: BoxTree, target: BoxTree) -> None: ...
    def __call__(
        self,
        poses: NDArray[np.float64],
        angles: NDArray[np.float64],
        shifts: NDArray[np.float64],
        threads: int,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...

def local_shapes(
    tree: BoxTree, places: NDArray[np.float64], sigma: float, prior: float, cutoff: float, single: bool, threads: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
def self_overlap(tree: BoxTree, rate: float, cutoff: float, single: bool) -> float: ...
def forces(
    source: BoxTree, target: BoxTree, rate: float, cutoff: float, pose: NDArray[np.float64]
) -> NDArray[np.float64]: ...
def full_forces(
    source: BoxTree,
    source_covariances: NDArray[np.float64],
    target: BoxTree,
    target_covariances: NDArray[np.float64],
    cutoff: float,
    pose: NDArray[np.float64],
) -> NDArray[np.float64]: ...
def pose_shares(
    rows: NDArray[np.float64], turn: NDArray[np.float64], levers: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
def full_overlap(
    tree: BoxTree, covariances: NDArray[np.float64], cutoff: float, single: bool, threads: int
) -> float: ...
def minimise(
    function: Callable[[NDArray[np.float64]], Derivatives],
    starts: NDArray[np.float64],
    radius: float,
    max_radius: float,
    step_tolerance: float,
    same: float,
    max_iterations: int,
) -> tuple[
    NDArray[np.float64],
    NDArray[np.float64],
    NDArray[np.float64],
    NDArray[np.int64],
    NDArray[np.uint8],
    NDArray[np.uint8],
]: ...
def moved(pose: NDArray[np.float64], step: NDArray[np.float64]) -> NDArray[np.float64]: ...
def trust_region_step(
    gradient: NDArray[np.float64], hessian: NDArray[np.float64], radius: float
) -> tuple[NDArray[np.float64], float]: ...
def full_transform(
    means: NDArray[np.float64],
    covariances: NDArray[np.float64],
    weights: NDArray[np.float64],
    queries: NDArray[np.float64],
    query_covariances: NDArray[np.float64] | None,
    cutoff: float,
    threads: int,
) -> NDArray[np.float64]: ...
def gauss_transform(
    tree: BoxTree, queries: NDArray[np.float64], rate: float, cutoff: float, order: int, threads: int
) -> NDArray[np.float64]: ...
def nearest(
    tree: BoxTree, queries: NDArray[np.float64], least: float
) -> tuple[NDArray[np.float64], NDArray[np.int64]]: ...
def nearest_distances(tree: BoxTree, queries: NDArray[np.float64], least: float, count: int) -> NDArray[np.float64]: ...
def train_one_class(
    points: NDArray[np.float64],
    upper: NDArray[np.float64],
    start: NDArray[np.float64] | None,
    gamma: float,
    violation: float,
    gap: float,
    row_bytes: int,
    in_order: bool,
    covariances: NDArray[np.float64] | None = None,
) -> tuple[NDArray[np.float64], float, bool, dict[str, int]]: ...
def train_two_class(
    points: NDArray[np.float64],
    linear: NDArray[np.float64],
    lower: NDArray[np.float64],
    upper: NDArray[np.float64],
    gamma: float,
    tolerance: float,
) -> tuple[NDArray[np.float64], float, bool, dict[str, int]]: ...
def weighted_scatter(
    points: NDArray[np.float64], weights: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
def thin(
    points: NDArray[np.float64],
    weights: NDArray[np.float64],
    centre: NDArray[np.float64],
    axes: NDArray[np.float64],
    cell: float,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
def instruction_set() -> str: ...
def instruction_sets() -> list[str]: ...

class SurfaceTable:
    def __init__(self, means: NDArray[np.float32], normals: NDArray[np.float32], cell: float, reach: float) -> None: ...
    def __len__(self) -> int: ...

def bounds_and_sums(
    points: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]: ...
def nearest_of_sample(
    points: NDArray[np.float64],
    centre: NDArray[np.float64],
    sample: NDArray[np.float64],
    at_most: NDArray[np.float64],
    least: float,
) -> NDArray[np.float64]: ...
def surfels(
    points: NDArray[np.float64], weights: NDArray[np.float64] | None, cell: float
) -> tuple[NDArray[np.float32], NDArray[np.float32]]: ...
def occupied_neighbours(points: NDArray[np.float64], cell: float) -> float: ...
def align_to_surface(
    target: SurfaceTable,
    means: NDArray[np.float32],
    normals: NDArray[np.float32],
    poses: NDArray[np.float64],
    reaches: NDArray[np.float32],
    threads: int,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
def surface_residuals(
    target: SurfaceTable, means: NDArray[np.float32], normals: NDArray[np.float32], pose: NDArray[np.float64]
) -> NDArray[np.float64]: ...

class LinesOfSight:
    def __init__(self, viewpoint: NDArray[np.float64], places: NDArray[np.float64], cell: float) -> None: ...
    def hidden(self, margin: float) -> NDArray[np.float64]: ...
    def contradicted(
        self, places: NDArray[np.float64], poses: NDArray[np.float64], margin: float, threads: int
    ) -> NDArray[np.float64]: ...

def hidden_shares(
    directions: NDArray[np.float64], places: NDArray[np.float64], cell: float, margin: float, threads: int
) -> NDArray[np.float64]: ...
def highest_peaks(
    grids: NDArray[np.float32], most: int, threads: int
) -> tuple[NDArray[np.float32], NDArray[np.int32]]: ...
def splat(
    points: NDArray[np.float64],
    weights: NDArray[np.float64],
    rotations: NDArray[np.float64],
    sizes: list[int],
    threads: int,
) -> NDArray[np.float32]: ...
