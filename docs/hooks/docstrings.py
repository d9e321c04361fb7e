"""Griffe extension: docstrings as the site shows them.

Roles such as ``:func:`svgm.fit``` become links where the site has such a place, and code elsewhere.  Examples need no
heading: ``>>>`` after a blank line begins them.  Parameters that share a line are shown each with its own default.  A
function hides the module of its own name, as it does in Python: ``svgm.fit`` is the function.
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
    """Rewrites a package after it is read, and before anything of it is shown."""

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:
        """First the docstrings, which are found by walking through the modules; then functions may hide these."""
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
    """An optional link: a name that is internal has no place in the site, and is left as code."""
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
