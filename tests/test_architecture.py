"""The shape of the house: imports go down, start-up is light, files are short and named after a concept."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import svgm

SOURCE = Path(svgm.__file__).parent
FILES = sorted(SOURCE.rglob("*.py"))

#: Modules and packages from the ground up: each may import those on lines above its own, and its own package.
LAYERS = [
    ["errors", "_core", "svg"],
    ["arguments"],
    ["quaternion"],
    ["io"],
    ["points", "recent"],
    ["strays"],
    ["rigid"],
    ["scale", "annealing", "scenes", "shapes", "normals", "notebook"],
    ["thin", "svm", "mixture", "mesh"],
    ["fit"],
    ["levels", "two_class", "merge", "evaluate", "level_set"],
    ["surface"],
    ["objective", "minimise", "frame"],
    ["search"],
    ["result", "representation"],
    ["pair", "candidates", "covariance", "words"],
    ["level"],
    ["without_start", "conclusion"],
    ["register"],
    ["select_gamma"],
    ["mapping"],
    ["view"],
    ["cli"],
]
LEVEL = {name: level for level, layer in enumerate(LAYERS) for name in layer}


def room(path: Path) -> str:
    """The module or package directly below svgm that a file belongs to."""
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imports(path: Path) -> set[str]:
    """Absolute names of everything a file imports, also inside functions."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative imports hide the direction"
            found.add(node.module or "")
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def test_every_module_has_a_layer() -> None:
    assert {room(path) for path in FILES} - {"__init__"} <= set(LEVEL)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_go_down(path: Path) -> None:
    here = room(path)
    if here == "__init__":
        return
    for name in imports(path):
        parts = name.split(".")
        if parts[0] == "svgm" and len(parts) > 1 and parts[1] in LEVEL and parts[1] != here:
            assert LEVEL[parts[1]] < LEVEL[here], f"{here} imports {parts[1]}, which is not below it"


def test_only_the_command_line_imports_the_whole_package() -> None:
    for path in FILES:
        if room(path) != "cli":
            tree = ast.parse(path.read_text(encoding="utf-8"))
            whole = {a.name for node in ast.walk(tree) if isinstance(node, ast.Import) for a in node.names}
            assert "svgm" not in whole, path


def test_packages_have_no_cycles() -> None:
    graph = {}
    for path in FILES:
        name = ".".join(["svgm", *path.relative_to(SOURCE).with_suffix("").parts]).removesuffix(".__init__")
        graph[name] = imports(path)
    graph = {name: {other for other in graph if other in used and other != name} for name, used in graph.items()}
    # `from svgm.io import x` loads the package's own __init__ first, which is no import of what __init__ imports.
    graph = {name: {o for o in used if not name.startswith(f"{o}.")} for name, used in graph.items()}
    while graph:
        free = [name for name, used in graph.items() if not used & graph.keys()]
        assert free, f"these import each other in a circle: {sorted(graph)}"
        for name in free:
            del graph[name]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_foreign_imports_stay_in_their_room(path: Path) -> None:
    roots = {name.split(".")[0] for name in imports(path)}
    assert not roots & {"sklearn", "torch", "open3d"}
    if room(path) != "view":
        assert not roots & {"matplotlib", "viser", "playwright"}
    if room(path) != "cli":
        assert not roots & {"click", "rich"}


def test_importing_svgm_is_light() -> None:
    code = "import sys, svgm; print(' '.join({name.split('.')[0] for name in sys.modules}))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not set(run.stdout.split()) & {
        "scipy",
        "click",
        "rich",
        "matplotlib",
        "sklearn",
        "skimage",
        "laspy",
        "trimesh",
        "pye57",
        "gtsam",
        "dask",
        "distributed",
        "viser",
        "mkdocs",
    }


def test_registering_needs_numpy_only() -> None:
    code = (
        "import sys, numpy as np, svgm; p = np.random.default_rng(0).normal(size=(50, 3)); svgm.register(p, p);"
        "svgm.merge(svgm.fit(p), svgm.fit(p)); print(' '.join({name.split('.')[0] for name in sys.modules}))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not set(run.stdout.split()) & {"scipy", "click", "rich", "matplotlib", "sklearn"}


def test_public_names_exist() -> None:
    assert len(set(svgm.__all__)) == len(svgm.__all__)
    for name in svgm.__all__:
        assert getattr(svgm, name).__doc__, name


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_files_are_short_and_named_after_a_concept(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) < 400
    assert path.stem not in {"utils", "util", "helpers", "helper", "misc", "common"}


def test_the_library_never_prints_exits_or_asserts() -> None:
    for path in (path for path in FILES if room(path) != "cli"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            assert not isinstance(node, ast.Assert), f"{path}:{node.lineno}"
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id not in {"print", "exit", "quit", "input"}, f"{path}:{node.lineno}"
