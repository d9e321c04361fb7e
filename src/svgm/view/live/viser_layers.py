"""The layers of a scene as nodes of viser, and their motion."""

from __future__ import annotations

from typing import Any

import numpy as np

from svgm.geometry.points import Array
from svgm.mixture.full_gaussians import log_heights
from svgm.mixture.mixture import Mixture
from svgm.rigid import apply, rotation_quaternion
from svgm.view.colours import heat, lit, rgb
from svgm.view.live.interpolation import interpolated_pose
from svgm.view.live.sphere_mesh import sphere_mesh
from svgm.view.scenes.display_coordinates import DisplayCoordinates, point_spacing, to_3d
from svgm.view.scenes.layers import Cloud, Ellipsoids, Gaussians, Layer, Lines
from svgm.view.scenes.scene import Scene

#: Points of a scene that are sent to the browser, at most; the clouds share them evenly.
MOST_SERVED_POINTS = 600_000

#: Components of a mixture that are sent, at most: the heaviest.  Ellipsoids that are sent, at most: the first.
MOST_SERVED_GAUSSIANS, MOST_SERVED_ELLIPSOIDS = 50_000, 5_000

#: Diameter of a point in units of the distance between neighbours, and its bounds as shares of the scene's size.
POINT_DIAMETER, SMALLEST_POINT, LARGEST_POINT = 1.2, 0.003, 0.01

#: Optical depth of a mixture at its median density: exp(-depth) is the share of the light that passes.
MEDIAN_DEPTH = 1.2

#: Distance between points and Gaussians of a 2D scene along z, as a share of the scene's size.
LAYER_DISTANCE = 0.005


class ViserLayers:
    """The nodes of viser's scene.

    All moving layers are children of one node, whose origin is their centre.  A frame is the pose of this node, so no
    layer is sent again when the scene moves.
    """

    def __init__(self, server: Any, scene: Scene, display: DisplayCoordinates) -> None:
        self.seen = {name: any(layer.shown for layer in scene.layers if layer.name == name) for name in scene.names}
        self._server, self._scene, self._display = server, scene, display
        moving = [layer.places for layer in scene.layers if layer.moves]
        self._centre = np.vstack(moving).mean(axis=0) if moving and scene.frames else display.centre
        self._most = MOST_SERVED_POINTS // max(sum(isinstance(layer, Cloud) for layer in scene.layers), 1)
        server.scene.world_axes.visible = False
        server.scene.configure_default_lights(cast_shadow=False)
        self._moving = server.scene.add_frame("/moving", show_axes=False)
        self._clouds: list[tuple[Any, float]] = []
        self._nodes = [self._draw(f"{number}", layer) for number, layer in enumerate(scene.layers)]
        self.move(len(scene.frames) - 1.0)

    def move(self, at: float) -> None:
        """Move the moving layers to a position between frames, and show the layers of the nearest frame."""
        with self._server.atomic():
            if self._scene.frames:
                pose = interpolated_pose(self._scene.frames, at, self._centre)
                d = self._scene.dimension
                turn = np.eye(3)
                turn[:d, :d] = pose[:d, :d]
                self._moving.wxyz = _wxyz(turn)
                self._moving.position = self._display.display(apply(pose, self._centre[None]))[0]
            for layer, node in zip(self._scene.layers, self._nodes, strict=True):
                node.visible = self._is_seen(layer, at)

    def see(self, name: str, seen: bool, at: float) -> None:
        """Show or hide the layers of a name."""
        self.seen[name] = seen
        self.move(at)

    def resize(self, factor: float) -> None:
        """Draw points larger or smaller than at first."""
        for cloud, size in self._clouds:
            cloud.point_size = factor * size

    def places(self, at: float) -> Array:
        """The visible places in display coordinates, (n, 3); all places if no layer is visible."""
        seen = [layer for layer in self._scene.layers if self._is_seen(layer, at)] or self._scene.layers
        frames = self._scene.frames
        pose = interpolated_pose(frames, at, self._centre) if frames else None
        moved = [layer.places if pose is None or not layer.moves else apply(pose, layer.places) for layer in seen]
        return self._display.display(np.vstack(moved))

    def _is_seen(self, layer: Layer, at: float) -> bool:
        return self.seen[layer.name] and layer.frame in (None, round(at))

    def _draw(self, number: str, layer: Layer) -> Any:
        moves = layer.moves and bool(self._scene.frames)
        name = f"/moving/{number}" if moves else f"/{number}"
        centre = self._centre if moves else self._display.centre
        match layer:
            case Cloud():
                return self._cloud(name, layer, centre, self._light(layer))
            case Gaussians():
                return self._gaussians(name, layer, centre)
            case Lines():
                return self._lines(name, layer, centre)
            case Ellipsoids():
                return self._ellipsoids(name, layer, centre)
        raise TypeError(f"layers of type {type(layer).__name__} are not drawn")

    def _local(self, places: Array, centre: Array) -> Array:
        return to_3d((places - centre) * self._display.scale)

    def _below(self, depth: float) -> Array:
        """A shift along z: in 2D, points are drawn over ellipses, and ellipses over Gaussians."""
        return np.array([0.0, 0.0, depth if self._scene.dimension == 2 else 0.0])

    def _light(self, layer: Layer) -> Array:
        """Direction of the light in the layer's coordinates: after the last frame, all layers have the same light."""
        if self._scene.dimension == 2 or not layer.moves or not self._scene.frames:
            return self._display.light
        last = self._scene.frames[-1 if layer.frame is None else layer.frame].transformation
        light: Array = last[:3, :3].T @ self._display.light
        return light

    def _cloud(self, name: str, layer: Cloud, centre: Array, light: Array) -> Any:
        step = -(-len(layer.points) // self._most)
        points = layer.points[::step]
        if layer.colours is not None:
            colours = lit(points - centre, layer.colours[::step], light)
        else:
            colours = lit(points - centre, layer.colour, light) if layer.values is None else heat(layer.values[::step])
        local = self._local(points, centre)
        size = float(np.clip(POINT_DIAMETER * point_spacing(local), SMALLEST_POINT, LARGEST_POINT))
        node = self._server.scene.add_point_cloud(
            name, local, colours, point_size=size, point_shape="circle", point_shading="flat", precision="float32"
        )
        self._clouds.append((node, size))
        return node

    def _gaussians(self, name: str, layer: Gaussians, centre: Array) -> Any:
        heaviest = np.argsort(-layer.weights, kind="stable")[:MOST_SERVED_GAUSSIANS]
        means = layer.means[heaviest]
        weights = layer.weights[heaviest] / max(float(layer.weights.max()), 1e-300)
        sigma = layer.sigma * self._display.scale
        # Covariances are sent in half precision.  In units of sigma they are exact, however small sigma is.
        shapes = np.tile(np.diag([1.0, 1.0, 1.0 if self._scene.dimension == 3 else 1e-3]), (len(weights), 1, 1))
        own, d = None if layer.covariances is None else layer.covariances[heaviest], self._scene.dimension
        if own is not None:
            shapes[:, :d, :d] = own / layer.sigma**2
            weights = weights * np.exp(log_heights(own, layer.sigma**2))
        return self._server.scene.add_gaussian_splats(
            name,
            (self._local(means, centre) - self._below(LAYER_DISTANCE)) / sigma,
            shapes,
            lit(means - centre, layer.colour, self._light(layer)),
            1.0 - np.exp(-MEDIAN_DEPTH * weights / _kernel_sum(means, weights, layer.sigma, own))[:, None],
            scale=sigma,
        )

    def _lines(self, name: str, layer: Lines, centre: Array) -> Any:
        ends = self._local(layer.vertices, centre)[layer.ends]
        colour = rgb(layer.colour)
        return self._server.scene.add_line_segments(name, ends, colour, thickness=2.0, thickness_units="screen")

    def _ellipsoids(self, name: str, layer: Ellipsoids, centre: Array) -> Any:
        d = self._scene.dimension
        axes = np.tile(np.diag([1.0, 1.0, 1e-3]), (len(layer.axes[:MOST_SERVED_ELLIPSOIDS]), 1, 1))
        axes[:, :d, :d] = layer.axes[:MOST_SERVED_ELLIPSOIDS] * self._display.scale
        turns, lengths, _ = np.linalg.svd(axes)
        turns[:, :, 2] *= np.sign(np.linalg.det(turns))[:, None]
        vertices, faces = sphere_mesh(3)
        return self._server.scene.add_batched_meshes_simple(
            name,
            vertices,
            faces,
            _wxyz(turns),
            self._local(layer.centres[:MOST_SERVED_ELLIPSOIDS], centre) - self._below(0.5 * LAYER_DISTANCE),
            batched_scales=lengths,
            batched_colors=rgb(layer.colour),
            opacity=0.5,
            material="toon5",
            lod="off",
            cast_shadow=False,
            receive_shadow=False,
        )


def _wxyz(rotation: Array) -> Array:
    """Quaternions in viser's order."""
    return np.roll(rotation_quaternion(rotation), 1, axis=-1)


def _kernel_sum(means: Array, peaks: Array, sigma: float, covariances: Array | None) -> float:
    """Median of the sum of kernels of these peaks, over a sample of the means."""
    weights = peaks if covariances is None else peaks * np.exp(-log_heights(covariances, sigma**2))
    total = weights.sum()
    mixture = Mixture(means, sigma**2, weights / total, covariances=covariances)
    return float(total * np.median(mixture.kernel_sum(means[:: -(-len(means) // 100)])))
