"""What is public: the names in svgm's `__all__` and those that docs/reference shows; and which lack an example."""

from __future__ import annotations

import functools
import importlib
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import svgm

REFERENCE = Path(__file__).parents[1] / "docs" / "reference"


def shown(path: str) -> Any:
    """The object of a name in Python, where a function may hide the module of the same name."""
    found: Any = svgm
    for part in path.split(".")[1:]:
        if not hasattr(found, part) and isinstance(found, ModuleType):
            importlib.import_module(f"{found.__name__}.{part}")
        found = getattr(found, part)
    return found


def names_in(module: ModuleType) -> list[str]:
    """`__all__`; without one, the functions and classes that are defined there and have no leading underscore."""
    if hasattr(module, "__all__"):
        return list(module.__all__)
    return [
        key
        for key, value in vars(module).items()
        if not key.startswith("_")
        and (inspect.isfunction(value) or inspect.isclass(value))
        and value.__module__ == module.__name__
    ]


def documented() -> list[str]:
    """The names that docs/reference shows, as they are written there."""
    pages = [page.read_text(encoding="utf-8") for page in sorted(REFERENCE.glob("*.md"))]
    return [name for page in pages for name in re.findall(r"^::: (\S+)", page, flags=re.MULTILINE)]


@functools.cache
def public() -> dict[str, Any]:
    """Everything public by its path: the names of svgm, and what docs/reference shows; of a module, all its names."""
    found = {}
    for path in ["svgm", *documented()]:
        thing = shown(path)
        if isinstance(thing, ModuleType):
            found |= {f"{path}.{key}": getattr(thing, key) for key in names_in(thing)}
        else:
            found[path] = thing
    return found


def doctest_lines(thing: Any) -> str:
    return "\n".join(re.findall(r"^ *(?:>>>|\.\.\.) (.*)", getattr(thing, "__doc__", None) or "", flags=re.MULTILINE))


def methods(cls: type) -> Iterator[tuple[str, Any]]:
    """Public methods and properties that a class defines itself."""
    for key, value in vars(cls).items():
        kinds = (property, classmethod, staticmethod, functools.cached_property)
        if not key.startswith("_") and (inspect.isfunction(value) or isinstance(value, kinds)):
            yield key, value


def without_example() -> Iterator[str]:
    every = "\n".join(doctest_lines(thing) for thing in public().values())
    for path, thing in public().items():
        if not (inspect.isfunction(thing) or inspect.isclass(thing)):
            # A constant has no docstring of its own in Python: some example must use it.
            if not re.search(rf"\b{path.rpartition('.')[2]}\b", every):
                yield path
            continue
        if not doctest_lines(thing):
            yield path
        elif inspect.isclass(thing):
            used = set(re.findall(r"\.(\w+)", doctest_lines(thing)))
            yield from (
                f"{path}.{key}" for key, value in methods(thing) if key not in used and not doctest_lines(value)
            )
