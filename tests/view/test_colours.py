"""Colours: even steps, and apart for any eye."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import svgm
from svgm.datasets import body
from svgm.view.colours import HEAT, PALETTE, heat, lit, rgb

#: Linear light to the responses of the eye's cones, and those, as cube roots, to OKLab.
CONES = np.array([[0.4122, 0.5363, 0.0514], [0.2119, 0.6807, 0.1074], [0.0883, 0.2817, 0.6300]])
OKLAB = np.array([[0.2105, 0.7936, -0.0041], [1.9780, -2.4286, 0.4506], [0.0259, 0.7828, -0.8087]])

#: What linear light looks like without one kind of cone, after Machado, Oliveira and Fernandes (2009).
EYES = {
    "all cones": np.eye(3),
    "no long": np.array([[0.1523, 1.0526, -0.2049], [0.1145, 0.7863, 0.0992], [-0.0039, -0.0481, 1.0520]]),
    "no middle": np.array([[0.3673, 0.8606, -0.2280], [0.2801, 0.6725, 0.0474], [-0.0118, 0.0429, 0.9689]]),
    "no short": np.array([[1.2555, -0.0767, -0.1788], [-0.0784, 0.9308, 0.1476], [0.0047, 0.6914, 0.3039]]),
}


def seen(colours: np.ndarray, eye: np.ndarray) -> np.ndarray:
    """Colours (n, 3) of bytes in OKLab, where distances are those that are seen."""
    share = colours / 255.0
    light = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    return np.cbrt(np.clip(light @ eye.T, 0.0, 1.0) @ CONES.T) @ OKLAB.T


def test_heat_rises_in_even_steps() -> None:
    places = seen(heat(np.linspace(0.0, 1.0, len(HEAT))), EYES["all cones"])
    steps = np.linalg.norm(np.diff(places, axis=0), axis=1)
    assert steps.max() < 1.1 * steps.min()
    assert (np.diff(places[:, 0]) > 0.02).all()


@pytest.mark.parametrize("eye", EYES)
def test_heat_grows_brighter_for_any_eye(eye: str) -> None:
    assert (np.diff(seen(heat(np.linspace(0.0, 1.0, 17)), EYES[eye])[:, 0]) > 0).all()


@pytest.mark.parametrize("eye", EYES)
def test_the_palette_is_told_apart_by_any_eye(eye: str) -> None:
    places = seen(np.array([rgb(colour) for colour in PALETTE]), EYES[eye])
    assert min(np.linalg.norm(a - b) for a, b in combinations(places, 2)) > 0.13


def test_values_beyond_the_ends_take_the_colours_of_the_ends() -> None:
    assert heat([-1.0, 2.0]).tolist() == heat([0.0, 1.0]).tolist()
    assert heat(np.zeros(0)).shape == (0, 3)


@pytest.mark.parametrize("text", ["red", "#12", "#12345g", "123456"])
def test_a_colour_that_is_none(text: str) -> None:
    with pytest.raises(svgm.InputError, match="#rrggbb"):
        rgb(text)


def test_a_surface_has_shades_of_its_colour() -> None:
    shades = lit(body(500, seed=1)[0], "#d95f02", np.array([0.0, 0.0, 1.0]))
    assert shades.shape == (500, 3)
    assert len(np.unique(shades, axis=0)) > 50
    assert (shades[:, 0] > shades[:, 2]).all()
    assert np.unique(lit(np.zeros((9, 2)), "#d95f02", np.zeros(3)), axis=0).tolist() == [[217, 95, 2]]
