"""Wrong arguments for everything public, and a process that calls with them under a limit of memory.

Only values are listed here.  The functions and the types of their parameters are read from the package itself
(`public_names`) and from the annotations.
"""

from __future__ import annotations

import functools
import inspect
import json
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import svgm
from svgm import datasets, view
from svgm.io import PointCloud
from svgm.io.g2o import G2oEdge
from svgm.mapping.occupancy import OccupancyGrid
from tests.bad_values import wrong_values
from tests.public_names import methods, public, shown

#: Bytes that a case may use, beyond those of the process with everything imported.
MEMORY = 3 << 30

#: Records that svgm creates and returns: callers do not create them, and their constructors check nothing.
RECORDS = {
    *("svgm.Alternative", "svgm.Certificate", "svgm.Evaluation", "svgm.GammaSelection", "svgm.GammaTrial"),
    *("svgm.MapResult", "svgm.Prepared", "svgm.RegistrationResult", "svgm.Stage", "svgm.Status", "svgm.Undetermined"),
    "svgm.Warp",
    "svgm.view.Live",
    *("svgm.mapping.edge.Edge", "svgm.io.g2o.Edge", "svgm.io.g2o.G2oEdge", "svgm.io.carmen.CarmenLog"),
    *("svgm.io.PointCloud", "svgm.io.bags.BagScan"),
    *("svgm.mapping.joints.Joint", "svgm.mapping.occupancy.OccupancyGrid"),
}

#: Steps that the reference shows for readers of the method: their arguments are already checked.
INSIDE = {
    *("svgm.Mixture.unchecked", "svgm.Prepared.full_mixture", "svgm.Prepared.mixture", "svgm.Prepared.surfels"),
    *("svgm.Certificate.from_dict", "svgm.Stage.from_dict", "svgm.Warp.from_dict", "svgm.Warp.moved"),
    *("svgm.mapping.edge.Edge.measured", "svgm.mapping.edge.Edge.from_dict"),
    *(
        "svgm.geometry.scale.estimate_resolution",
        "svgm.geometry.scale.principal_axes",
        "svgm.geometry.scale.resolution_of",
    ),
    *("svgm.geometry.scale.scale_along", "svgm.geometry.scale.scale_of"),
    "svgm.geometry.thinning.thin",
}


CURVE = datasets.butterfly(40, turns=1)
MIXTURE = svgm.fit(CURVE, gamma=4)
RESULT = svgm.register(CURVE, CURVE + 0.1)
WALLS = datasets.storey()
SCANS = [datasets.laser_scan(WALLS, place, beams=91) for place in datasets.round_walk(60)[:2]]
POSE, CUBE = np.eye(3), np.eye(4)
BULGE = svgm.Deformation.through(CURVE, CURVE + 0.1 * np.sin(CURVE))
SPACE = datasets.body(60)[0]


@functools.cache
def mapped() -> svgm.MapResult:
    return svgm.map(SCANS)


def scene() -> view.Scene:
    return view.Scene([view.Cloud(name="curve", points=CURVE)], [view.Frame("only", POSE)])


#: The kind of every parameter and a right value for it, by its path, its name or its annotation.
VALUES: dict[str, tuple[str, Any]] = {
    # by path
    "svgm.Mesh.vertices": ("points", CURVE),
    "svgm.Mesh.simplices": ("array", [[0, 1]]),
    "svgm.Mixture.means": ("points", CURVE[:2]),
    "svgm.Mixture.weights": ("array", [0.5, 0.5]),
    "svgm.Mixture.covariances": ("array", np.tile(np.eye(2), (2, 1, 1))),
    "svgm.Mesh.colours": ("array", None),
    "svgm.surface_of_scans.scans": ("sequence", [CURVE, CURVE]),
    "svgm.surface_of_scans.poses": ("array", np.stack([np.eye(3)] * 2)),
    "svgm.surface_of_scans.viewpoints": ("sequence", [[9.0, 9.0], [9.0, 9.0]]),
    "holes": ("word", "open"),
    "svgm.merge.t": ("number", 1.0),
    "like": ("mixture", None),  # excludes gamma and scale
    "svgm.map.scans": ("sequence", SCANS),
    "svgm.map.workers": ("count", None),
    "svgm.map.dask": ("text", None),
    "svgm.map.output": ("folder", None),
    "svgm.map.odometry": ("array", np.stack([POSE, POSE])),
    "svgm.Mapper.add.odometry": ("array", POSE),
    "svgm.Mapper.add.covariance": ("array", 0.01 * np.eye(3)),
    "svgm.Mapper.add.time": ("number", 1.0),
    "svgm.locate.scan": ("points", SCANS[0]),
    "svgm.locate.map": ("mixture", svgm.fit(SCANS[0], gamma=40)),
    "svgm.io.write_points.path": ("path", "points.ply"),
    "svgm.io.write_cloud.path": ("path", "points.ply"),
    "svgm.io.write_cloud.cloud": ("thing", PointCloud(CURVE)),
    "svgm.io.PointCloud.selected.rows": ("array", [0, 1]),
    "svgm.io.depth_to_points.depth": ("array", [[1.0, 2.0]]),
    "svgm.io.depth_to_points.intrinsics": ("array", [1.0, 1.0, 0.0, 0.0]),
    "svgm.io.depth_to_points.colours": ("array", np.zeros((1, 2, 3))),
    "svgm.io.bags.topics.path": ("path", "points.bag"),
    "svgm.io.bags.read_bag.path": ("path", "points.bag"),
    "svgm.io.bags.read_bag.topic": ("text", None),
    "svgm.io.write_points.points": ("stored", CURVE),
    "svgm.write_points.path": ("path", "points.ply"),
    "svgm.write_points.points": ("stored", CURVE),
    "svgm.io.atomic_write.path": ("path", "points.ply"),
    "svgm.Mixture.save.path": ("path", "mixture.npz"),
    "svgm.Mixture.load.path": ("path", "mixture.npz"),
    "svgm.Mesh.save.path": ("path", "mesh.obj"),
    "svgm.io.trajectory.write_tum.path": ("path", "poses.txt"),
    "svgm.io.trajectory.read_tum.path": ("path", "tum.txt"),
    "svgm.io.trajectory.write_kitti.path": ("path", "poses.txt"),
    "svgm.io.trajectory.read_kitti.path": ("path", "kitti.txt"),
    "svgm.io.g2o.write_g2o.path": ("path", "graph.g2o"),
    "svgm.io.g2o.read_g2o.path": ("path", "read.g2o"),
    "svgm.io.g2o.write_g2o.edges": ("sequence", [G2oEdge(0, 1, POSE, np.eye(3))]),
    "svgm.view.decision.panels": ("sequence", [("curve", MIXTURE)]),
    "svgm.view.mesh.panels": ("sequence", [("body", SPACE)]),
    "svgm.view.densities.rows": ("sequence", [[("points", CURVE), ("density", MIXTURE)]]),
    "svgm.view.figure1.source": ("sequence", (CURVE, MIXTURE)),
    "svgm.view.figure1.target": ("sequence", (CURVE, MIXTURE)),
    "svgm.view.figure1.T": ("array", POSE),
    "svgm.view.map_report.names": ("sequence", ("a", "b")),
    "svgm.view.registration_report.names": ("sequence", ("a", "b")),
    "svgm.view.Camera.axes": ("array", np.eye(2)),
    "svgm.view.Camera.at.direction": ("array", [1.0, 0.0, 0.0]),
    "svgm.view.Camera.at.up": ("array", (0.0, 0.0, 1.0)),
    "svgm.view.Camera.marginal.mixture": ("mixture", MIXTURE),
    "svgm.view.Cloud.colours": ("array", np.full((40, 3), 0.5)),
    "svgm.view.Cloud.values": ("array", np.linspace(0, 1, 40)),
    "svgm.view.Ellipsoids.axes": ("array", np.ones((40, 2, 2))),
    "svgm.view.Gaussians.weights": ("array", np.ones(40)),
    "svgm.view.Gaussians.covariances": ("array", np.tile(np.eye(2), (40, 1, 1))),
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
    "svgm.mapping.occupancy.occupancy_grid.scans": ("sequence", SCANS),
    "svgm.mapping.occupancy.OccupancyGrid.save.path": ("path", "grid.yaml"),
    "svgm.datasets.visible.viewpoint": ("array", [9.0, 9.0]),
    "svgm.datasets.partial_view.viewpoint": ("array", [9.0, 9.0]),
    "svgm.datasets.round_walk.count": ("count", 5),
    "svgm.view.check_picture_path.path": ("suffix", "a.png"),
    "svgm.view.check_page_path.path": ("suffix", "a.html"),
    "svgm.view.Camera.page.points": ("array", CURVE),
    "svgm.view.Camera.depth.points": ("array", CURVE),
    "svgm.rigid.apply.points": ("array", CURVE),
    "svgm.rigid.as_pose.name": ("label", "T"),
    "svgm.rigid.as_dimension.name": ("label", "T"),
    "svgm.geometry.points.as_points.name": ("label", "points"),
    "svgm.geometry.points.as_points.dimensions": ("label", None),
    "svgm.rigid.rotation_exp.omega": ("array", np.array([0.1])),
    "svgm.rigid.hat.omega": ("array", np.array([0.1])),
    "svgm.rigid.information_of.covariance": ("array", np.diag([0.25, 4.0])),
    "svgm.rigid.rotation_quaternion.rotation": ("array", np.eye(3)),
    "svgm.register.pairs": ("array", None),
    "svgm.Rigid.matrix": ("array", POSE),
    "svgm.Similarity.matrix": ("array", POSE),
    "svgm.Affine.matrix": ("array", POSE),
    "svgm.Deformation.matrix": ("array", POSE),
    "svgm.Deformation.controls": ("points", BULGE.controls),
    "svgm.Deformation.coefficients": ("array", BULGE.coefficients),
    "svgm.Deformation.through.images": ("points", CURVE),
    "svgm.Affine.save.path": ("path", "affine.npz"),
    "svgm.Affine.load.path": ("path", "rigid.npz"),
    "svgm.Deformation.save.path": ("path", "deformation.npz"),
    "svgm.Deformation.load.path": ("path", "bulge.npz"),
    "svgm.load_transform.path": ("path", "rigid.npz"),
    # by name
    "T": ("array", POSE),
    "reference": ("array", POSE),
    "transformation": ("array", POSE),
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
    "viewpoint": ("array", [9.0, 9.0]),
    "place": ("array", [0.0, 0.0]),
    "omega": ("array", np.zeros(1)),
    "rotation": ("array", np.eye(2)),
    "translation": ("array", np.zeros(2)),
    "quaternion": ("array", np.array([0.0, 0.0, 0.0, 1.0])),
    "xi": ("array", np.zeros(3)),
    "walls": ("array", WALLS),
    "sensor": ("array", POSE),
    "gammas": ("sequence", [1.0]),
    "settings": ("mapping", {"nu": 0.01}),
    "name": ("text", "points"),
    "path": ("path", "points.xyz"),
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
    "ax": ("thing", None),
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

#: Instances of classes whose methods are called.
INSTANCES: dict[str, Callable[[], Any]] = {
    "svgm.Affine": lambda: svgm.Affine(POSE),
    "svgm.Annealing": lambda: svgm.Annealing(),
    "svgm.Deformation": lambda: BULGE,
    "svgm.MapResult": mapped,
    "svgm.Mapper": lambda: svgm.Mapper(),
    "svgm.Mesh": lambda: svgm.Mesh(CURVE, [[0, 1]]),
    "svgm.Mixture": lambda: MIXTURE,
    "svgm.io.PointCloud": lambda: PointCloud(CURVE),
    "svgm.mapping.occupancy.OccupancyGrid": lambda: OccupancyGrid(np.eye(3), 0.5, np.zeros(2)),
    "svgm.RegistrationResult": lambda: RESULT,
    "svgm.view.Camera": lambda: view.Camera.flat(),
    "svgm.view.Scene": scene,
}


def value_of(path: str, parameter: inspect.Parameter) -> tuple[str, Any]:
    """The kind of a parameter and a right value for it."""
    annotation = str(parameter.annotation)
    plain = annotation.removesuffix(" | None")
    for key in (f"{path}.{parameter.name}", parameter.name, annotation, plain):
        if key in VALUES:
            kind, value = VALUES[key]
            if key == "path" and path.startswith("svgm.view."):
                suffix = ".html" if "report" in path or "html" in path or "page" in path else ".png"
                value = f"view{suffix}"
            mixture = annotation in ("Mixture", "'Mixture'")
            return ("mixture", MIXTURE) if mixture and kind == "points" else (kind, value)
        if key in LAZY:
            kind, make = LAZY[key]
            return kind, make()
    raise KeyError(f"tests/bad_arguments.py: VALUES must have a right value for {path}.{parameter.name} ({annotation})")


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
    return {path: call for path, call in found.items() if path not in INSIDE and parameters(path, call)}


def _on_instance(path: str, key: str, /, **arguments: Any) -> Any:
    return getattr(INSTANCES[path](), key)(**arguments)


def parameters(path: str, call: Callable[..., Any]) -> list[inspect.Parameter]:
    target = call
    if isinstance(call, functools.partial):
        target = getattr(shown(call.args[0]), call.args[1])
    return [each for each in inspect.signature(target).parameters.values() if each.name != "self"]


def cases(path: str) -> Iterator[tuple[str, bool, Callable[[], Any]]]:
    """For each case: its name, whether the call must be refused, and the call."""
    call = calls()[path]
    every = parameters(path, call)
    right = {each.name: value_of(path, each) for each in every}
    for each in every:
        kind, _ = right[each.name]
        for name, value, refused in wrong_values(kind, each):
            arguments = {key: pair[1] for key, pair in right.items()} | {each.name: value}
            yield f"{each.name}: {name}", refused, functools.partial(call, **arguments)


def outcome(call: Callable[[], Any], refused: bool, arithmetic: bool) -> str:
    """What is wrong with the outcome of a call, or "".  Plain arithmetic may overflow, as it does in numpy."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore" if arithmetic else "error", RuntimeWarning)
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


def limit_memory() -> None:
    """Allow what the process uses with everything imported, and `MEMORY` more."""
    import resource

    used = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * os.sysconf("SC_PAGE_SIZE")
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))


def main(folder: str) -> None:
    """Read a path and a number of cases to skip from each line; print each case before its call, and what was wrong."""
    os.chdir(folder)
    svgm.Mixture([[0.0, 0.0]], 1.0, [1.0]).save("mixture.npz")
    svgm.Rigid(POSE).save("rigid.npz")
    BULGE.save("bulge.npz")
    limit_memory()
    for line in sys.stdin:
        path, skipped = line.split()
        for number, (name, refused, call) in enumerate(cases(path)):
            if number >= int(skipped):
                print(json.dumps(["case", name]), flush=True)
                print(json.dumps(["found", outcome(call, refused, path.startswith("svgm.rigid."))]), flush=True)
        print(json.dumps(["end", ""]), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
