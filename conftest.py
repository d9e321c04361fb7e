"""What all tests share: seeded generators, shapes without symmetry, the folder of real data, a home to write to."""

from __future__ import annotations

import importlib.util
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

from tests.forked import Forks

# Nothing that depends on how busy the machine is; and a fixture may serve all examples of a test.
settings.register_profile(
    "svgm",
    derandomize=True,
    deadline=None,
    max_examples=25,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("svgm")

#: Modules whose doctests need an extra: the beginning of their names, and what they import.
NEEDS = {"svgm.view": "matplotlib", "svgm.mapping": "gtsam", "svgm.reconstruction": "skimage"}

#: The files that take longest, the longest first.  `make test` shares them out in this order, so that no core is idle
#: at the end.  ``pytest --durations=50`` shows what takes long.
LONGEST = (
    *("tests/test_docs.py", "tests/mapping/test_pipeline.py", "tests/test_examples.py", "tests/test_fuzz.py"),
    *("tests/core/test_cpp.py", "tests/core/test_interrupts.py", "tests/mixture/test_svm.py"),
    *("tests/faults/test_maps.py", "tests/reconstruction/test_surface.py", "benchmarks/tests/paper/test_harness.py"),
    *("tests/machines/test_answers.py", "tests/test_bad_arguments.py", "tests/registration/register/test_global.py"),
    *("tests/cli/test_file_names.py", "tests/core/test_instructions.py", "tests/view/pictures/test_map_picture.py"),
    *("tests/view/html_page/test_page.py", "tests/mapping/test_mapper.py", "tests/checks/test_types.py"),
)


def pytest_configure(config: pytest.Config) -> None:
    """Where the home folder is read-only, take another one: matplotlib, evo and the browser keep settings in it."""
    if not os.access(Path.home(), os.W_OK):
        home = tempfile.TemporaryDirectory(prefix="svgm-home-")
        config.add_cleanup(home.cleanup)
        os.environ["HOME"] = home.name


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    places = {name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: places.get(item.nodeid.partition("::")[0], len(places)))
    for item in items:
        if "mapping" in item.path.parts and "tests" in item.path.parts and importlib.util.find_spec("gtsam") is None:
            item.add_marker(pytest.mark.skip(reason="needs gtsam"))
        if isinstance(item, pytest.DoctestItem):
            needs = {**NEEDS, item.name: "matplotlib"} if item.name.endswith(".plot") else NEEDS
            for module, needed in needs.items():
                if f"{item.name}.".startswith(f"{module}.") and importlib.util.find_spec(needed) is None:
                    item.add_marker(pytest.mark.skip(reason=f"needs {needed}"))


@pytest.fixture
def rng() -> np.random.Generator:
    """A generator with a fixed seed, new for every test."""
    return np.random.default_rng(20150)


@pytest.fixture(scope="session")
def forks() -> Iterator[Forks]:
    """Runs Python code in processes of their own, which start at once."""
    forks = Forks()
    yield forks
    forks.close()


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real data that SVGM_DATA names; a test that needs it is skipped without, and fails on CI."""
    folder = Path(os.environ.get("SVGM_DATA", ""))
    if "SVGM_DATA" in os.environ and folder.is_dir():
        return folder
    reason = f"SVGM_DATA must name the folder of real data, got {os.environ.get('SVGM_DATA')!r}"
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


def _curve(n: int) -> np.ndarray:
    angle = np.linspace(0.0, 2.0 * np.pi, n, endpoint=False)
    radius = 1.0 + 0.35 * np.cos(angle) + 0.2 * np.sin(2 * angle) + 0.15 * np.cos(3 * angle + 0.5)
    return np.c_[1.4 * radius * np.cos(angle), radius * np.sin(angle)]


def _surface(n: int) -> np.ndarray:
    index = np.arange(n) + 0.5
    height, turn = 1.0 - 2.0 * index / n, np.pi * (1.0 + 5.0**0.5) * index
    ring = np.sqrt(1.0 - height**2)
    unit = np.c_[ring * np.cos(turn), ring * np.sin(turn), height]
    bumps = 1.0 + 0.4 * unit[:, 0] * unit[:, 1] + 0.3 * unit[:, 2] ** 3 + 0.25 * unit[:, 0] ** 3
    return unit * bumps[:, None] * [1.5, 1.0, 0.7]


@pytest.fixture(scope="session")
def curve() -> np.ndarray:
    """A closed curve without symmetry, (120, 2)."""
    return _curve(120)


@pytest.fixture(scope="session")
def surface() -> np.ndarray:
    """A closed surface without symmetry, (250, 3)."""
    return _surface(250)


@pytest.fixture(scope="session")
def dense_curve() -> np.ndarray:
    """The same curve, so dense that thinning removes most of it: (3000, 2)."""
    return _curve(3000)


@pytest.fixture(scope="session")
def dense_surface() -> np.ndarray:
    """The same surface, so dense that thinning removes most of it: (6000, 3)."""
    return _surface(6000)
