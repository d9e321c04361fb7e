"""The layers of a scene as things that viser draws, and how they move."""

from __future__ import annotations

from typing import Any

import numpy as np

from svgm.geometry.points import Array
from svgm.mixture.mixture import Mixture
from svgm.rigid import apply, rotation_quaternion
from svgm.view.colours import heat, lit, rgb
from svgm.view.glide import between
from svgm.view.scene import Cloud, Ellipsoids, Gaussians, Layer, Lines, Scene
from svgm.view.sphere import sphere
from svgm.view.stand import Stand, in_space, spacing

#: Points of a scene that are drawn, at most; its clouds share them evenly.
MOST_POINTS = 600_000

#: Components of a mixture that are drawn, at most, the heaviest first; ellipsoids likewise, the first.
MOST_GAUSSIANS, MOST_ELLIPSOIDS = 50_000, 5_000

#: Diameter of a point in distances between neighbours, and its bounds as shares of the scene's size.
POINT, SMALLEST, LARGEST = 1.2, 0.003, 0.01

#: Of Gaussians: how much of the light is lost where they lie as densely as in the middle of them, as an exponent.
DENSITY = 1.2

#: Between points and Gaussians of the plane, as a share of the scene's size.
DEPTH = 0.005


class Drawing:
    """The nodes of viser's scene.

    What moves hangs on one node with its origin at the centre of what moves: a frame is that node's pose, and
    nothing of the layers is sent again.
    """

    def __init__(self, server: Any, scene: Scene, stand: Stand) -> None:
        self.seen = {name: any(layer.shown for layer in scene.layers if layer.name == name) for name in scene.names}
        self._server, self._scene, self._stand = server, scene, stand
        moving = [layer.places for layer in scene.layers if layer.moves]
        self._centre = np.vstack(moving).mean(axis=0) if moving and scene.frames else stand.centre
        self._most = MOST_POINTS // max(sum(isinstance(layer, Cloud) for layer in scene.layers), 1)
        server.scene.world_axes.visible = False
        server.scene.configure_default_lights(cast_shadow=False)
        self._moving = server.scene.add_frame("/moving", show_axes=False)
        self._clouds: list[tuple[Any, float]] = []
        self._nodes = [self._draw(f"{number}", layer) for number, layer in enumerate(scene.layers)]
        self.move(len(scene.frames) - 1.0)

    def move(self, at: float) -> None:
        """Put the moving layers where they are at a place between frames, and show the layers of the nearest."""
        with self._server.atomic():
            if self._scene.frames:
                pose = between(self._scene.frames, at, self._centre)
                d = self._scene.dimension
                turn = np.eye(3)
                turn[:d, :d] = pose[:d, :d]
                self._moving.wxyz = _wxyz(turn)
                self._moving.position = self._stand.display(apply(pose, self._centre[None]))[0]
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
        """The places that are seen, as they are drawn, (n, 3); all if none are."""
        seen = [layer for layer in self._scene.layers if self._is_seen(layer, at)] or self._scene.layers
        frames = self._scene.frames
        pose = between(frames, at, self._centre) if frames else None
        moved = [layer.places if pose is None or not layer.moves else apply(pose, layer.places) for layer in seen]
        return self._stand.display(np.vstack(moved))

    def _is_seen(self, layer: Layer, at: float) -> bool:
        return self.seen[layer.name] and layer.frame in (None, round(at))

    def _draw(self, number: str, layer: Layer) -> Any:
        moves = layer.moves and bool(self._scene.frames)
        name = f"/moving/{number}" if moves else f"/{number}"
        centre = self._centre if moves else self._stand.centre
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
        return in_space((places - centre) * self._stand.scale)

    def _below(self, depth: float) -> Array:
        """In the plane, points lie over ellipses and those over Gaussians; seen from above nothing else changes."""
        return np.array([0.0, 0.0, depth if self._scene.dimension == 2 else 0.0])

    def _light(self, layer: Layer) -> Array:
        """In the layer's own frame, so that it falls on the answer as it does on what stays."""
        if self._scene.dimension == 2 or not layer.moves or not self._scene.frames:
            return self._stand.light
        last = self._scene.frames[-1 if layer.frame is None else layer.frame].transformation
        light: Array = last[:3, :3].T @ self._stand.light
        return light

    def _cloud(self, name: str, layer: Cloud, centre: Array, light: Array) -> Any:
        step = -(-len(layer.points) // self._most)
        points = layer.points[::step]
        colours = lit(points - centre, layer.colour, light) if layer.values is None else heat(layer.values[::step])
        local = self._local(points, centre)
        size = float(np.clip(POINT * spacing(local), SMALLEST, LARGEST))
        node = self._server.scene.add_point_cloud(
            name, local, colours, point_size=size, point_shape="circle", point_shading="flat", precision="float32"
        )
        self._clouds.append((node, size))
        return node

    def _gaussians(self, name: str, layer: Gaussians, centre: Array) -> Any:
        heaviest = np.argsort(-layer.weights, kind="stable")[:MOST_GAUSSIANS]
        means = layer.means[heaviest]
        weights = layer.weights[heaviest] / max(float(layer.weights.max()), 1e-300)
        sigma = layer.sigma * self._stand.scale
        # Covariances are sent in half precision: in units of sigma they are exact however small it is.
        covariance = np.diag([1.0, 1.0, 1.0 if self._scene.dimension == 3 else 1e-3])
        return self._server.scene.add_gaussian_splats(
            name,
            (self._local(means, centre) - self._below(DEPTH)) / sigma,
            np.tile(covariance, (len(weights), 1, 1)),
            lit(means - centre, layer.colour, self._light(layer)),
            1.0 - np.exp(-DENSITY * weights / _pile(means, weights, layer.sigma))[:, None],
            scale=sigma,
        )

    def _lines(self, name: str, layer: Lines, centre: Array) -> Any:
        ends = self._local(layer.vertices, centre)[layer.ends]
        colour = rgb(layer.colour)
        return self._server.scene.add_line_segments(name, ends, colour, thickness=2.0, thickness_units="screen")

    def _ellipsoids(self, name: str, layer: Ellipsoids, centre: Array) -> Any:
        d = self._scene.dimension
        axes = np.tile(np.diag([1.0, 1.0, 1e-3]), (len(layer.axes[:MOST_ELLIPSOIDS]), 1, 1))
        axes[:, :d, :d] = layer.axes[:MOST_ELLIPSOIDS] * self._stand.scale
        turns, lengths, _ = np.linalg.svd(axes)
        turns[:, :, 2] *= np.sign(np.linalg.det(turns))[:, None]
        vertices, faces = sphere(3)
        return self._server.scene.add_batched_meshes_simple(
            name,
            vertices,
            faces,
            _wxyz(turns),
            self._local(layer.centres[:MOST_ELLIPSOIDS], centre) - self._below(0.5 * DEPTH),
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


def _pile(means: Array, weights: Array, sigma: float) -> float:
    """How many components lie on each other, in units of the heaviest: the median over a sample."""
    total = weights.sum()
    mixture = Mixture(means, sigma**2, weights / total)
    return float(total * np.median(mixture.kernel_sum(means[:: -(-len(means) // 100)])))
