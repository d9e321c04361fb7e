"""The names in which a case is written: svgm, numpy, hard point sets, and objects that calls take or are made on."""

from __future__ import annotations

import contextlib
import functools
import importlib
from decimal import Decimal
from fractions import Fraction
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
from click.testing import CliRunner

import svgm
from fuzz.checks import Broken
from fuzz.clouds import cloud
from svgm.io.g2o import G2oEdge
from svgm.rigid import apply, exp
from tests.public_names import public

#: click before 8.2 joins stdout and stderr unless it is told not to.
RUNNER = CliRunner(**({"mix_stderr": False} if "mix_stderr" in signature(CliRunner).parameters else {}))


def motion(dimension: int, seed: int) -> np.ndarray:
    """A rigid motion by half a radian or so."""
    return exp(np.random.default_rng(seed).normal(scale=0.4, size=dimension * (dimension + 1) // 2))


def motions(dimension: int, count: int, seed: int) -> np.ndarray:
    """A stack of rigid motions."""
    return np.stack([motion(dimension, seed + k) for k in range(count)])


def weights(count: int, seed: int) -> np.ndarray:
    """Non-negative numbers, some of them zero."""
    values = np.random.default_rng(seed).random(count)
    values[1::7] = 0.0
    return values


def shares(count: int, seed: int) -> np.ndarray:
    """The same, with the sum 1."""
    values = weights(count, seed)
    return values / values.sum()


@functools.lru_cache(maxsize=32)
def mixture(dimension: int, seed: int) -> svgm.Mixture:
    """The fit of a plain set."""
    return svgm.fit(cloud("plain", dimension, 40, seed), gamma=4.0)


@functools.lru_cache(maxsize=32)
def full(dimension: int, seed: int) -> svgm.Mixture:
    """The same with full covariances."""
    return svgm.fit(cloud("plain", dimension, 40, seed), gamma=4.0, covariance="full")


@functools.lru_cache(maxsize=8)
def signed(dimension: int) -> svgm.Mixture:
    """A mixture of two classes."""
    return svgm.fit_two_class(cloud("plain", dimension, 60, 3), gamma=4.0)


@functools.lru_cache(maxsize=8)
def registered(dimension: int) -> svgm.RegistrationResult:
    """A result."""
    points = cloud("plain", dimension, 60, 1)
    return svgm.register(points, apply(motion(dimension, 2), points))


@functools.lru_cache(maxsize=8)
def mapped(dimension: int) -> svgm.MapResult:
    """A map of two scans."""
    points = cloud("plain", dimension, 60, 1)
    return svgm.map([points, apply(motion(dimension, 2), points)])


def mapper(*scans: Any) -> svgm.Mapper:
    """A map that grew by these scans, without those that are refused."""
    growing = svgm.Mapper()
    for scan in scans:
        with contextlib.suppress(svgm.SvgmError):
            growing.add(scan)
    return growing


@functools.lru_cache(maxsize=8)
def meshed(dimension: int) -> svgm.Mesh:
    """A mesh of two simplices."""
    square = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.5], [0.0, 1.0, 0.0]]
    return svgm.Mesh(np.array(square)[:, :dimension], [[0, 1, 2][:dimension], [0, 2, 3][:dimension]])


def scene(dimension: int) -> svgm.view.Scene:
    """Two clouds, one of which moves."""
    points = cloud("plain", dimension, 20, 1)
    layers = [svgm.view.Cloud(name="a", points=points), svgm.view.Cloud(name="b", points=points, moves=True)]
    return svgm.view.Scene(layers, [svgm.view.Frame("before", np.eye(dimension + 1))])


def edges(dimension: int) -> list[G2oEdge]:
    """Of a pose graph with three poses."""
    size = dimension * (dimension + 1) // 2
    return [G2oEdge(k, k + 1, motion(dimension, k), np.eye(size)) for k in range(2)]


def command(*words: str) -> str:
    """`svgm` with these words; what it prints.  A known error is one line and exit code 1, wrong usage is 2."""
    main = importlib.import_module("svgm.cli").main
    result = RUNNER.invoke(main, list(words))
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    lines = result.stderr.strip().splitlines()
    if result.exit_code not in (0, 1, 2):
        raise Broken(f"exit code {result.exit_code}")
    if result.exit_code and (len(lines) != 1 or len(lines[0]) > 600):
        raise Broken(f"an error must be one line, got {len(lines)} of {len(result.stderr)} characters")
    return result.stdout


def remembered(name: str) -> bool:
    """Whether a map finds something in a damaged result of an earlier run."""
    return svgm.mapping.task_cache.TaskCache(Path()).load(Path(name)) is not None


def names() -> dict[str, Any]:
    """All that a case may name; what it needs is imported first, so that this memory is not a case's."""
    public()
    for module in (
        "svgm.mapping.task_cache",
        "svgm.cli",
        "matplotlib.pyplot",
        "gtsam",
        "skimage.measure",
        "laspy",
        "pye57",
        "trimesh",
    ):
        with contextlib.suppress(ImportError):
            importlib.import_module(module)
    numbers = {"np": np, "nan": np.nan, "inf": np.inf, "Fraction": Fraction, "Decimal": Decimal, "Path": Path}
    own = (
        cloud,
        motion,
        motions,
        weights,
        shares,
        mixture,
        full,
        signed,
        registered,
        mapped,
        mapper,
        meshed,
        scene,
        edges,
    )
    return {"svgm": svgm, **numbers, **{f.__name__: f for f in (*own, command, remembered)}}
