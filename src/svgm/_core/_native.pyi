import numpy as np
from numpy.typing import NDArray

class BoxTree:
    def __init__(self, points: NDArray[np.float64], weights: NDArray[np.float64]) -> None: ...
    def __len__(self) -> int: ...

def gauss_transform(
    tree: BoxTree, queries: NDArray[np.float64], rate: float, cutoff: float, order: int, threads: int
) -> NDArray[np.float64]: ...
def nearest_distances(tree: BoxTree, queries: NDArray[np.float64], least: float) -> NDArray[np.float64]: ...
def train_svm(
    points: NDArray[np.float64],
    linear: NDArray[np.float64],
    lower: NDArray[np.float64],
    upper: NDArray[np.float64],
    sum: float,
    gamma: float,
    tolerance: float,
    max_iterations: int,
) -> tuple[NDArray[np.float64], float, int, int, bool]: ...
def instruction_set() -> str: ...
