"""Doctests of what an extra draws, maps or meshes are skipped where that extra is not installed."""

from __future__ import annotations

import importlib.util

import pytest

#: Modules by the beginning of their names, and the import that their examples need.
NEEDS = {"svgm.view": "matplotlib", "svgm.mapping": "gtsam", "svgm.surface": "skimage"}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if isinstance(item, pytest.DoctestItem):
            for module, needed in NEEDS.items():
                if item.name.startswith(f"{module}.") and importlib.util.find_spec(needed) is None:
                    item.add_marker(pytest.mark.skip(reason=f"needs {needed}"))
