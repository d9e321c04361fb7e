"""Every bad argument is an InputError whose message names the parameter; a table of all of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from svgm import (
    Annealing,
    InputError,
    Mixture,
    estimate_scale,
    evaluate,
    fit,
    fit_two_class,
    kde,
    register,
    select_gamma,
)
from svgm.checks.arguments import as_numbers

POINTS = np.random.default_rng(3).normal(size=(30, 2))
MIXTURE = Mixture([[0.0, 0.0], [1.0, 0.0]], 0.25, [0.5, 0.5], bias=0.1)
PAIRS = [(POINTS, POINTS, np.eye(3))]
NAN, INF = np.nan, np.inf


def make_mixture(**changes: Any) -> Mixture:
    return Mixture(**{"means": [[0.0, 0.0]], "variance": 1.0, "weights": [1.0], **changes})


CALLS = {
    "fit": lambda **k: fit(POINTS, **k),
    "kde": lambda **k: kde(POINTS, **k),
    "fit_two_class": lambda **k: fit_two_class(POINTS, **k),
    "register": lambda **k: register(POINTS, POINTS, **k),
    "evaluate": lambda **k: evaluate(POINTS, POINTS, **{"T": np.eye(3), "max_distance": 1.0, **k}),
    "select_gamma": lambda **k: select_gamma(**{"training_pairs": PAIRS, "gammas": [1.0], **k}),
    "Annealing": lambda **k: Annealing(**k),
    "Mixture": make_mixture,
    "transformed": lambda **k: MIXTURE.transformed(**k),
    "density": lambda **k: MIXTURE.density(**{"x": POINTS, **k}),
    "decision": lambda **k: MIXTURE.decision(**{"x": POINTS, **k}),
    "log_density": lambda **k: MIXTURE.log_density(**k),
    "sample": lambda **k: MIXTURE.sample(**{"n": 3, "seed": 0, **k}),
    "estimate_scale": lambda **k: estimate_scale(**{"points": POINTS, **k}),
}

REFUSED = [
    ("fit", "nu", [0, -0.1, 1.01, NAN, INF]),
    ("fit", "gamma", [0, -1, NAN, INF]),
    ("fit", "scale", [0, -1, NAN, INF]),
    ("fit", "weights", [np.zeros(30), -np.ones(30), np.ones(29), np.full(30, NAN), np.ones((30, 1)), 1.0]),
    ("fit", "thinning", [-1, NAN, INF]),
    ("fit", "like", [1.0, "a.npz", Mixture([[0.0]], 1.0, [1.0])]),
    ("fit", "tolerance", [0, -1, NAN, INF]),
    ("kde", "gamma", [0, NAN]),
    ("kde", "scale", [0, INF]),
    ("kde", "weights", [np.zeros(30), np.ones(3)]),
    ("fit_two_class", "gamma", [0, -1, NAN]),
    ("fit_two_class", "scale", [0, NAN]),
    ("fit_two_class", "distance", [0, -1, NAN, INF]),
    ("fit_two_class", "cost", [0, -1, NAN, INF]),
    ("fit_two_class", "tolerance", [0, NAN]),
    ("fit_two_class", "viewpoint", ["a", [NAN, 0.0]]),
    ("register", "nu", [0, 2, NAN]),
    ("register", "gamma", [0, -1, NAN, INF]),
    ("register", "max_iterations", [0, -1]),
    ("register", "transform", ["projective", "", None, 3]),
    ("register", "init", [np.eye(4), 1.1 * np.eye(3), np.diag([1.0, -1.0, 1.0]), np.full((3, 3), NAN)]),
    ("evaluate", "max_distance", [0, -1, NAN, INF]),
    ("evaluate", "T", [np.eye(4), np.diag([1.0, -1.0, 1.0]), np.full((3, 3), NAN)]),
    ("select_gamma", "training_pairs", [[]]),
    ("select_gamma", "gammas", [[]]),
    ("select_gamma", "min_converged", [0, -1, 2, NAN]),
    ("select_gamma", "nu", [0, 2]),
    ("Annealing", "delta", [1, 0, -2, NAN, INF]),
    ("Annealing", "finest", [0, -1, NAN, INF]),
    ("Mixture", "means", [[], [[NAN, 0.0]], [1.0], [["a"]]]),
    ("Mixture", "variance", [0, -1, NAN, INF]),
    ("Mixture", "weights", [[0.5], [0.5, 0.5], [NAN], [[1.0]], [2.0], [-1.0], []]),
    ("transformed", "T", [np.eye(4), 2 * np.eye(3), np.full((3, 3), NAN), np.diag([1.0, 0.0, 1.0])]),
    ("density", "x", [[1.0, 2.0], [[1.0, 2.0, 3.0]], 1.0, None]),
    ("density", "threads", [0, -1, 1.5, "two"]),
    ("decision", "threads", [0]),
    ("decision", "x", [[1.0, 2.0], [[1.0]]]),
    ("log_density", "x", [[1.0, 2.0], [[1.0]]]),
]

#: Wrong types, and values that are easily let through.
REFUSED += [
    ("fit_two_class", "thinning", [-1, NAN]),
    ("fit_two_class", "viewpoint", [[0.0, 0.0, 0.0], [[0.0, 0.0], [1.0, 1.0]]]),
    ("fit_two_class", "neighbours", [0, -1, 1.5]),
    ("register", "threads", [-1, 1.5]),
    ("register", "annealing", [3, "x"]),
    ("register", "max_iterations", [1.5, NAN]),
    ("select_gamma", "max_rotation_error", [-1, NAN]),
    ("select_gamma", "gammas", [[0.0], [NAN]]),
    ("Mixture", "bias", [NAN, INF]),
    ("sample", "n", [-1, 1.5]),
    ("sample", "seed", [-1]),
    ("density", "x", [[[NAN, 0.0]]]),
    ("estimate_scale", "points", [np.full((2, 2), NAN), [], [1.0, 2.0]]),
    ("estimate_scale", "weights", [np.zeros(30), np.ones(3)]),
    ("fit", "nu", ["a", None]),
    ("fit", "gamma", ["a", [1.0, 2.0]]),
    ("fit", "weights", ["a"]),
    ("register", "init", ["a", [[1.0, 2.0], [3.0]]]),
    ("register", "nu", ["a"]),
    ("evaluate", "max_distance", ["a"]),
    ("Annealing", "delta", ["a"]),
    ("Mixture", "variance", ["a"]),
    ("Mixture", "weights", [["a"]]),
    ("transformed", "T", ["a"]),
    ("density", "x", ["a", [[1.0, 2.0], [3.0]]]),
]


def rows(table: list[tuple[str, str, list[Any]]]) -> list[Any]:
    return [
        pytest.param(call, name, value, id=f"{call}-{name}-{np.asarray(value, dtype=object).ravel()[:3].tolist()}")
        for call, name, values in table
        for value in values
    ]


def check(call: str, name: str, value: Any) -> None:
    with pytest.raises(InputError, match=rf"\b{name}\b") as caught:
        CALLS[call](**{name: value})
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("call", "name", "value"), rows(REFUSED))
def test_refused_by_name(call: str, name: str, value: Any) -> None:
    check(call, name, value)


def test_decision_needs_a_bias() -> None:
    with pytest.raises(InputError, match="decision needs a mixture with a bias"):
        make_mixture().decision([[0.0, 0.0]])


def test_mixtures_of_two_dimensions() -> None:
    other = Mixture([[0.0]], 1.0, [1.0])
    for call in (MIXTURE.inner_product, MIXTURE.l2_distance):
        with pytest.raises(InputError, match="must have the same dimension, got 2 and 1"):
            call(other)


@pytest.mark.parametrize("value", [[None], [1.0, None], [[0.0, None]]])
def test_none_among_numbers_is_refused(value: object) -> None:
    """numpy would make NaN of it."""
    with pytest.raises(InputError, match=r"^omega must be real numbers, got .*NoneType"):
        as_numbers(value, "omega")
