"""A scene: layers, and frames through which some of them move.

A scene is drawn into one HTML file (`svgm.view.html_page`) or live in the browser (`svgm.view.live`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from svgm.checks.arguments import count, listed, one_line, shown, text
from svgm.checks.errors import InputError
from svgm.geometry.points import LARGEST, SMALLEST, Array, as_numbers
from svgm.rigid import apply, as_pose
from svgm.view.camera import Camera
from svgm.view.scenes.layers import Layer


@dataclass(frozen=True, eq=False)
class Frame:
    """The pose of the moving layers at one step of a scene.

    Parameters
    ----------
    label : str
        Text that is shown with the frame.
    transformation : array_like of shape (d+1, d+1)
        Pose that moves the layers from their own coordinates; d is 2 or 3.

    Raises
    ------
    InputError
        If `transformation` is not a rigid motion.

    Examples
    --------
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
    """Layers, and the frames through which some of them move.

    Parameters
    ----------
    layers : sequence of Layer
        At least one; all in 2D or all in 3D.
    frames : sequence of Frame, default ()
        Poses of the layers that move, in order.  The last frame is shown first.
    title : str, default ""
        Title of the scene.
    towards : array_like of shape (3,), optional
        First direction of view, from the scene to the viewer.  The default shows the broad side; a 2D scene is seen
        from above.
    up : array_like of shape (3,), optional
        Direction that stays up on the screen.  The default is a coordinate axis; in 2D it is y.

    Raises
    ------
    InputError
        If there is no layer, the layers or frames differ in dimension, or a layer names a frame that does not exist.

    Examples
    --------
    >>> from svgm.view import Cloud
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
    towards: Any = None  # an array after __post_init__, whatever was given
    up: Any = None

    def __post_init__(self) -> None:
        text("title", self.title)
        object.__setattr__(self, "layers", listed("layers", self.layers, Layer))
        object.__setattr__(self, "frames", listed("frames", self.frames, Frame))
        if not self.layers:
            raise InputError("a scene must have at least one layer, got none")
        if any(type(layer) is Layer for layer in self.layers):
            raise InputError("layers must be of a class that can be drawn, such as Cloud, got a plain Layer")
        if len({layer.places.shape[1] for layer in self.layers}) > 1:
            raise InputError("the layers of a scene must have the same dimension")
        for frame in self.frames:
            as_pose(frame.transformation, self.dimension, one_line(frame.label))
        late = [layer.frame for layer in self.layers if layer.frame is not None]
        if late and not 0 <= min(late) <= max(late) < len(self.frames):
            raise InputError(f"a layer's frame must be below {len(self.frames)}, the number of frames, got {max(late)}")
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
        # In most files one of the coordinate axes is up.
        return axes[2], np.eye(3)[np.argmax(np.abs(axes[1]))]

    @property
    def camera(self) -> Camera:
        """The first direction of view, as a 3D camera; a 2D scene has z = 0."""
        return Camera.at(self.towards, tuple(self.up))

    @property
    def dimension(self) -> int:
        """2 or 3."""
        return int(self.layers[0].places.shape[1])

    @property
    def names(self) -> list[str]:
        """Names of the layers, each once."""
        return list(dict.fromkeys(layer.name for layer in self.layers))

    def places(self, frame: int | None = None) -> Array:
        """All places (n, d) of a frame, moved by its pose.

        Parameters
        ----------
        frame : int, optional
            Number of the frame.  The default is the last one.

        Returns
        -------
        ndarray of shape (n, d)

        Raises
        ------
        InputError
            If there is no such frame.
        """
        last = len(self.frames) - 1
        number = last if frame is None else count("frame", frame, least=0, most=max(last, 0))
        here = [layer for layer in self.layers if layer.frame in (None, number)] or self.layers
        return np.vstack([self._moved(layer, number) for layer in here])

    def _moved(self, layer: Layer, number: int) -> Array:
        return apply(self.frames[number].transformation, layer.places) if layer.moves and self.frames else layer.places

    def _repr_html_(self) -> str:
        """The scene inside a notebook: the same page as that of `write_html`, in a frame of its own, offline."""
        from html import escape

        from svgm.view.html_page.page import document

        page = document(self.title or "svgm", '<div class="svgm-scene"></div>', [self], "page.css")
        look = "width:100%;height:520px;border:1px solid #8884;border-radius:6px;background:#fff"
        return f'<iframe sandbox="allow-scripts" style="{look}" srcdoc="{escape(page)}"></iframe>'
