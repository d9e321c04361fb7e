"""Which peers can be imported, and their versions."""

from __future__ import annotations

import importlib
from functools import cache
from importlib.metadata import PackageNotFoundError, version

from benchmarks.speed.clock import in_fresh_process

#: Modules and the packages that bring them.
PACKAGES = {"open3d": "open3d-cpu", "small_gicp": "small_gicp", "sklearn": "scikit-learn"}


@cache
def installed(module: str) -> bool:
    """Whether a peer can be imported (Open3D may lack a library of the system); says so in one line if not."""
    found = in_fresh_process(_importable, module, threads=1)
    if not found:
        print(f"{PACKAGES[module]}: not installed: pip install svgm[bench]", flush=True)
    return found


def versions() -> str:
    """The peers' versions, for the head of the report."""
    words = []
    for package in PACKAGES.values():
        try:
            words.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            words.append(f"{package} absent")
    return ", ".join(words)


def _importable(module: str) -> bool:
    try:
        importlib.import_module(module)
    except (ImportError, OSError):
        return False
    return True
