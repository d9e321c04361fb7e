"""Results kept as they come: one line of JSON a registration, appended, so that an interrupted run goes on."""

from __future__ import annotations

import hashlib
import inspect
import json
import os
import platform
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any

import click
import numpy as np
import scipy

import svgm
from benchmarks import datasets
from benchmarks.datasets import folder
from benchmarks.methods.method import Method, Setting
from benchmarks.paper import perturb, problems
from benchmarks.paper.data import digests
from benchmarks.report import commit


@dataclass(frozen=True)
class Run:
    """One registration.  Status: ok, failed, limit (past it) or died; without an answer the errors are the start's."""

    problem: str
    method: str
    setting: str
    status: str
    seconds: float
    rotation: float
    translation: float
    T: list[list[float]] | None = None
    message: str = ""
    #: Of the code and the package that it was made with, see `code_of`.
    code: str = ""


def spelled(setting: Setting) -> str:
    """A setting as text, the same for the same values."""
    return json.dumps(dict(setting), sort_keys=True)


class Store:
    """The runs in a folder, by problem, method and setting.

    Those that were made with other code are left out, so that no table mixes two; results of other data are an error.
    """

    def __init__(self, where: Path, methods: Iterable[Method], *, fresh: bool = False) -> None:
        where.mkdir(parents=True, exist_ok=True)
        methods = list(methods)
        self.origin = origin(methods)
        self._codes = {method.name: code_of(method) for method in methods}
        self._file = where / "runs.jsonl"
        stamp = where / "origin.json"
        if fresh:
            self._file.unlink(missing_ok=True)
            stamp.unlink(missing_ok=True)
        if stamp.exists() and self._file.exists():
            before = json.loads(stamp.read_text(encoding="utf-8"))
            if before["data"] != self.origin["data"]:
                raise click.ClickException(
                    f"{where} holds results of other data: choose another --output, or --fresh to discard them"
                )
        stamp.write_text(json.dumps(self.origin, indent=1) + "\n", encoding="utf-8")
        kept = _read(self._file)
        self._runs = {_key(run): run for run in kept if run.code == self._codes.get(run.method)}
        self._tried = {(run.problem, run.method) for run in self._runs.values()}
        #: Runs in the folder that were made with other code.
        self.outdated = len({_key(run) for run in kept}) - len(self._runs)

    def __len__(self) -> int:
        return len(self._runs)

    def find(self, problem: str, method: str, setting: Setting) -> Run | None:
        """A run that has been done."""
        return self._runs.get((problem, method, spelled(setting)))

    def tried(self, problem: str, method: str) -> bool:
        """Whether the method has been run on the problem with any setting."""
        return (problem, method) in self._tried

    def add(self, run: Run) -> None:
        """Keep a run, on disk at once."""
        run = replace(run, code=self._codes[run.method])
        with self._file.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(run)) + "\n")
        self._runs[_key(run)] = run
        self._tried.add((run.problem, run.method))


def origin(methods: Iterable[Method]) -> dict[str, Any]:
    """Where results come from: code, versions, machine, data."""
    return {
        "commit": commit(),
        "svgm": svgm.__version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "packages": sorted({method.version() for method in methods if method.package}),
        "machine": _machine(),
        "data": digests(folder()),
    }


def code_of(method: Method) -> str:
    """A digest of what decides a method's results: its module and what that imports here, the data sets, its package.

    The method's settings need not be in it, as results are kept by setting.
    """
    files = {Path(inspect.getfile(module)) for module in (datasets, perturb, problems)}
    _gather(inspect.getmodule(method.align), files)
    total = hashlib.sha256(method.version().encode())
    for path in sorted(files):
        total.update(path.name.encode())
        total.update(path.read_bytes())
    return total.hexdigest()[:12]


def _gather(module: ModuleType | None, files: set[Path]) -> None:
    """The module's file and those of what it imports from here; of svgm all, with its core's sources."""
    if module is None or module.__file__ is None or Path(module.__file__) in files:
        return
    files.add(Path(module.__file__))
    for value in vars(module).values():
        used = value if isinstance(value, ModuleType) else inspect.getmodule(value)
        name = used.__name__ if used is not None else ""
        if name.startswith("benchmarks.methods"):
            _gather(used, files)
        elif name.split(".")[0] == "svgm":
            package = Path(inspect.getfile(svgm)).parent
            files.update(path for path in package.rglob("*") if path.suffix in (".py", ".cpp", ".hpp"))


def described(origin: Mapping[str, Any]) -> str:
    """The same in a line, for people, with the packages that are installed."""
    machine = origin["machine"]
    packages = [f"numpy {origin['numpy']}", *(name for name in origin["packages"] if not name.endswith(" absent"))]
    return (
        f"svgm {origin['svgm']} ({origin['commit']}), Python {origin['python']}, {', '.join(packages)}; "
        f"{machine['processor']}, {machine['cores']} cores"
    )


def _machine() -> dict[str, Any]:
    names = []
    information = Path("/proc/cpuinfo")
    if information.exists():
        names = [line.split(":")[1].strip() for line in information.read_text().splitlines() if "model name" in line]
    return {
        "processor": names[0] if names else platform.machine(),
        "system": platform.system(),
        "cores": os.cpu_count(),
    }


def _key(run: Run) -> tuple[str, str, str]:
    return run.problem, run.method, run.setting


def _read(file: Path) -> list[Run]:
    if not file.exists():
        return []
    text = file.read_text(encoding="utf-8")
    whole = text[: text.rfind("\n") + 1]
    if whole != text:  # the last line was cut off by an interruption: its run is done again
        file.write_text(whole, encoding="utf-8")
    return [Run(**json.loads(line)) for line in whole.splitlines()]
