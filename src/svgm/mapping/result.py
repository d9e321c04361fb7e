"""What a map is: poses, one merged mixture, and the graph behind them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from svgm.geometry.points import Array
from svgm.mapping.edge import Edge
from svgm.mixture.mixture import Mixture


@dataclass(frozen=True, eq=False)
class MapResult:
    """Answer of :func:`svgm.map`.

    Attributes
    ----------
    poses
        (n, d+1, d+1), p_world = R p_scan + t; the world is the first scan's frame.  NaN for scans that were left out.
    covariances
        (n, k, k), k = 3 in 2D and 6 in 3D, of the error xi in ``pose_true = pose · Exp(xi)``, xi = (rotation,
        translation) in the scan's frame: what the pose graph leaves open of each pose, the first scan being where it
        is.  It takes the edges for right.  NaN for scans that were left out, or where rounding leaves nothing of it: it
        is about the origin of a scan's coordinates, which should be near the scan.
    mixture
        What all scans saw, merged by GMMerge, in the world.
    edges
        The registrations that the poses rest on.
    rejected
        Those that they do not rest on, each with the reason.
    left_out
        Scans that are not in the map, by number, with the reason.
    components
        Of the scans' own mixtures, together; the merged one has fewer.
    sigma
        Of all these mixtures, in the points' unit.
    seconds
        By phase.
    settings
        What the run was asked for, and what that came to.

    Examples
    --------
    >>> import svgm
    >>> from svgm.datasets import laser_scan, round_walk, storey
    >>> walls, places = storey(), round_walk(90)[:4]
    >>> result = svgm.map([laser_scan(walls, place, seed=k) for k, place in enumerate(places)])
    >>> result.poses.shape, result.left_out
    ((4, 3, 3), {})
    >>> all(edge.trusted for edge in result.edges), len(result.mixture) < result.components
    (True, True)
    >>> result.as_dict()["scans"]
    4
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

    def __post_init__(self) -> None:
        for name in ("poses", "covariances"):
            array = np.array(getattr(self, name), dtype=np.float64)
            array.setflags(write=False)
            object.__setattr__(self, name, array)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__post_init__()  # what is unpickled, or a copy, cannot be written to either

    def __repr__(self) -> str:
        placed = len(self.poses) - len(self.left_out)
        kinds = {edge.kind for edge in self.edges}
        counts = ", ".join(f"{sum(edge.kind == kind for edge in self.edges)} {kind}" for kind in sorted(kinds))
        return (
            f"MapResult({placed} of {len(self.poses)} scans, edges: {counts or 'none'}, "
            f"{len(self.mixture)} of {self.components} components)"
        )

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from svgm.view import notebook

        return notebook.mapped(self.poses, self.as_dict())

    def as_dict(self) -> dict[str, Any]:
        """The run record: plain numbers and lists, without the mixture."""
        return {
            "scans": len(self.poses),
            "left_out": {str(number): reason for number, reason in sorted(self.left_out.items())},
            "components": len(self.mixture),
            "components_of_scans": self.components,
            "sigma": self.sigma,
            "settings": self.settings,
            "seconds": self.seconds,
            "edges": [_brief(edge) for edge in self.edges],
            "rejected": [{**_brief(edge), "why": why} for edge, why in self.rejected],
        }


def _brief(edge: Edge) -> dict[str, Any]:
    fields = edge.as_dict()
    del fields["covariance"]
    return fields
