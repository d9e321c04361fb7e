"""What there is to see, as plain values: layers, and frames through which some of them move.

A scene is drawn into one HTML file (`svgm.view.page`) or live in the browser (`svgm.view.live`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from svgm.checks.arguments import as_indices, count, flag, listed, one_line, positive, shown, text
from svgm.checks.errors import InputError
from svgm.geometry.points import LARGEST, SMALLEST, Array, as_numbers
from svgm.rigid import apply, as_pose
from svgm.view.camera import Camera
from svgm.view.canvas import TARGET
from svgm.view.colours import rgb

#: Coordinates of a scene, at most: browsers draw in single precision.
FARTHEST = 1e30


@dataclass(frozen=True, eq=False, kw_only=True)
class Layer:
    """One thing in a scene that can be shown and hidden by itself.

    Attributes
    ----------
    name
        In the list of layers.  Layers of one name are shown and hidden together.
    colour
        "#rrggbb".
    moves
        Whether the frames' transformations move it; the others stay where they are.
    frame
        The one frame that it is part of; None for all.
    shown
        Whether it is seen at first.

    Examples
    --------
    >>> layer = Cloud(name="target", points=np.zeros((1, 3)), colour="#1b6ca8")
    >>> isinstance(layer, Layer), layer.shown, layer.moves, layer.places.shape
    (True, True, False, (1, 3))
    """

    name: str
    colour: str = TARGET
    moves: bool = False
    frame: int | None = None
    shown: bool = True

    def __post_init__(self) -> None:
        text("name", self.name)
        rgb(self.colour)  # raises what is wrong with it
        flag("moves", self.moves)
        flag("shown", self.shown)
        if self.frame is not None:
            count("frame", self.frame, least=0)

    @property
    def _label(self) -> str:
        """What messages call it."""
        return one_line(self.name)

    @property
    def places(self) -> Array:
        """The places that it covers, (n, d), to set the camera by."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False, kw_only=True)
class Cloud(Layer):
    """Points (n, d), d 2 or 3, of one colour, or coloured by values (n,) from 0 (dark) to 1 (bright).

    >>> Cloud(name="two points", points=[[0.0, 0.0], [1.0, 0.0]], values=[0.0, 1.0]).places.shape
    (2, 2)
    """

    points: Array
    values: Array | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        points = _rows(self.points, f"{self._label}: points")
        object.__setattr__(self, "points", points)
        if self.values is not None:
            values = as_numbers(self.values, f"{self._label}: values")
            if values.shape != (len(points),) or not ((values >= 0) & (values <= 1)).all():
                raise InputError(f"{self._label}: values must be {len(points)} numbers in [0, 1], one a point")
            object.__setattr__(self, "values", values)

    @property
    def places(self) -> Array:
        """The points."""
        return self.points


@dataclass(frozen=True, eq=False, kw_only=True)
class Gaussians(Layer):
    """Components of a mixture: means (n, d), weights (n,) that are not negative, and one sigma.

    >>> Gaussians(name="mixture", means=[[0.0, 0.0]], weights=[1.0], sigma=0.5).places.tolist()
    [[0.0, 0.0]]
    """

    means: Array
    weights: Array
    sigma: float

    def __post_init__(self) -> None:
        super().__post_init__()
        means = _rows(self.means, f"{self._label}: means")
        weights = as_numbers(self.weights, f"{self._label}: weights")
        positive(f"{self._label}: sigma", self.sigma, most=FARTHEST)
        if weights.shape != (len(means),) or not (weights >= 0).all() or not 0 < weights.sum() <= LARGEST:
            rule = f"{len(means)} numbers that are not negative, some not zero"
            raise InputError(f"{self._label}: weights must be {rule}, got shape {weights.shape}")
        object.__setattr__(self, "means", means)
        object.__setattr__(self, "weights", weights)

    @property
    def places(self) -> Array:
        """The means."""
        return self.means


@dataclass(frozen=True, eq=False, kw_only=True)
class Lines(Layer):
    """Straight lines between vertices (n, d): pairs (m, 2) of their numbers, by default each with the next.

    >>> way = Lines(name="way", vertices=[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]])
    >>> way.places.shape, way.ends.tolist()
    ((3, 2), [[0, 1], [1, 2]])
    """

    vertices: Array
    pairs: NDArray[np.intp] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        vertices = _rows(self.vertices, f"{self._label}: vertices")
        object.__setattr__(self, "vertices", vertices)
        if self.pairs is not None:
            pairs = as_indices(self.pairs, f"{self._label}: pairs", 2, "vertices", len(vertices))
            object.__setattr__(self, "pairs", pairs.astype(np.intp))

    @property
    def ends(self) -> NDArray[np.intp]:
        """The pairs, (m, 2)."""
        first = np.arange(len(self.vertices) - 1)
        return np.column_stack([first, first + 1]) if self.pairs is None else self.pairs

    @property
    def places(self) -> Array:
        """The vertices."""
        return self.vertices


@dataclass(frozen=True, eq=False, kw_only=True)
class Ellipsoids(Layer):
    """Centres (n, d) and half axes (n, d, d), the columns of each matrix.

    >>> Ellipsoids(name="flat", centres=[[0.0, 0.0]], axes=[[[2.0, 0.0], [0.0, 1.0]]]).places.tolist()
    [[0.0, 0.0]]
    """

    centres: Array
    axes: Array

    def __post_init__(self) -> None:
        super().__post_init__()
        centres = _rows(self.centres, f"{self._label}: centres")
        axes = as_numbers(self.axes, f"{self._label}: axes")
        if axes.shape != (*centres.shape, centres.shape[1]) or not (np.abs(axes) <= FARTHEST).all():
            raise InputError(f"{self._label}: axes must be finite, one matrix a centre, got shape {axes.shape}")
        object.__setattr__(self, "centres", centres)
        object.__setattr__(self, "axes", axes)

    @property
    def places(self) -> Array:
        """The centres."""
        return self.centres


@dataclass(frozen=True, eq=False)
class Frame:
    """Where the moving layers are at one moment: a label, and the pose (d+1, d+1) that moves them there.

    >>> Frame("before", np.eye(4)).label
    'before'
    """

    label: str
    transformation: Array

    def __post_init__(self) -> None:
        label = one_line(text("label", self.label))
        as_pose(self.transformation, 3 if np.shape(as_numbers(self.transformation, label)) == (4, 4) else 2, label)


@dataclass(frozen=True, eq=False)
class Scene:
    """Layers of one dimension, 2 or 3, and the frames that the moving ones go through.

    The last frame is the one seen at first.  `towards` is the direction (3,) from the scene to the viewer at first,
    `up` the one that stays up on the screen; by default the broad side is seen, and a coordinate axis is up.  A plane
    is looked down upon, y being up.

    Examples
    --------
    >>> square = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    >>> shift = np.array([[1.0, 0.0, 2.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    >>> layers = [Cloud(name="target", points=square + [2, 0]), Cloud(name="source", points=square, moves=True)]
    >>> scene = Scene(layers, [Frame("before", np.eye(3)), Frame("after", shift)], title="two squares")
    >>> scene.dimension, scene.names
    (2, ['target', 'source'])
    >>> scene.places(1).max(axis=0)
    array([3., 1.])
    >>> scene.camera.axes.tolist()
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """

    layers: Sequence[Layer]
    frames: Sequence[Frame] = ()
    title: str = ""
    towards: Any = None  # an array once it is made, whatever was given
    up: Any = None

    def __post_init__(self) -> None:
        text("title", self.title)
        object.__setattr__(self, "layers", listed("layers", self.layers, Layer))
        object.__setattr__(self, "frames", listed("frames", self.frames, Frame))
        if not self.layers:
            raise InputError("a scene must have at least one layer, got none")
        if any(type(layer) is Layer for layer in self.layers):
            raise InputError("layers must be of a kind that is drawn, such as a Cloud, got a plain Layer")
        if len({layer.places.shape[1] for layer in self.layers}) > 1:
            raise InputError("the layers of a scene must have the same dimension")
        for frame in self.frames:
            as_pose(frame.transformation, self.dimension, one_line(frame.label))
        late = [layer.frame for layer in self.layers if layer.frame is not None]
        if late and not 0 <= min(late) <= max(late) < len(self.frames):
            raise InputError(f"layers must be part of frames below {len(self.frames)}, got {max(late)}")
        for name, usual in zip(("towards", "up"), self._usual_view(), strict=True):
            given = getattr(self, name)
            direction = as_numbers(usual if given is None else given, name)
            if direction.shape != (3,) or not SMALLEST < np.abs(direction).max() <= LARGEST:
                raise InputError(f"{name} must be a direction, three numbers that are not all zero, got {shown(given)}")
            object.__setattr__(self, name, direction)

    def _usual_view(self) -> tuple[Array, Array]:
        if self.dimension == 2:
            return np.array([0.0, 0.0, 1.0]), np.array([0.0, 1.0, 0.0])
        axes = Camera.facing(self.places()).axes
        # A coordinate axis is up, since files keep their makers' idea of it.
        return axes[2], np.eye(3)[np.argmax(np.abs(axes[1]))]

    @property
    def camera(self) -> Camera:
        """At first, of places in space: those of a plane have z zero."""
        return Camera.at(self.towards, tuple(self.up))

    @property
    def dimension(self) -> int:
        """2 or 3."""
        return int(self.layers[0].places.shape[1])

    @property
    def names(self) -> list[str]:
        """Of the layers, each once."""
        return list(dict.fromkeys(layer.name for layer in self.layers))

    def places(self, frame: int | None = None) -> Array:
        """All places (n, d) as they are in a frame; by default the last one."""
        last = len(self.frames) - 1
        number = last if frame is None else count("frame", frame, least=0, most=max(last, 0))
        here = [layer for layer in self.layers if layer.frame in (None, number)] or self.layers
        return np.vstack([self._moved(layer, number) for layer in here])

    def _moved(self, layer: Layer, number: int) -> Array:
        return apply(self.frames[number].transformation, layer.places) if layer.moves and self.frames else layer.places


def _rows(value: Array, name: str) -> Array:
    rows = as_numbers(value, name)
    if rows.ndim != 2 or rows.shape[1] not in (2, 3) or not len(rows) or not (np.abs(rows) <= FARTHEST).all():
        rule = f"finite, within {FARTHEST:g}, of shape (n, 2) or (n, 3)"
        raise InputError(f"{name} must be {rule}, got shape {rows.shape}")
    return rows
