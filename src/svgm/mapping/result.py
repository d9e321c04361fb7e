"""The result of a map: poses, one merged mixture, and the pose graph behind them."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from svgm.checks.arguments import LARGEST, as_floats, shown
from svgm.checks.errors import InputError
from svgm.geometry.points import Array
from svgm.mapping.edge import Edge
from svgm.mapping.joints import Joint
from svgm.mapping.map_file import read_map_file, write_map_file
from svgm.mixture.mixture import Mixture


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
    >>> result.whole, len(result.pieces), result.scans
    (True, 1, [0, 1, 2, 3])

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
            "edges": [_listed(edge) for edge in self.edges],
            "rejected": [{**_listed(edge), "why": why} for edge, why in self.rejected],
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
        write_map_file(path, self.pieces)

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
        main, *others = [MapResult(**fields) for fields in read_map_file(path)]
        return replace(main, others=tuple(others))


def checked_times(value: Any, count: int) -> Array:
    """Times of so many scans; NaN where it is not known."""
    clock = as_floats(value, "times")
    if clock.shape != (count,) or not (np.isnan(clock) | (np.abs(clock) <= LARGEST)).all():
        raise InputError(f"times must be {count} numbers, one for each scan, got {shown(value)}")
    return clock


def _listed(edge: Edge) -> dict[str, Any]:
    """An edge without its covariance."""
    return {name: value for name, value in edge.as_dict().items() if name != "covariance"}
