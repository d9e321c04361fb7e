"""What a method is to the benchmarks."""

from __future__ import annotations

import importlib
import inspect
import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from math import inf
from typing import Any

from benchmarks.datasets import Array
from svgm import register

#: ``align(source, target, *, unit, threads, **setting)`` is T, which maps source into target.  Lengths in a setting
#: are multiples of `unit`: the target's diagonal, or a metre.  All that a user has to do with two arrays of points is
#: inside, so that its time counts.
Align = Callable[..., Array]

#: Values of a method's own parameters; empty for none.
Setting = Mapping[str, Any]


@dataclass(frozen=True)
class Method:
    """A way to register two point sets.

    Attributes
    ----------
    name
        As in the paper's tables where it is there.
    about
        One line: whose code, what it is.
    align
        See `Align`.
    settings
        For each family of data sets, the settings among which training pairs choose; a family that is not named is
        one the method does not take part in.
    search
        "local" (starts at the initial pose) or "global".
    module, package, alone
        What must be importable, the package that brings it, and the families of data for which it is not needed.
    binary
        Environment variable that names the program it calls; with a module, instead of that.
    option
        Parameter of `svgm.register` that it passes, if an older svgm does not have it.
    limit
        Seconds a pair may take, if less than the run's.
    """

    name: str
    about: str
    align: Align
    settings: Mapping[str, tuple[Setting, ...]]
    search: str = "local"
    module: str | None = None
    package: str | None = None
    alone: tuple[str, ...] = ()
    binary: str | None = None
    option: str | None = None
    limit: float = inf
    #: Mean seconds a pair, roughly, for the time stated beforehand.
    seconds: Mapping[str, float] = field(default_factory=dict)

    def missing(self, family: str) -> str | None:
        """Why it cannot run here on such data, in one line; None if it can."""
        program = os.environ.get(self.binary) if self.binary is not None else None
        if program:
            return None if shutil.which(program) else f"{self.binary}: {program} is not a program"
        if self.binary is not None and self.module is None:
            return f"{self.binary} is not set to the program's path"
        if self.module is not None and family not in self.alone:
            try:
                importlib.import_module(self.module)
            except Exception as error:  # a broken install may raise anything, and must not end the benchmark
                return f"{self.package} cannot be imported ({type(error).__name__}: {error})".splitlines()[0]
        if self.option is not None and self.option not in inspect.signature(register).parameters:
            return f"svgm.register has no parameter {self.option}"
        return None

    def version(self) -> str:
        """Package and version, for the record."""
        if self.package is None:
            return "svgm"
        try:
            return f"{self.package} {version(self.package)}"
        except PackageNotFoundError:
            return f"{self.package} absent"
