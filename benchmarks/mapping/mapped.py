"""What a run of ``svgm.map`` gave, as plain values: they cross to another process, and can be compared bit for bit."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.datasets import Array

#: Where the function is that makes maps; another one stands in for it in tests.
MAPPER = "svgm:map"


@dataclass(frozen=True)
class Edge:
    """A pose of scan `source` in the frame of scan `target`, and what the map thinks of it."""

    source: int
    target: int
    transformation: Array
    confidence: float
    kind: str
    trusted: bool


@dataclass(frozen=True)
class Mapped:
    """Poses (n, d+1, d+1), NaN for scans left out, with edges, the merged mixture's arrays, and times.

    ``components`` is the sum over the scans' own mixtures, ``phases`` the seconds of each part as the map tells them,
    ``seconds`` the wall time of the whole call.  ``pieces`` are the poses of each piece of the map.
    """

    poses: Array
    edges: tuple[Edge, ...]
    rejected: tuple[tuple[Edge, str], ...]
    left_out: dict[int, str]
    mixture: dict[str, Array]
    components: int
    phases: dict[str, float]
    seconds: float
    pieces: tuple[Array, ...] = ()

    @property
    def merged(self) -> int:
        """Components of the merged mixture."""
        return len(self.mixture["weights"])

    def summary(self) -> dict[str, Any]:
        """The figures that every experiment tells."""
        return {
            "scans": len(self.poses),
            "left out": {str(scan): reason for scan, reason in self.left_out.items()},
            "edges": len(self.edges),
            "trusted edges": sum(edge.trusted for edge in self.edges),
            "rejected edges": len(self.rejected),
            "components": self.components,
            "merged components": self.merged,
            "seconds": self.seconds,
            "phases": self.phases,
        }


def make_map(scans: Sequence[Array | str | Path], *, mapper: str = MAPPER, **options: Any) -> Mapped:
    """A map of the scans in this process; options are those of ``svgm.map``."""
    call = find(mapper)
    begin = time.perf_counter()
    result = call(list(scans), **options)
    return plain(result, time.perf_counter() - begin)


def plain(result: Any, seconds: float) -> Mapped:
    """The plain values of a map's result."""
    mixture = result.mixture
    bias = np.nan if mixture.bias is None else mixture.bias
    return Mapped(
        poses=np.array(result.poses, dtype=np.float64),
        edges=tuple(_edge(edge) for edge in result.edges),
        rejected=tuple((_edge(edge), str(reason)) for edge, reason in result.rejected),
        left_out={int(scan): str(reason) for scan, reason in result.left_out.items()},
        mixture={
            "means": np.array(mixture.means),
            "weights": np.array(mixture.weights),
            "variance": np.array(mixture.variance),
            "bias": np.array(bias, dtype=np.float64),
        },
        components=int(result.components),
        phases={str(phase): float(value) for phase, value in result.seconds.items()},
        seconds=seconds,
        pieces=tuple(np.array(piece.poses) for piece in getattr(result, "pieces", (result,))),
    )


def differences(a: Mapped, b: Mapped) -> list[str]:
    """What of two maps is not the same to the last bit; times do not count."""
    found = [] if _same(a.poses, b.poses) else ["poses"]
    found += [f"mixture, {name}" for name in a.mixture if not _same(a.mixture[name], b.mixture[name])]
    found += [] if _edges(a.edges) == _edges(b.edges) else ["edges"]
    rejected = [[(_edges([edge]), reason) for edge, reason in side.rejected] for side in (a, b)]
    found += [] if rejected[0] == rejected[1] else ["rejected edges"]
    found += [] if a.left_out == b.left_out else ["scans left out"]
    return found + ([] if a.components == b.components else ["components"])


def find(mapper: str) -> Callable[..., Any]:
    """The function that ``module:name`` names, or a clear end."""
    module, _, name = mapper.partition(":")
    call: Callable[..., Any] | None = getattr(import_module(module), name, None)
    if call is None:
        raise SystemExit(f"{module}.{name} is not there: this version makes no maps")
    return call


def _edge(edge: Any) -> Edge:
    pose = np.array(edge.transformation, dtype=np.float64)
    trusted = bool(edge.trusted)
    return Edge(int(edge.source), int(edge.target), pose, float(edge.confidence), str(edge.kind), trusted)


def _same(a: Array, b: Array) -> bool:
    # By bytes, so that NaN equals itself and -0 differs from 0.
    return a.shape == b.shape and a.tobytes() == b.tobytes()


def _edges(edges: Sequence[Edge]) -> list[tuple[object, ...]]:
    return [
        (e.source, e.target, e.transformation.tobytes(), np.float64(e.confidence).tobytes(), e.kind, e.trusted)
        for e in edges
    ]
