"""Files of transforms of any kind."""

from __future__ import annotations

import os

from svgm.geometry.transforms.affine import Affine
from svgm.geometry.transforms.archive import read_fields
from svgm.geometry.transforms.deformation import Deformation
from svgm.io.paths import as_path


def load_transform(path: str | os.PathLike[str]) -> Affine | Deformation:
    """Read a transform of any kind.

    Parameters
    ----------
    path : str or path
        A .npz file that the method ``save`` of a transform wrote.

    Returns
    -------
    Rigid, Similarity, Affine or Deformation

    Raises
    ------
    FileError
        If the file is missing, damaged or something else.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from svgm import Rigid
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Rigid(np.eye(3)).save(f"{folder}/still.npz")
    ...     load_transform(f"{folder}/still.npz")
    Rigid(2D, turned by 0 degrees)
    """
    kind = read_fields(as_path(path))["kind"]
    return Deformation.load(path) if kind == "deformation" else Affine.load(path)
