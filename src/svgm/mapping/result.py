"""The result of a map: poses, one merged mixture, and the pose graph behind them."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from svgm.checks.arguments import LARGEST, as_finite, as_floats, shown
from svgm.checks.errors import InputError
from svgm.geometry.points import Array
from svgm.io.archive import archive_names, read_archive, write_archive
from svgm.io.errors import file_error, file_errors
from svgm.io.paths import as_path
from svgm.mapping.edge import Edge
from svgm.mapping.joints import Joint
from svgm.mixture.mixture import Mixture
from svgm.rigid import as_pose

#: Version 1 has no covariances of components, version 2 neither pieces nor joints nor second opinions.  A map that
#: needs none of these is still written as an older version, for older readers.
_FORMAT, _ISOTROPIC, _FULL, _PIECES = "svgm map", 1, 2, 3


@dataclass(frozen=True, eq=False)
class MapResult:
    """Poses of many scans, their merged mixture and their pose graph: what :func:`svgm.map` returns.

    Attributes
    ----------
    poses : ndarray of shape (n, d+1, d+1)
        Poses of the scans, p_world = R p_scan + t.  The world is the frame of the first scan.  NaN for scans that were
        left out.
    covariances : ndarray of shape (n, k, k)
        Covariance of each pose, k = 3 in 2D and 6 in 3D: of the error xi in ``pose_true = pose · Exp(xi)``, with xi =
        (rotation, translation) in the scan's frame.  The pose of the first scan counts as exact, and the edges count as
        right.  NaN for scans that were left out, and where rounding leaves no digits: the covariance is about the
        origin of a scan's coordinates, which should be near the scan.
    mixture : Mixture
        All scans, merged by GMMerge, in the world.
    edges : tuple of Edge
        The registrations on which the poses are based.
    rejected : tuple of (Edge, str)
        The registrations that were not used, each with the reason.
    left_out : dict of int to str
        The scans that are not in the map, by number, with the reason.
    components : int
        Number of components of all scans' own mixtures together.  The merged mixture has fewer.
    sigma : float
        Standard deviation of all these mixtures' components, in the points' unit.
    seconds : dict of str to float
        Time of each phase, in seconds.
    settings : dict
        The arguments of the run, and the constants that describe it.
    times : ndarray of shape (n,) or None
        Times of the scans in seconds; NaN where it is not known.
    joints : tuple of Joint
        Of a sequence, the steps that the least sure edges hold, the weakest first.
    others : tuple of MapResult
        The other pieces of the map, each a map of its own, in the frame of its first scan.  No trusted edge says where
        they lie.  Empty if the map is whole.  A scan of another piece is in `left_out`.

    Examples
    --------
    >>> import svgm, tempfile
    >>> from svgm.datasets import laser_scan, round_walk, storey
    >>> walls, places = storey(), round_walk(90)[:4]
    >>> result = svgm.map([laser_scan(walls, place, seed=k) for k, place in enumerate(places)])
    >>> result.poses.shape, result.left_out
    ((4, 3, 3), {})
    >>> all(edge.trusted for edge in result.edges), len(result.mixture) < result.components
    (True, True)
    >>> result.as_dict()["scans"]
    4

    To a file and back, bit for bit:

    >>> with tempfile.TemporaryDirectory() as folder:
    ...     result.save(f"{folder}/storey.npz")
    ...     same = svgm.MapResult.load(f"{folder}/storey.npz")
    >>> bool((same.poses == result.poses).all()), same.mixture == result.mixture
    (True, True)
    """

    poses: Array
    covariances: Array
    mixture: Mixture
    edges: tuple[Edge, ...]
    rejected: tuple[tuple[Edge, str], ...]
    left_out: dict[int, str]
    components: int
    sigma: float
    seconds: dict[str, float]
    settings: dict[str, Any]
    times: Array | None = None
    joints: tuple[Joint, ...] = ()
    others: tuple[MapResult, ...] = ()

    def __post_init__(self) -> None:
        for name in ("poses", "covariances", *([] if self.times is None else ["times"])):
            array = np.array(getattr(self, name), dtype=np.float64)
            array.setflags(write=False)
            object.__setattr__(self, name, array)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__post_init__()  # arrays of copies are read-only, too

    def __repr__(self) -> str:
        placed = len(self.poses) - len(self.left_out)
        kinds = {edge.kind for edge in self.edges}
        counts = ", ".join(f"{sum(edge.kind == kind for edge in self.edges)} {kind}" for kind in sorted(kinds))
        pieces = f"the largest of {len(self.pieces)} pieces: " if self.others else ""
        return (
            f"MapResult({pieces}{placed} of {len(self.poses)} scans, edges: {counts or 'none'}, "
            f"{len(self.mixture)} of {self.components} components)"
        )

    def with_times(self, times: ArrayLike) -> MapResult:
        """The same map with the scans' times.

        Parameters
        ----------
        times : array_like of shape (n,)
            Times of the scans in seconds; NaN where it is not known.

        Returns
        -------
        MapResult

        Raises
        ------
        InputError
            If there is not one time for each scan.

        Examples
        --------
        >>> import svgm
        >>> curve = svgm.datasets.butterfly(300)
        >>> svgm.map([curve, curve + 0.1]).with_times([7.0, 7.5]).times.tolist()
        [7.0, 7.5]
        """
        clock = checked_times(times, len(self.poses))
        return replace(self, times=clock, others=tuple(replace(piece, times=clock) for piece in self.others))

    @property
    def pieces(self) -> tuple[MapResult, ...]:
        """All pieces of the map, the largest first: this one and `others`."""
        return (self, *self.others)

    @property
    def whole(self) -> bool:
        """Whether all scans of the map hang together, so that there is one piece."""
        return not self.others

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from svgm.view import notebook

        return notebook.mapped(self.poses, self.as_dict())

    def as_dict(self) -> dict[str, Any]:
        """The record of the run as plain numbers and lists, without the mixture and the covariances."""
        return {
            "whole": self.whole,
            "pieces": [piece.scans for piece in self.pieces],
            "joints": [asdict(joint) for joint in self.joints],
            "scans": len(self.poses),
            "left_out": {str(number): reason for number, reason in sorted(self.left_out.items())},
            "components": len(self.mixture),
            "components_of_scans": self.components,
            "sigma": self.sigma,
            "settings": self.settings,
            "seconds": self.seconds,
            "edges": [_without(edge, "covariance") for edge in self.edges],
            "rejected": [{**_without(edge, "covariance"), "why": why} for edge, why in self.rejected],
        }

    @property
    def scans(self) -> list[int]:
        """Numbers of the scans of this piece."""
        return [int(scan) for scan in np.flatnonzero(np.isfinite(self.poses).all(axis=(1, 2)))]

    def plot(self, ax: Any = None) -> Any:
        """Draw the map by :func:`svgm.view.map_picture`, which needs matplotlib.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw.  The default is a new figure, which a notebook shows.

        Returns
        -------
        matplotlib.axes.Axes
            The Axes with the picture.

        Raises
        ------
        InputError
            If matplotlib is missing, or `ax` is something else.

        Examples
        --------
        >>> import svgm
        >>> curve = svgm.datasets.butterfly(300)
        >>> axes = svgm.map([curve, curve + 0.1]).plot()
        """
        from svgm.view import map_picture

        return map_picture(self, ax=ax)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write all fields to one .npz file, whole or not at all; nothing in it is pickled.

        Parameters
        ----------
        path : str or os.PathLike
            The file, which must end in .npz.

        Raises
        ------
        FileError
            If the name does not end in .npz or the file cannot be written.
        """
        version = max(piece._version for piece in self.pieces)
        write_archive(
            path,
            format=np.array(_FORMAT),
            version=np.array(version),
            **({} if version < _PIECES else {"pieces": np.array(len(self.pieces))}),
            **{
                f"{_prefix(number)}{name}": value
                for number, piece in enumerate(self.pieces)
                for name, value in piece._arrays().items()
            },
        )

    @property
    def _version(self) -> int:
        """The oldest version of the file format that holds this map."""
        extra = (
            self.others
            or self.joints
            or self.times is not None
            or any(edge.second != 1.0 or edge.loose for edge in self.edges)
        )
        return _PIECES if extra else _ISOTROPIC if self.mixture.covariances is None else _FULL

    def _arrays(self) -> dict[str, Array]:
        """The fields of this piece as arrays of a file."""
        edges = [*self.edges, *(edge for edge, _ in self.rejected)]
        record = {
            "edges": [_without(edge, "transformation", "covariance") for edge in edges],
            "rejected": [reason for _, reason in self.rejected],
            "left_out": list(self.left_out.items()),
            "components": self.components,
            "sigma": self.sigma,
            "seconds": self.seconds,
            "settings": self.settings,
            "joints": [asdict(joint) for joint in self.joints],
        }
        d, k = self.poses.shape[1], self.covariances.shape[1]
        return {
            "record": np.array(json.dumps(record, default=_plain)),
            "poses": self.poses,
            "covariances": self.covariances,
            **({} if self.times is None else {"times": self.times}),
            "mixture_means": self.mixture.means,
            "mixture_weights": self.mixture.weights,
            "mixture_variance": np.array(self.mixture.variance),
            "mixture_bias": np.array([] if self.mixture.bias is None else [self.mixture.bias]),
            **({} if self.mixture.covariances is None else {"mixture_covariances": self.mixture.covariances}),
            "edge_transformations": np.array([edge.transformation for edge in edges]).reshape(-1, d, d),
            "edge_covariances": np.array([edge.covariance for edge in edges]).reshape(-1, k, k),
        }

    @staticmethod
    def load(path: str | os.PathLike[str]) -> MapResult:
        """Read a map that :meth:`save` wrote; every number is the same bit for bit.

        Parameters
        ----------
        path : str or os.PathLike
            The file.

        Returns
        -------
        MapResult
            The map.

        Raises
        ------
        FileError
            If the file is missing, damaged, not a map of svgm, or of a newer version.
        """
        path = as_path(path)
        arrays = read_archive(path)
        if str(arrays.get("format")) != _FORMAT:
            raise file_error(path, "is not a map of svgm, as MapResult.save writes it")
        with file_errors(path, "is a damaged map"):
            version = int(arrays["version"])
            if version > _PIECES:
                raise file_error(path, f"is a map of version {version}, this svgm reads up to {_PIECES}")
            pieces = int(arrays["pieces"]) if version >= _PIECES else 1
            main, *others = [_piece(arrays, _prefix(number), version) for number in range(pieces)]
            return replace(main, others=tuple(others))


def _prefix(number: int) -> str:
    """What the names of a piece's arrays begin with."""
    return f"piece{number}_" if number else ""


def _piece(file: dict[str, Any], prefix: str, version: int) -> MapResult:
    """One piece of a file."""
    arrays = {name.removeprefix(prefix): array for name, array in file.items() if name.startswith(prefix)}
    record = json.loads(str(arrays["record"]))
    bias = as_floats(arrays["mixture_bias"], "bias")
    mixture = Mixture(
        arrays["mixture_means"],
        float(as_floats(arrays["mixture_variance"], "variance")),
        arrays["mixture_weights"],
        float(bias[0]) if bias.size else None,
        covariances=arrays["mixture_covariances"] if version == _FULL else arrays.get("mixture_covariances"),
    )
    d, k = mixture.dimension + 1, mixture.dimension * (mixture.dimension + 1) // 2
    poses, covariances = _stacked(arrays, "poses", d), _stacked(arrays, "covariances", k)
    transformations = _stacked(arrays, "edge_transformations", d)
    matrices = zip(transformations, _stacked(arrays, "edge_covariances", k), strict=True)
    edges = [_edge(fields, *pair) for fields, pair in zip(record["edges"], matrices, strict=True)]
    used = len(edges) - len(record["rejected"])
    if used < 0 or len(covariances) != len(poses):
        raise ValueError("its parts have different lengths")
    left_out = {int(number): str(reason) for number, reason in record["left_out"]}
    for number, (pose, covariance) in enumerate(zip(poses, covariances, strict=True)):
        if number not in left_out:
            as_pose(pose, mixture.dimension, "pose")
        elif not np.isnan(pose).all():
            raise ValueError(f"scan {number} was left out, but has a pose")
        if not np.isnan(covariance).all():
            as_finite(covariance, "covariance")
    return MapResult(
        poses=poses,
        covariances=covariances,
        mixture=mixture,
        edges=tuple(edges[:used]),
        rejected=tuple(zip(edges[used:], map(str, record["rejected"]), strict=True)),
        left_out=left_out,
        components=int(record["components"]),
        sigma=float(record["sigma"]),
        seconds={name: float(seconds) for name, seconds in record["seconds"].items()},
        settings=dict(record["settings"]),
        times=as_floats(arrays["times"], "times") if "times" in arrays else None,
        joints=tuple(Joint(**joint) for joint in record.get("joints", [])),
    )


def checked_times(value: Any, count: int) -> Array:
    """Times of so many scans; NaN where it is not known."""
    clock = as_floats(value, "times")
    if clock.shape != (count,) or not (np.isnan(clock) | (np.abs(clock) <= LARGEST)).all():
        raise InputError(f"times must be {count} numbers, one for each scan, got {shown(value)}")
    return clock


def is_map_file(path: str | os.PathLike[str]) -> bool:
    """Whether a path is an .npz file that :meth:`MapResult.save` wrote."""
    return str(path).lower().endswith(".npz") and {"format", "record", "poses"} <= set(archive_names(path))


def _without(edge: Edge, *names: str) -> dict[str, Any]:
    return {name: value for name, value in edge.as_dict().items() if name not in names}


def _plain(value: Any) -> Any:
    """A number of NumPy as one of Python, for JSON."""
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    raise TypeError(f"settings must hold plain values, got {type(value).__name__}")


def _stacked(arrays: dict[str, Any], name: str, size: int) -> Array:
    """Matrices (n, size, size) of a file."""
    array = as_floats(arrays[name], name, size, size)
    if array.ndim != 3:
        raise ValueError(f"{name} has shape {array.shape}")
    return array


def _edge(fields: dict[str, Any], transformation: Array, covariance: Array) -> Edge:
    source, target, kind = int(fields["source"]), int(fields["target"]), str(fields["kind"])
    confidence, overlap = float(fields["confidence"]), float(fields["overlap"])
    as_pose(transformation, len(transformation) - 1, "transformation")
    as_finite(covariance, "covariance")
    second, loose = float(fields.get("second", 1.0)), int(fields.get("loose", 0))
    return Edge(source, target, transformation, covariance, confidence, overlap, kind, second, loose)
