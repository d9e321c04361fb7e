"""Griffe extension: docstrings as the site shows them.

A role such as ``:func:`svgm.fit``` becomes a link if the site has that name, else code.  Examples need no heading:
``>>>`` after a blank line begins them.  Parameters that share a line are shown separately, each with its own default.
If a function and a module have the same name, the function is shown, as in Python.
"""

from __future__ import annotations

import re
from typing import Any

import griffe

ROLE = re.compile(r":(?:func|class|meth|attr|mod|exc|data):`(?P<short>~?)(?P<name>[\w.]+)`")

HEADING = "Examples\n--------\n"
EXAMPLE = re.compile(r"(?<=\n\n)(?=>>> )")
SHARED = re.compile(r"^(?P<names>\w+(?:, \w+)+)\n(?P<text>(?: {4,}.*(?:\n|$))+)", flags=re.MULTILINE)


class Docstrings(griffe.Extension):
    """Rewrites a package after griffe has read it and before it is shown."""

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:
        """First rewrite the docstrings of all modules; then let functions hide modules of the same name."""
        _rewrite(pkg)
        _hide_modules(pkg)


def _rewrite(obj: griffe.Object) -> None:
    if obj.docstring is not None:
        text = SHARED.sub(_separate, ROLE.sub(lambda role: _link(role, obj), obj.docstring.value))
        obj.docstring.value = text if HEADING in text else EXAMPLE.sub(HEADING, text, count=1)
    for member in obj.members.values():
        if isinstance(member, griffe.Object):
            _rewrite(member)


def _link(role: re.Match[str], obj: griffe.Object) -> str:
    """An optional link: an internal name has no place in the site and stays code."""
    name = role["name"]
    shown = name.rpartition(".")[2] if role["short"] else name
    first, dot, rest = name.partition(".")
    try:
        path = name if first == "svgm" else obj.resolve(first) + dot + rest
    except griffe.NameResolutionError:
        path = f"{obj.path}.{name}"
    return f'<autoref optional identifier="{path}"><code>{shown}</code></autoref>'


def _separate(shared: re.Match[str]) -> str:
    text = shared["text"].rstrip("\n") + "\n"
    return "".join(f"{name}\n{text}" for name in shared["names"].split(", "))


def _hide_modules(package: griffe.Module) -> None:
    for name, module in list(package.members.items()):
        if not isinstance(module, griffe.Module) or module.is_alias:
            continue
        _hide_modules(module)
        if package.exports and name in package.exports and name in module.members:
            package.members[name] = griffe.Alias(name, target=module.members[name], parent=package)
