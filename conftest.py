"""Doctests of what an extra draws, maps or meshes are skipped where that is not installed; and a home to write to."""

from __future__ import annotations

import importlib.util
import os
import tempfile
from pathlib import Path

import pytest

#: Modules by the beginning of their names, and the import that their examples need.
NEEDS = {"svgm.view": "matplotlib", "svgm.mapping": "gtsam", "svgm.surface": "skimage"}


def pytest_configure(config: pytest.Config) -> None:
    """Where the home folder is read-only, take another one: matplotlib, evo and the browser keep settings in it."""
    if not os.access(Path.home(), os.W_OK):
        home = tempfile.TemporaryDirectory(prefix="svgm-home-")
        config.add_cleanup(home.cleanup)
        os.environ["HOME"] = home.name


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if isinstance(item, pytest.DoctestItem):
            for module, needed in NEEDS.items():
                if item.name.startswith(f"{module}.") and importlib.util.find_spec(needed) is None:
                    item.add_marker(pytest.mark.skip(reason=f"needs {needed}"))
