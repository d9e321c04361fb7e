"""The layers of a scene: points, Gaussians, lines and ellipsoids."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from svgm.checks.arguments import as_indices, count, flag, one_line, positive, text
from svgm.checks.errors import InputError
from svgm.geometry.points import LARGEST, Array, as_numbers
from svgm.mixture.full_gaussians import as_covariances
from svgm.mixture.mixture import Mixture, checked_variance
from svgm.view.colours import TARGET, rgb

#: Largest coordinate of a scene: browsers draw in single precision.
LARGEST_COORDINATE = 1e30


@dataclass(frozen=True, eq=False, kw_only=True)
class Layer:
    """The part that all layers of a scene have in common; use one of its subclasses.

    Parameters
    ----------
    name : str
        Name in the list of layers.  Layers of the same name are shown and hidden together.
    colour : str, default "#1b6ca8"
        Written as "#rrggbb".
    moves : bool, default False
        Whether the frames of the scene move the layer.
    frame : int, optional
        Number of the only frame in which the layer is visible.  The default is all frames.
    shown : bool, default True
        Whether the layer is visible at first.

    Raises
    ------
    InputError
        If an argument is not what is said above.

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
        """The name as messages show it."""
        return one_line(self.name)

    @property
    def places(self) -> Array:
        """The places that the layer covers, (n, d): the camera is set by them."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False, kw_only=True)
class Cloud(Layer):
    """Points of one colour, coloured by a value each, or with a colour each.

    Parameters
    ----------
    points : array_like of shape (n, d)
        d is 2 or 3; coordinates are finite and within 1e30.
    values : array_like of shape (n,), optional
        In [0, 1]: 0 is dark, 1 is bright.  The default is one colour.
    colours : array_like of shape (n, 3), optional
        Red, green and blue of each point, each in [0, 1], such as those of a photograph.  They are shown in place of
        the values and of the one colour.
    name, colour, moves, frame, shown
        As for every :class:`Layer`.

    Raises
    ------
    InputError
        If an argument is not what is said above.

    Examples
    --------
    >>> Cloud(name="two points", points=[[0.0, 0.0], [1.0, 0.0]], values=[0.0, 1.0]).places.shape
    (2, 2)
    """

    points: Array
    values: Array | None = None
    colours: Array | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        points = _rows(self.points, f"{self._label}: points")
        object.__setattr__(self, "points", points)
        if self.values is not None:
            values = as_numbers(self.values, f"{self._label}: values")
            if values.shape != (len(points),) or not ((values >= 0) & (values <= 1)).all():
                raise InputError(f"{self._label}: values must be {len(points)} numbers in [0, 1], one for each point")
            object.__setattr__(self, "values", values)
        if self.colours is not None:
            colours = as_numbers(self.colours, f"{self._label}: colours")
            if colours.shape != (len(points), 3) or not ((colours >= 0) & (colours <= 1)).all():
                raise InputError(f"{self._label}: colours must be {len(points)} rows of three numbers in [0, 1]")
            object.__setattr__(self, "colours", colours)

    @property
    def places(self) -> Array:
        """The points."""
        return self.points


@dataclass(frozen=True, eq=False, kw_only=True)
class Gaussians(Layer):
    """Components of a mixture.

    Parameters
    ----------
    means : array_like of shape (n, d)
        d is 2 or 3; coordinates are finite and within 1e30.
    weights : array_like of shape (n,)
        Not negative, and not all zero.
    sigma : float
        Standard deviation of all components, positive and at most 1e30.
    covariances : array_like of shape (n, d, d), optional
        Covariances of the components, as :class:`svgm.Mixture` takes them.  The default is sigma² I.
    name, colour, moves, frame, shown
        As for every :class:`Layer`.

    Raises
    ------
    InputError
        If an argument is not what is said above.

    Examples
    --------
    >>> Gaussians(name="mixture", means=[[0.0, 0.0]], weights=[1.0], sigma=0.5).places.tolist()
    [[0.0, 0.0]]
    """

    means: Array
    weights: Array
    sigma: float
    covariances: Array | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        means = _rows(self.means, f"{self._label}: means")
        weights = as_numbers(self.weights, f"{self._label}: weights")
        sigma = positive(f"{self._label}: sigma", self.sigma, most=LARGEST_COORDINATE)
        if weights.shape != (len(means),) or not (weights >= 0).all() or not 0 < weights.sum() <= LARGEST:
            rule = f"{len(means)} numbers that are not negative, and not all zero"
            raise InputError(f"{self._label}: weights must be {rule}, got shape {weights.shape}")
        object.__setattr__(self, "means", means)
        object.__setattr__(self, "weights", weights)
        if self.covariances is not None:
            variance = checked_variance(float(self.sigma) ** 2, f"{self._label}: sigma²")
            object.__setattr__(self, "covariances", as_covariances(self.covariances, means, variance))
        object.__setattr__(self, "sigma", sigma)

    @property
    def places(self) -> Array:
        """The means."""
        return self.means


@dataclass(frozen=True, eq=False, kw_only=True)
class Lines(Layer):
    """Straight lines between vertices.

    Parameters
    ----------
    vertices : array_like of shape (n, d)
        d is 2 or 3; coordinates are finite and within 1e30.
    pairs : array_like of int of shape (m, 2), optional
        Numbers of the two vertices of each line.  The default joins each vertex with the next.
    name, colour, moves, frame, shown
        As for every :class:`Layer`.

    Raises
    ------
    InputError
        If an argument is not what is said above.

    Examples
    --------
    >>> path = Lines(name="path", vertices=[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]])
    >>> path.places.shape, path.ends.tolist()
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
    """Ellipsoids; in 2D ellipses.

    Parameters
    ----------
    centres : array_like of shape (n, d)
        d is 2 or 3; coordinates are finite and within 1e30.
    axes : array_like of shape (n, d, d)
        Half axes of each ellipsoid, the columns of its matrix.
    name, colour, moves, frame, shown
        As for every :class:`Layer`.

    Raises
    ------
    InputError
        If an argument is not what is said above.

    Examples
    --------
    >>> Ellipsoids(name="flat", centres=[[0.0, 0.0]], axes=[[[2.0, 0.0], [0.0, 1.0]]]).places.tolist()
    [[0.0, 0.0]]
    """

    centres: Array
    axes: Array

    def __post_init__(self) -> None:
        super().__post_init__()
        centres = _rows(self.centres, f"{self._label}: centres")
        axes = as_numbers(self.axes, f"{self._label}: axes")
        if axes.shape != (*centres.shape, centres.shape[1]) or not (np.abs(axes) <= LARGEST_COORDINATE).all():
            raise InputError(f"{self._label}: axes must be finite, one matrix for each centre, got shape {axes.shape}")
        object.__setattr__(self, "centres", centres)
        object.__setattr__(self, "axes", axes)

    @property
    def places(self) -> Array:
        """The centres."""
        return self.centres


def mixture_layer(mixture: Mixture, chosen: Any = None, **options: Any) -> Gaussians:
    """The chosen components of a mixture as a layer with these options; by default those of positive weight.

    >>> mixture = Mixture([[0.0, 0.0], [1.0, 0.0]], 0.25, [0.5, 0.5])
    >>> mixture_layer(mixture, mixture.means[:, 0] > 0, name="right").means.tolist()
    [[1.0, 0.0]]
    """
    if chosen is None:
        chosen = mixture.weights > 0
    means, weights, shapes = mixture.means[chosen], mixture.weights[chosen], mixture.covariances
    if shapes is not None:
        shapes = shapes[chosen]
    return Gaussians(means=means, weights=weights, sigma=mixture.sigma, covariances=shapes, **options)


def _rows(value: Array, name: str) -> Array:
    rows = as_numbers(value, name)
    if rows.ndim != 2 or rows.shape[1] not in (2, 3) or not len(rows) or not (np.abs(rows) <= LARGEST_COORDINATE).all():
        rule = f"finite, within {LARGEST_COORDINATE:g}, of shape (n, 2) or (n, 3)"
        raise InputError(f"{name} must be {rule}, got shape {rows.shape}")
    return rows
