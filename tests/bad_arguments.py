"""Wrong arguments for everything public, and a process that calls with them under a limit of memory.

Nothing is named here but values: which functions there are, and what each parameter takes, is read from the package
itself (`public_names`) and from the annotations.
"""

from __future__ import annotations

import datetime
import functools
import inspect
import json
import math
import os
import resource
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

from public_names import methods, public, shown

import svgm
from svgm import scenes, shapes, view
from svgm.io.g2o import G2oEdge

#: Of a case, beyond what the process takes with everything imported.
MEMORY = 3 << 30

#: Made by svgm and handed to callers, who do not make them: their constructors check nothing.
RECORDS = {
    *("svgm.Alternative", "svgm.Certificate", "svgm.Evaluation", "svgm.GammaSelection", "svgm.GammaTrial"),
    *("svgm.MapResult", "svgm.Prepared", "svgm.RegistrationResult", "svgm.Stage", "svgm.Status", "svgm.view.Live"),
    *("svgm.mapping.edge.Edge", "svgm.io.g2o.Edge", "svgm.io.g2o.G2oEdge"),
}

#: Of arrays that are known to be right, as its name says.
TRUSTED = {"svgm.Mixture.trusted"}


class Hostile:
    """Says nothing about itself but errors."""

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError("no\nattribute")

    def __repr__(self) -> str:
        raise RuntimeError("no representation")


class Verbose:
    """Says more about itself than fits a line."""

    def __repr__(self) -> str:
        return "many\nlines\t" * 100_000


class Unwilling:
    """Looks like a number and an array, and is neither."""

    def __float__(self) -> float:
        raise ZeroDivisionError("no\nfloat")

    def __index__(self) -> int:
        raise KeyError("no index")

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise LookupError("no\narray")


#: Wrong wherever they are handed over.
WRONG: dict[str, Any] = {
    "object": object(),
    "hostile": Hostile(),
    "verbose": Verbose(),
    "unwilling": Unwilling(),
    "type": int,
    "complex": 1 + 2j,
    "dict": {"a": 1},
    "set": {1, 2},
    "bytes": b"\x00\xff",
    "date": datetime.date(2020, 1, 1),
    "numpy date": np.datetime64("2020-01-01"),
    "generator": (k for k in "ab"),
    "huge": 10**400,
    "longer than can be printed": 10**10_000,
    "numpy complex": np.complex128(1 + 1j),
    "numpy bool": np.True_,
}
NUMBERS = {
    "text": "0.5",
    "bool": True,
    "NaN": math.nan,
    "list": [0.5, 1.0],
    "array": np.array([0.5, 1.0]),
    "minus huge": -(10**400),
}
ARRAYS = {
    "ragged": [[1.0, 2.0], [3.0]],
    "of text": [["a", "b"]],
    "of digits": np.array([["1", "2"]], dtype=object),
    "of complex": [[1j, 2.0]],
    "of huge": [[10**400, 0]],
    "of None": [[None, "a"]],
    "of dates": np.array([["2020-01-01", "2020-01-02"]], dtype="datetime64[D]"),
    "of objects": [[object(), Verbose()]],
    "structured": np.zeros(3, dtype=[("x", float), ("y", float)]),
    "masked": np.ma.masked_array([[1.0, 2.0]], mask=[[True, False]]),
    "too many": range(10**13),
}
POINTS = {
    **ARRAYS,
    "number": 1.0,
    "vector": [1.0, 2.0, 3.0],
    "empty": [],
    "no rows": np.zeros((0, 2)),
    "no columns": np.zeros((2, 0)),
    "cube": np.zeros((2, 2, 2)),
    "with NaN": [[0.0, math.nan], [1.0, 2.0]],
    "with infinity": [[0.0, math.inf], [1.0, 2.0]],
    "transposed": np.random.default_rng(0).normal(size=(3, 2000)),
    "too large": [[1e200, 0.0], [0.0, 1.0]],
    "no such file": "no-such-file.ply",
    "no file name": "",
}

#: Either answered or refused.
EXTREME = {
    "number": [math.inf, -math.inf, 0, -1, 1e308, -1e308, 5e-324, 1e-160, 1e-300, 1e300, 1e9, 10**12, 2**63, 1e-9],
    "count": [0, -1, 2**31 - 1, 2**31, 2**32, 10**9, 10**12, 2**63, 2**64],
    "array": [
        *(value for key, value in POINTS.items() if key not in ARRAYS),
        np.zeros((1, 1)),
        np.zeros((3, 3)),
        np.full((4, 4), 1e308),
        np.full((3, 3), 5e-324),
        np.broadcast_to(1.0, (10**13, 2)),
        np.zeros((3, 3, 3, 3)),
    ],
    "points": [
        *(1e-160 * np.eye(2, 2), 5e-324 * np.eye(3), 1e149 * np.eye(2), 1e149 * np.eye(3), np.zeros((3, 2))),
        np.array([[1e149, 1e-300], [0.0, 1.0], [1e-160, 2.0]]),
        np.vstack([np.eye(3), [[1e140, 0.0, 0.0]]]),
        np.broadcast_to(1.0, (10**13, 3)),
        np.ones((4, 1)) * np.arange(4.0)[:, None],
        np.random.default_rng(0).normal(size=(20, 100)),
    ],
    "mixture": [
        svgm.Mixture([[0.0]], 1.0, [1.0]),
        svgm.Mixture([[0.0] * 5], 1.0, [1.0]),
        svgm.Mixture([[0.0, 0.0], [1.0, 0.0]], 1.0, [1.0, -0.5]),
        svgm.Mixture([[0.0, 0.0], [1e149, 0.0]], 0.25, [0.5, 0.5]),
        svgm.Mixture([[0.0, 0.0, 0.0], [1e149, 0.0, 1.0]], 1e290, [0.5, 0.5]),
        svgm.Mixture([[0.0, 0.0]], 1e-290, [1.0]),
    ],
}

CURVE = shapes.butterfly(40, turns=1)
MIXTURE = svgm.fit(CURVE, gamma=4)
RESULT = svgm.register(CURVE, CURVE + 0.1)
WALLS = scenes.storey()
SCANS = [scenes.laser_scan(WALLS, place, beams=91) for place in scenes.round_walk(60)[:2]]
POSE, CUBE = np.eye(3), np.eye(4)
SPACE = shapes.body(60)[0]
FOLDER = tempfile.mkdtemp(prefix="svgm-bad-arguments-")


@functools.cache
def mapped() -> svgm.MapResult:
    return svgm.map(SCANS)


def scene() -> view.Scene:
    return view.Scene([view.Cloud(name="curve", points=CURVE)], [view.Frame("only", POSE)])


#: A right value for every parameter, by its path, its name or its annotation, and the kind of thing that it is.
VALUES: dict[str, tuple[str, Any]] = {
    # by path
    "svgm.Mesh.vertices": ("points", CURVE),
    "svgm.Mesh.simplices": ("array", [[0, 1]]),
    "svgm.Mixture.means": ("points", CURVE[:2]),
    "svgm.Mixture.weights": ("array", [0.5, 0.5]),
    "svgm.merge.t": ("number", 1.0),
    "svgm.map.scans": ("sequence", SCANS),
    "svgm.map.workers": ("count", None),
    "svgm.map.dask": ("text", None),
    "svgm.map.output": ("path", None),
    "svgm.locate.scan": ("points", SCANS[0]),
    "svgm.locate.map": ("mixture", svgm.fit(SCANS[0], gamma=40)),
    "svgm.io.write_points.path": ("path", f"{FOLDER}/points.ply"),
    "svgm.write_points.path": ("path", f"{FOLDER}/points.ply"),
    "svgm.io.atomic_write.path": ("path", f"{FOLDER}/points.ply"),
    "svgm.Mixture.save.path": ("path", f"{FOLDER}/mixture.npz"),
    "svgm.Mixture.load.path": ("path", f"{FOLDER}/mixture.npz"),
    "svgm.Mesh.save.path": ("path", f"{FOLDER}/mesh.obj"),
    "svgm.io.trajectory.write_tum.path": ("path", f"{FOLDER}/poses.txt"),
    "svgm.io.trajectory.read_tum.path": ("path", f"{FOLDER}/tum.txt"),
    "svgm.io.trajectory.write_kitti.path": ("path", f"{FOLDER}/poses.txt"),
    "svgm.io.trajectory.read_kitti.path": ("path", f"{FOLDER}/kitti.txt"),
    "svgm.io.g2o.write_g2o.path": ("path", f"{FOLDER}/graph.g2o"),
    "svgm.io.g2o.read_g2o.path": ("path", f"{FOLDER}/read.g2o"),
    "svgm.io.g2o.write_g2o.edges": ("sequence", [G2oEdge(0, 1, POSE, np.eye(3))]),
    "svgm.view.decision.panels": ("sequence", [("curve", MIXTURE)]),
    "svgm.view.mesh.panels": ("sequence", [("body", SPACE)]),
    "svgm.view.densities.rows": ("sequence", [[("points", CURVE), ("density", MIXTURE)]]),
    "svgm.view.figure1.source": ("sequence", (CURVE, MIXTURE)),
    "svgm.view.figure1.target": ("sequence", (CURVE, MIXTURE)),
    "svgm.view.figure1.T": ("array", POSE),
    "svgm.view.map_picture.edges": ("sequence", []),
    "svgm.view.map_picture.mixture": ("mixture", MIXTURE),
    "svgm.view.map_picture.order": ("word", "sequence"),
    "svgm.view.map_report.names": ("sequence", ("a", "b")),
    "svgm.view.registration_report.names": ("sequence", ("a", "b")),
    "svgm.view.Camera.axes": ("array", np.eye(2)),
    "svgm.view.Camera.at.direction": ("array", [1.0, 0.0, 0.0]),
    "svgm.view.Camera.at.up": ("array", (0.0, 0.0, 1.0)),
    "svgm.view.Camera.marginal.mixture": ("mixture", MIXTURE),
    "svgm.view.Cloud.values": ("array", np.linspace(0, 1, 40)),
    "svgm.view.Ellipsoids.axes": ("array", np.ones((40, 2, 2))),
    "svgm.view.Gaussians.weights": ("array", np.ones(40)),
    "svgm.view.Scene.layers": ("sequence", scene().layers),
    "svgm.view.Scene.frames": ("sequence", scene().frames),
    "svgm.view.Scene.towards": ("array", [0.0, 0.0, 1.0]),
    "svgm.view.Scene.up": ("array", [0.0, 1.0, 0.0]),
    "svgm.view.Scene.places.frame": ("count", 0),
    "svgm.view.Lines.pairs": ("array", [[0, 1]]),
    "svgm.view.Layer.frame": ("count", 0),
    "svgm.view.show.port": ("count", 0),
    "svgm.view.show.open_browser": ("flag", False),
    "svgm.select_gamma.training_pairs": ("sequence", [(CURVE, CURVE, POSE)]),
    "svgm.mapping.cloud.aligned_cloud.scans": ("sequence", [(0, CURVE)]),
    "svgm.mapping.edge.Edge.from_dict.fields": ("mapping", None),
    "svgm.shapes.visible.viewpoint": ("array", [9.0, 9.0]),
    "svgm.shapes.partial_view.viewpoint": ("array", [9.0, 9.0]),
    "svgm.scenes.round_walk.count": ("count", 5),
    "svgm.rigid.apply.points": ("array", CURVE),
    "svgm.rigid.as_pose.name": ("label", "T"),
    "svgm.rigid.as_dimension.name": ("label", "T"),
    "svgm.points.as_points.name": ("label", "points"),
    "svgm.points.as_points.dimensions": ("label", None),
    "svgm.rigid.rotation_exp.omega": ("array", np.array([0.1])),
    "svgm.rigid.hat.omega": ("array", np.array([0.1])),
    "svgm.rigid.rotation_quaternion.rotation": ("array", np.eye(3)),
    "svgm.scale.scale_along.deviations": ("array", np.array([2.0, 1.0])),
    # by name
    "T": ("array", POSE),
    "reference": ("array", POSE),
    "init": ("array", POSE),
    "poses": ("array", np.stack([POSE, POSE])),
    "times": ("array", [0.0, 1.0]),
    "points": ("points", CURVE),
    "source": ("points", CURVE),
    "target": ("points", CURVE),
    "scan": ("points", SCANS[0]),
    "value": ("points", CURVE),
    "x": ("rows", CURVE),
    "places": ("rows", CURVE),
    "means": ("points", CURVE),
    "vertices": ("points", CURVE),
    "centres": ("points", CURVE),
    "weights": ("array", np.ones(40)),
    "sample_weight": ("array", np.ones(40)),
    "viewpoint": ("array", [9.0, 9.0]),
    "place": ("array", [0.0, 0.0]),
    "omega": ("array", np.zeros(1)),
    "rotation": ("array", np.eye(2)),
    "translation": ("array", np.zeros(2)),
    "quaternion": ("array", np.array([0.0, 0.0, 0.0, 1.0])),
    "xi": ("array", np.zeros(3)),
    "walls": ("array", WALLS),
    "sensor": ("array", POSE),
    "grid": ("sequence", (np.zeros(2), np.eye(2))),
    "gammas": ("sequence", [1.0]),
    "settings": ("mapping", {"nu": 0.01}),
    "name": ("text", "points"),
    "path": ("path", f"{FOLDER}/points.xyz"),
    "search": ("word", "local"),
    "order": ("word", "sequence"),
    "transform": ("word", "rigid"),
    "colour": ("word", "#1b6ca8"),
    "host": ("text", "127.0.0.1"),
    "dimension": ("count", 2),
    "neighbours": ("count", 12),
    "threads": ("count", 1),
    "max_iterations": ("count", 100),
    "frame": ("count", None),
    "seconds": ("number", 10.0),
    "annealing": ("thing", svgm.Annealing(finest=30.0)),
    "cell": ("number", 0.5),
    # by annotation
    "float": ("number", 0.5),
    "int": ("count", 7),
    "bool": ("flag", True),
    "str": ("text", "a name"),
    "Mixture": ("mixture", MIXTURE),
    "Array | Mixture": ("points", CURVE),
    "RegistrationResult": ("thing", RESULT),
    "Camera | None": ("thing", view.Camera.flat()),
    "Progress | None": ("function", lambda *_: None),
    "Callable[[int, int], None] | None": ("function", lambda *_: None),
}
LAZY: dict[str, tuple[str, Callable[[], Any]]] = {"MapResult": ("thing", mapped), "Scene": ("thing", scene)}

#: Of classes whose methods are called.
INSTANCES: dict[str, Callable[[], Any]] = {
    "svgm.Annealing": lambda: svgm.Annealing(),
    "svgm.Mapper": lambda: svgm.Mapper(),
    "svgm.Mesh": lambda: svgm.Mesh(CURVE, [[0, 1]]),
    "svgm.Mixture": lambda: MIXTURE,
    "svgm.Prepared": lambda: svgm.prepare(CURVE),
    "svgm.RegistrationResult": lambda: RESULT,
    "svgm.view.Camera": lambda: view.Camera.flat(),
    "svgm.view.Scene": scene,
    "svgm.mapping.edge.Edge": lambda: mapped().edges[0],
}

SUFFIXES = {"candidates": ".png", "registration": ".png", "html": ".html"}


def value_of(path: str, parameter: inspect.Parameter) -> tuple[str, Any]:
    """The kind of a parameter and a right value for it."""
    annotation = str(parameter.annotation)
    plain = annotation.removesuffix(" | None")
    for key in (f"{path}.{parameter.name}", parameter.name, annotation, plain):
        if key in VALUES:
            kind, value = VALUES[key]
            if key == "path" and path.startswith("svgm.view."):
                suffix = ".html" if "report" in path or "html" in path or "page" in path else ".png"
                value = f"{FOLDER}/view{suffix}"
            mixture = annotation in ("Mixture", "'Mixture'")
            return ("mixture", MIXTURE) if mixture and kind == "points" else (kind, value)
        if key in LAZY:
            kind, make = LAZY[key]
            return kind, make()
    raise KeyError(f"tests/bad_arguments.py: VALUES must have a right value for {path}.{parameter.name} ({annotation})")


def wrong_values(kind: str, parameter: inspect.Parameter) -> Iterator[tuple[str, Any, bool]]:
    """Names and values for a parameter of a kind, and whether each must be refused."""
    optional = "None" in str(parameter.annotation) or parameter.default is None
    wrong = dict(WRONG)
    if not optional and parameter.annotation != "Any":
        wrong["None"] = None
    if kind in ("number", "count"):
        wrong |= NUMBERS
    if kind == "count":
        wrong |= {"fraction": 1.5, "infinity": math.inf}
    elif kind == "array":
        wrong |= ARRAYS
    elif kind in ("points", "rows"):
        wrong |= POINTS
    if kind == "rows":
        del wrong["no rows"]
    if kind == "label":  # what messages call a value: not the caller's
        wrong.clear()
    if kind in ("mixture", "thing"):
        wrong |= {"number": 3, "text": "abc.npz", "array": CURVE, "list": [1]}
    elif kind == "path":
        wrong |= {"number": 3, "list": ["a"], "null": "a\0b", "nowhere": "/no/such/folder/a.png", "empty": ""}
    elif kind == "flag":
        wrong |= {"number": 3, "text": "yes", "array": CURVE}
        del wrong["numpy bool"]
    elif kind in ("text", "word"):
        wrong |= {"number": 3, "list": ["a"], "array": CURVE}
        wrong |= {"other word": "abc\nd"} if kind == "word" else {}
    elif kind == "function":
        wrong |= {"number": 3, "text": "abc"}
        del wrong["type"]
    elif kind in ("sequence", "mapping"):
        wrong |= {"number": 3, "text": "abc", "of objects": [object()], "of hostile": [Hostile()], "of one": [[1]]}
        if kind == "mapping":
            del wrong["dict"]
    for name, value in wrong.items():
        yield name, value, True
    for value in EXTREME.get("points" if kind == "rows" else kind, []):
        yield f"extreme {svgm.arguments.shown(value)}", value, False
    if kind in ("points", "rows"):
        for number, value in enumerate(EXTREME["mixture"]):
            yield f"mixture {number}", value, False


def calls() -> dict[str, Callable[..., Any]]:
    """Everything public that takes arguments, by its path."""
    found: dict[str, Callable[..., Any]] = {}
    for path, thing in public().items():
        if not callable(thing) or (inspect.isclass(thing) and issubclass(thing, Exception)):
            continue
        if path not in RECORDS:
            found[path] = thing
        if inspect.isclass(thing):
            for key, raw in methods(thing):
                name = f"{path}.{key}"
                if isinstance(raw, staticmethod | classmethod):
                    found[name] = getattr(thing, key)
                elif inspect.isfunction(raw) and path not in ("svgm.io.g2o.Edge", "svgm.view.Live"):
                    found[name] = functools.partial(_on_instance, path, key)
    return {path: call for path, call in found.items() if path not in TRUSTED and parameters(path, call)}


def _on_instance(path: str, key: str, /, **arguments: Any) -> Any:
    return getattr(INSTANCES[path](), key)(**arguments)


def parameters(path: str, call: Callable[..., Any]) -> list[inspect.Parameter]:
    target = call
    if isinstance(call, functools.partial):
        target = getattr(shown(call.args[0]), call.args[1])
    return [each for each in inspect.signature(target).parameters.values() if each.name != "self"]


def cases(path: str) -> Iterator[tuple[str, bool, Callable[[], Any]]]:
    """What to call, with a name of it, and whether it must be refused."""
    call = calls()[path]
    every = parameters(path, call)
    right = {each.name: value_of(path, each) for each in every}
    for each in every:
        kind, _ = right[each.name]
        for name, value, refused in wrong_values(kind, each):
            arguments = {key: pair[1] for key, pair in right.items()} | {each.name: value}
            yield f"{each.name}: {name}", refused, functools.partial(call, **arguments)


def outcome(call: Callable[[], Any], refused: bool) -> str:
    """What is wrong with the answer to a call; nothing, if it is empty."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", RuntimeWarning)
            answer = call()
            if hasattr(answer, "__enter__") and not isinstance(answer, np.ndarray):
                with answer:
                    pass
            elif hasattr(answer, "close"):
                answer.close()
    except svgm.SvgmError as error:
        text = str(error)
        if not text or len(text) > 300 or not text.isprintable():
            return f"a message of {len(text)} characters: {text[:200]!r}"
        return ""
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:200]}"
    return "was accepted" if refused else ""


def main() -> None:
    """Read a path and a number of cases to leave out from each line; print each case before, and what was wrong."""
    used = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * os.sysconf("SC_PAGE_SIZE")
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))
    for line in sys.stdin:
        path, skipped = line.split()
        for number, (name, refused, call) in enumerate(cases(path)):
            if number >= int(skipped):
                print(json.dumps(["case", name]), flush=True)
                print(json.dumps(["found", outcome(call, refused)]), flush=True)
        print(json.dumps(["end", ""]), flush=True)


if __name__ == "__main__":
    os.chdir(FOLDER)
    svgm.Mixture([[0.0, 0.0]], 1.0, [1.0]).save(f"{FOLDER}/mixture.npz")
    main()
