"""Architecture: the order of the rooms, light start-up, short files, public names, tests that mirror the source."""

from __future__ import annotations

import ast
import builtins
import subprocess
import sys
from pathlib import Path

import pytest

import svgm
from tests.public_names import documented

SOURCE = Path(svgm.__file__).parent
FILES = sorted(SOURCE.rglob("*.py"))
TESTS = Path(__file__).parent

#: Submodules that the reference documents and `dir(svgm)` shows.
SUBMODULES = {"datasets", "io", "rigid", "view"}

#: Rooms whose tests do not mirror the source one to one: parts of a file format, of a page or of a command are tested
#: through what they are parts of.
NOT_MIRRORED = {"_core", "cli", "io", "view"}


def room(path: Path) -> str:
    """The module or package directly below svgm that a file belongs to."""
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imports(path: Path, *, drawing: bool = True) -> set[str]:
    """Absolute names of everything that a file imports, also inside functions.

    Without `drawing`, leave out what functions import from `svgm.view`: methods do so to draw their object.
    """
    tree = ast.parse(path.read_text(encoding="utf-8"))
    outside = set(ast.walk(tree))
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            outside -= set(ast.walk(node))
    found = set()
    for node in ast.walk(tree):
        names = set()
        if isinstance(node, ast.Import):
            names = {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative imports hide the direction"
            names = {node.module or ""} | {f"{node.module}.{alias.name}" for alias in node.names}
        if drawing or node in outside:
            found |= names
        else:
            found |= {name for name in names if not name.startswith("svgm.view")}
    return found


def in_order(graph: dict[str, set[str]]) -> list[str]:
    """The names of a graph, each after the names that it uses."""
    order: list[str] = []
    while len(order) < len(graph):
        free = [name for name, used in graph.items() if name not in order and used <= set(order)]
        assert free, f"these import each other in a circle: {sorted(set(graph) - set(order))}"
        order += sorted(free)
    return order


def test_rooms_have_an_order() -> None:
    rooms = {room(path) for path in FILES} - {"__init__"}
    graph: dict[str, set[str]] = {name: set() for name in rooms}
    for path in FILES:
        here = room(path)
        if here in rooms:
            used = {name.split(".")[1] for name in imports(path, drawing=False) if name.startswith("svgm.")}
            graph[here] |= (used & rooms) - {here}
    order = in_order(graph)
    # The order of the method, as ARCHITECTURE.md lists it.
    method = ["geometry", "mixture", "registration", "mapping", "view", "cli"]
    assert [name for name in order if name in method] == method


def test_the_tree_fits_on_a_screen() -> None:
    assert len({path.relative_to(SOURCE).parts[0] for path in FILES}) <= 14


def test_only_the_command_line_imports_the_whole_package() -> None:
    for path in FILES:
        if room(path) != "cli":
            tree = ast.parse(path.read_text(encoding="utf-8"))
            whole = {a.name for node in ast.walk(tree) if isinstance(node, ast.Import) for a in node.names}
            assert "svgm" not in whole, path


def test_modules_have_no_cycles() -> None:
    graph = {}
    for path in FILES:
        name = ".".join(["svgm", *path.relative_to(SOURCE).with_suffix("").parts]).removesuffix(".__init__")
        if name != "svgm":
            graph[name] = imports(path, drawing=False)
    graph = {name: {other for other in graph if other in used and other != name} for name, used in graph.items()}
    # `from svgm.io import x` loads the __init__ of the package first: that is no import of what __init__ imports.
    in_order({name: {o for o in used if not name.startswith(f"{o}.")} for name, used in graph.items()})


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


def test_dir_shows_what_is_documented_and_nothing_else() -> None:
    names = {name.removeprefix("svgm.") for name in documented()}
    assert {name for name in SUBMODULES if not any(f"{other}.".startswith(f"{name}.") for other in names)} == set()
    top = {name for name in names if "." not in name}
    assert {name for name in dir(svgm) if not name.startswith("_")} == top | SUBMODULES


def test_documented_submodules_need_no_import_of_their_own() -> None:
    code = "import svgm; print(svgm.datasets.body, svgm.io.read_points, svgm.rigid.exp, svgm.view.fitted)"
    subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert not hasattr(svgm, "nothing")


def test_a_star_import_brings_the_public_names_and_keeps_the_builtins() -> None:
    names: dict[str, object] = {}
    exec("from svgm import *", names)
    assert set(svgm.__all__) <= set(names)
    assert not set(names) & (set(dir(builtins)) - {"__doc__", "__name__"})


def test_tests_mirror_the_source() -> None:
    """tests/ROOM/test_MODULE.py for src/svgm/ROOM/MODULE.py, and the other way round.

    More tests of a module may stand in a folder tests/ROOM/MODULE.
    """
    modules = {path.relative_to(SOURCE) for path in FILES if path.name != "__init__.py"}
    rooms = {path.parts[0] for path in modules if len(path.parts) > 1} - NOT_MIRRORED
    expected = {path.with_name(f"test_{path.name}") for path in modules if path.parts[0] in rooms}
    tests = {path.relative_to(TESTS) for path in TESTS.rglob("test_*.py")}
    tests = {path for path in tests if len(path.parts) < 3 or path.parent.with_suffix(".py") not in modules}
    assert {path for path in tests if path.parts[0] in rooms} == expected


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
