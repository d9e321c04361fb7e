"""Cases that call what is public: functions, methods and properties, with wrong arguments and hard point sets."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from fuzz.case import Case, Generator, one_of
from fuzz.values import Values
from tests.public_names import methods, public

#: Records that svgm makes and hands out: they check nothing.
_RECORDS = """
    Alternative Certificate Evaluation GammaSelection GammaTrial MapResult Prepared RegistrationResult Stage Status
    Undetermined Warp io.PointCloud io.bags.BagScan io.carmen.CarmenLog io.g2o.Edge io.g2o.G2oEdge mapping.edge.Edge
    mapping.occupancy.OccupancyGrid
"""

#: Steps that the reference shows for readers of the method: they get arrays that others have checked.
_STEPS = """
    Mixture.unchecked Prepared.full_mixture Prepared.mixture Prepared.surfels Certificate.from_dict Stage.from_dict
    Warp.from_dict Warp.moved
    geometry.scale.estimate_resolution rigid.information_of
    geometry.scale.principal_axes geometry.scale.resolution_of geometry.scale.scale_along geometry.scale.scale_of
    geometry.thinning.thin
"""

#: Not attacked: these, what starts a server, and a context that all writers go through.
LEFT_OUT = {
    *(f"svgm.{name}" for name in (_RECORDS + _STEPS).split()),
    *("svgm.view.show", "svgm.view.Live", "svgm.view.require_viser", "svgm.io.atomic_write"),
}

#: Parameters that are never given a wrong value: others would start processes, or are words of ours in a message.
FIXED = {"map.workers", "map.dask", "as_points.name", "as_points.dimensions", "as_pose.name", "as_dimension.name"}

#: What methods and properties are called on.
ON = {
    "Mixture": (
        "mixture({d}, {s})",
        "signed({d})",
        "full({d}, {s})",
        "svgm.fit({cloud})",
        "svgm.fit({cloud}, covariance='full')",
        "svgm.Mixture({cloud}, 0.1, shares({n}, {s}))",
        "svgm.Mixture({cloud}, 1e-200, shares({n}, {s}))",
        "svgm.Mixture({cloud}, 1e200, shares({n}, {s}))",
    ),
    "PointCloud": ("svgm.io.PointCloud({cloud}, {{'a': np.ones({n})}})",),
    "Annealing": ("svgm.Annealing()", "svgm.Annealing(1e3, 1e9)"),
    "RegistrationResult": ("registered({e})", "svgm.register({cloud}, {cloud}, search='local')"),
    "Alternative": ("(registered({e}).alternatives or (svgm.Alternative(np.eye(3), 0.5),))[0]",),
    "Undetermined": ("svgm.Undetermined('rotation', np.zeros(2), np.ones(2))",),
    "Certificate": ("svgm.register({cloud}, {cloud}, search='certified', seconds=0.2).certificate",),
    "MapResult": ("mapped({e})",),
    "Warp": (
        "svgm.Warp(svgm.Deformation(np.eye(3), np.eye(2), np.zeros((2, 2))), 1.0, 0.0, np.ones(2), np.ones(2), 0)",
    ),
    "Affine": ("svgm.Affine(np.diag([2.0] * {d} + [1.0]))", "svgm.Rigid(motion({e}, {s}))"),
    "Similarity": ("svgm.Similarity(np.diag([2.0] * {e} + [1.0]))",),
    "Deformation": ("svgm.Deformation.through({cloud}, {cloud})",),
    "Mapper": ("svgm.Mapper()", "svgm.Mapper(sigma=0.3)", "mapper({cloud}, {cloud})"),
    "OccupancyGrid": ("svgm.mapping.occupancy.OccupancyGrid(np.eye(3), 0.5, np.zeros(2))",),
    "Mesh": ("meshed({e})", "svgm.Mesh({cloud}, np.zeros((2, {d}), int))"),
    "Prepared": ("svgm.prepare({cloud})", "svgm.prepare(mixture({d}, {s}))"),
    "Camera": ("svgm.view.Camera.facing({cloud})", "svgm.view.Camera.flat()"),
    "Scene": ("scene({e})",),
    "Cloud": ("svgm.view.Cloud(name='a', points={cloud})",),
    "Gaussians": ("svgm.view.Gaussians(name='a', means={cloud}, weights=weights({n}, {s}), sigma=0.1)",),
    "Lines": ("svgm.view.Lines(name='a', vertices={cloud})",),
    "Ellipsoids": ("svgm.view.Ellipsoids(name='a', centres={cloud}, axes=np.ones(({n}, {d}, {d})))",),
}

#: Drawn so many times as often as the others.
MANY = {"svgm.register": 20, "svgm.fit": 4, "svgm.surface": 2, "svgm.map": 2}


@dataclass(frozen=True)
class Target:
    """What is called: its path, what it is called on, and its parameters; None for a property."""

    path: str
    on: tuple[str, ...]
    parameters: tuple[inspect.Parameter, ...] | None


def _parameters(function: Callable[..., Any], method: bool = False) -> tuple[inspect.Parameter, ...]:
    return tuple(inspect.signature(function).parameters.values())[1 if method else 0 :]


def _members(path: str, cls: type) -> Iterator[Target]:
    on = ON[cls.__name__]
    for name, value in methods(cls):
        if isinstance(value, property | functools.cached_property):
            yield Target(f"{path}.{name}", on, None)
        elif isinstance(value, staticmethod | classmethod):
            yield Target(f"{path}.{name}", (path,), _parameters(getattr(cls, name)))
        else:
            yield Target(f"{path}.{name}", on, _parameters(value, method=True))


@functools.cache
def targets() -> tuple[Target, ...]:
    """Everything public that can be called."""
    found: list[Target] = []
    for path, value in public().items():
        error = inspect.isclass(value) and issubclass(value, BaseException)
        if path not in LEFT_OUT and callable(value) and not error:
            found.append(Target(path, (path.rpartition(".")[0],), _parameters(value)))
        if inspect.isclass(value) and value.__name__ in ON:
            found += _members(path, value)
    return tuple(target for target in found if target.path not in LEFT_OUT)


@functools.cache
def _drawn() -> tuple[Target, ...]:
    """The targets, each as often as it is to be drawn."""
    return tuple(target for target in targets() for _ in range(MANY.get(target.path, 1)))


def make_call(rng: Generator) -> Case:
    """A call: valid in all but at most two arguments, perhaps with hard points."""
    target = _drawn()[int(rng.integers(len(_drawn())))]
    values = Values(rng)
    on = values.fill(one_of(rng, target.on))
    name = target.path.rpartition(".")[2]
    if target.parameters is None:
        return Case("call", target.path, f"{on}.{name}")
    given = {}
    for parameter in target.parameters:
        if parameter.default is inspect.Parameter.empty or rng.random() < 0.3:
            given[parameter.name] = values.valid(target.path, parameter.name)
    for parameter in target.parameters:
        if f"{name}.{parameter.name}" not in FIXED and rng.random() < 0.8 / len(target.parameters):
            given[parameter.name] = values.wrong(parameter.name)
    if given.get("search") == "'certified'":
        given["seconds"] = "0.2"  # by default it takes what it takes
    arguments = ", ".join(f"{key}={text}" for key, text in given.items())
    call = f"{on}.{name}({arguments})"
    # What a certified search proves in a time depends on the machine.
    return Case("call", target.path, call, twice=bool(rng.random() < 0.1) and "certified" not in call)
