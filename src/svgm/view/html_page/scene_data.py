"""Scenes as the data of an HTML page: plain values, and arrays in base64."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from svgm.checks.errors import InputError
from svgm.geometry.normals import estimate_normals
from svgm.geometry.points import Array
from svgm.mixture.mixture import Mixture
from svgm.rigid import apply, rotation_quaternion
from svgm.view.colours import heat
from svgm.view.scenes.display_coordinates import point_spacing, solid_covariances, to_3d
from svgm.view.scenes.layers import Cloud, Ellipsoids, Gaussians, Layer, Lines
from svgm.view.scenes.scene import Scene

#: Points of a cloud in a file, at most: every k-th of more.  80,000 points take 1 MB.
MOST_WRITTEN_POINTS = 100_000

#: Places that are used to find the size of a scene, at most.
MOST_FOCUS_PLACES = 20_000

#: Optical depth of a mixture where it is dense.
DENSEST_DEPTH = 1.8

#: If the box of a layer is larger than its inner part by this factor, 16 bits a coordinate are too coarse.
WIDE_BOX = 10.0

#: Frames whose extents differ by less than this factor are seen from one distance.
SAME_DISTANCE = 1.6


def encode(scenes: Sequence[Scene]) -> dict[str, Any]:
    """Scenes as plain values: arrays in base64, each once however many layers show it."""
    arrays: dict[str, str] = {}

    def keep(array: NDArray[Any]) -> str:
        data = np.ascontiguousarray(array).tobytes()
        key = hashlib.sha256(data).hexdigest()[:16]
        arrays[key] = base64.b64encode(data).decode("ascii")
        return key

    shown = [_scene(scene, keep) for scene in scenes]
    return {"scenes": shown, "arrays": arrays, "heat": heat(np.linspace(0.0, 1.0, 9)).tolist()}


def _scene(scene: Scene, keep: Any) -> dict[str, Any]:
    # Numbers near zero, so that single precision is enough: survey coordinates go into float64 offsets.
    centre = np.median(to_3d(scene.places()), axis=0)
    moving = [layer.places for layer in scene.layers if layer.moves]
    pivot = to_3d(np.vstack(moving)).mean(axis=0) - centre if moving else np.zeros(3)
    densities = _densities(scene)
    return {
        "title": scene.title,
        "dimension": scene.dimension,
        "towards": scene.towards.tolist(),
        "up": scene.up.tolist(),
        "pivot": pivot.tolist(),
        "frames": [_frame(frame.label, _pose_to_3d(frame.transformation), pivot, centre) for frame in scene.frames],
        "focus": _focus(scene, centre),
        "layers": [_layer(layer, densities, centre, keep) for layer in scene.layers],
    }


def _frame(label: str, T: Array, pivot: Array, centre: Array) -> dict[str, Any]:
    place = apply(T, (pivot + centre)[None])[0] - centre
    return {"label": label, "turn": rotation_quaternion(T[:3, :3]).tolist(), "pivot": place.tolist()}


def _focus(scene: Scene, centre: Array) -> list[list[float]]:
    """Centre and radius of each frame, without far outliers; the same for all frames if the extents are similar."""
    found = []
    for number in range(max(1, len(scene.frames))):
        places = scene.places(number)
        places = to_3d(places[:: -(-len(places) // MOST_FOCUS_PLACES)]) - centre
        low, high = np.quantile(places, [0.005, 0.995], axis=0)
        found.append([*(0.5 * (low + high)), 0.45 * float(np.linalg.norm(high - low)) or 1.0])
    widest = max(focus[3] for focus in found)
    if widest < SAME_DISTANCE * found[-1][3]:
        found = [[*found[-1][:3], widest]] * len(found)
    return [[float(value) for value in focus] for focus in found]


def _layer(layer: Layer, densities: Mapping[int | None, float], centre: Array, keep: Any) -> dict[str, Any]:
    common = {
        "name": layer.name,
        "colour": layer.colour,
        "moves": layer.moves,
        "frame": layer.frame,
        "shown": layer.shown,
    }
    if isinstance(layer, Cloud):
        return {**common, "kind": "cloud", **_cloud(layer, centre, keep)}
    if isinstance(layer, Gaussians):
        return {
            **common,
            "kind": "gaussians",
            **_boxed(layer.means, centre, keep),
            "sigma": float(layer.sigma),
            **({} if layer.covariances is None else {"shapes": keep(_shapes(layer.covariances, layer.sigma))}),
            "weights": keep(_bytes(layer.weights / layer.weights.max())),
            # Of the heaviest component, so that the densest mixture of a frame has the depth `DENSEST_DEPTH`.
            "opacity": DENSEST_DEPTH * float(layer.weights.max()) / densities[layer.frame],
        }
    if isinstance(layer, Ellipsoids):
        axes = np.zeros((len(layer.centres), 3, 3))
        d = layer.centres.shape[1]
        axes[:, :d, :d] = np.swapaxes(layer.axes, 1, 2)  # each row is an axis
        return {**common, "kind": "ellipsoids", **_floats(to_3d(layer.centres)[:, None], centre, keep, beside=axes)}
    if isinstance(layer, Lines):
        return {**common, "kind": "lines", **_floats(to_3d(layer.vertices)[layer.ends], centre, keep)}
    raise InputError(f"{layer.name}: layers of type {type(layer).__name__} cannot be drawn")


def _densities(scene: Scene) -> dict[int | None, float]:
    """By frame, of the densest mixture: the density seen through where it is dense, over a component's peak."""
    found: dict[int | None, float] = {}
    for layer in scene.layers:
        if isinstance(layer, Gaussians):
            total = float(layer.weights.sum())
            shapes = None if layer.covariances is None else solid_covariances(layer.covariances, layer.sigma)
            solid = Mixture(to_3d(layer.means), layer.sigma**2, layer.weights / total, covariances=shapes)
            page = scene.camera.marginal(solid)
            sums = page.kernel_sum(page.means)
            found[layer.frame] = max(found.get(layer.frame, 0.0), total * float(np.quantile(sums, 0.9)))
    return found


def _shapes(covariances: Array, sigma: float) -> NDArray[np.float32]:
    """Covariances in units of sigma², (n, 6): xx, yy, zz, yz, xz, xy."""
    solid = solid_covariances(covariances, sigma) / sigma**2
    return solid[:, [0, 1, 2, 1, 0, 0], [0, 1, 2, 2, 2, 1]].astype("<f4")


def _cloud(cloud: Cloud, centre: Array, keep: Any) -> dict[str, Any]:
    step = -(-len(cloud.points) // MOST_WRITTEN_POINTS)
    points = cloud.points[::step]
    fields = {**_boxed(points, centre, keep), "spacing": point_spacing(points)}
    if points.shape[1] == 3 and len(points) > 3:
        fields["normals"] = keep(_octahedral(estimate_normals(points, neighbours=min(12, len(points)))))
    if cloud.values is not None:
        fields["values"] = keep(_bytes(cloud.values[::step]))
    if cloud.colours is not None:
        fields["colours"] = keep(_bytes(cloud.colours[::step]))
    return fields


def _boxed(places: Array, centre: Array, keep: Any) -> dict[str, Any]:
    """Places in 16 bits a coordinate of their box: 1/65,535 of its size is less than a pixel.

    If far outliers make the box much larger than its inner part, single precision is used instead.
    """
    solid = to_3d(places) - centre
    low, size = solid.min(axis=0), np.ptp(solid, axis=0)
    seen = np.ptp(np.quantile(solid, [0.005, 0.995], axis=0), axis=0)
    if size.max() > WIDE_BOX * seen.max():
        middle = np.median(solid, axis=0)
        numbers = keep((solid - middle).astype("<f4"))
        return {"count": len(solid), "corner": middle.tolist(), "size": [1.0] * 3, "places": numbers, "exact": True}
    steps = np.rint(65535.0 * (solid - low) / np.where(size > 0, size, 1.0)).astype("<u2")
    return {"count": len(solid), "corner": low.tolist(), "size": size.tolist(), "places": keep(steps)}


def _floats(places: Array, centre: Array, keep: Any, beside: Array | None = None) -> dict[str, Any]:
    """Places (n, k, 3) in single precision about a corner of their own, with more rows beside those of each."""
    corner = places.reshape(-1, 3).mean(axis=0) if len(places) else centre
    rows = places - corner
    if beside is not None:
        rows = np.concatenate([rows, beside], axis=1)
    start = (corner - centre).tolist()
    return {"count": len(rows), "corner": start, "size": [1.0, 1.0, 1.0], "places": keep(rows.astype("<f4"))}


def _octahedral(normals: Array) -> NDArray[np.int8]:
    """Unit vectors (n, 3) on an octahedron folded flat: two bytes each, (n, 2)."""
    flat = normals / np.abs(normals).sum(axis=1, keepdims=True)
    signs = np.where(flat[:, :2] < 0, -1.0, 1.0)
    folded = np.where(flat[:, 2:] < 0, (1.0 - np.abs(flat[:, 1::-1])) * signs, flat[:, :2])
    return np.asarray(np.rint(127.0 * folded), dtype=np.int8)


def _bytes(shares: Array) -> NDArray[np.uint8]:
    return np.asarray(np.rint(255.0 * shares), dtype=np.uint8)


def _pose_to_3d(T: Array) -> Array:
    if len(T) == 4:
        return T
    solid = np.eye(4)
    solid[:2, :2], solid[:2, 3] = T[:2, :2], T[:2, 2]
    return solid
