"""Cases that are command lines: good files, and options with values that are right, wrong or extreme."""

from __future__ import annotations

import functools
from typing import Any

import click

from fuzz.case import Case, Generator, one_of
from fuzz.damage import damaged
from fuzz.samples import samples
from svgm.cli import COMMANDS, main

#: What a number may be on a command line.
NUMBERS = (
    "1",
    "0",
    "-1",
    "0.5",
    "nan",
    "inf",
    "-inf",
    "1e308",
    "1e-308",
    "9" * 400,
    "x",
    "",
    "1,2",
    "2",
    "8",
    "é",
    "\udcff",
)
TEXTS = ("x", "", "-", "a\nb", "x" * 1000, "1,2", "1,2,3", "nan,nan,nan", "1e308,0,0", "\udcff")
OUTPUTS = (
    "out.npz", "out.ply", "out.html", "out.png", "out.svg", "out.json", "out.yaml", "out", "nowhere/out.ply",
    ".", "a.ply", "out.docx", "/dev/null/out.ply", "\udcff.html", "x" * 300, "-",
)  # fmt: skip

#: Options that start processes or servers, or draw for seconds.
LEFT_OUT = {"workers", "dask", "host", "port", "no_browser", "help", "picture"}
#: `demo` takes long and reads nothing; `view` must not serve.
ALWAYS: dict[str, list[str]] = {"view": ["--html", "out.html"], "demo": ["--output", "/dev/null/demo"]}


@functools.cache
def _parameters(command: str) -> list[click.Parameter]:
    found = main.get_command(click.Context(main), command)
    assert found is not None
    return found.params


def _value(rng: Generator, option: click.Parameter, inputs: list[str]) -> str:
    kind: Any = option.type
    if isinstance(kind, click.Choice):
        return one_of(rng, [*map(str, kind.choices), "x", ""])
    if isinstance(kind, click.Path):
        read = option.name in ("init", "pose_file", "result", "like")
        return one_of(rng, [*inputs, "matrix.txt", "nowhere.txt"] if read else OUTPUTS)
    return one_of(rng, TEXTS if isinstance(kind, click.types.StringParamType) else NUMBERS)


def make_command(rng: Generator) -> Case:
    """A command with one to three files and some options."""
    every = samples()
    name = one_of(rng, tuple(COMMANDS))
    files = {"a.ply": every["points.ply"], "b.ply": every["points.ply"], "m.npz": every["mixture.npz"]}
    files |= {"matrix.txt": every["matrix.txt"], "flat.csv": every["flat.csv"]}
    extra = one_of(rng, tuple(every))
    suffix = "." + extra.rpartition(".")[2]
    files[f"c{suffix}"] = damaged(rng, every[extra], b"") if rng.random() < 0.5 else every[extra]
    words = [name, *ALWAYS.get(name, [])]
    for parameter in _parameters(name):
        if isinstance(parameter, click.Argument):
            count = {1: 1, -1: int(rng.integers(1, 4))}.get(parameter.nargs, 1)
            words += [one_of(rng, ["a.ply", "b.ply", *files, "nowhere.ply"]) for _ in range(count)]
        elif parameter.name not in LEFT_OUT and (parameter.required or rng.random() < 0.15):
            words.append(parameter.opts[-1])
            if not getattr(parameter, "is_flag", False):
                words.append(_value(rng, parameter, list(files)))
    if "certified" in words:
        words += ["--seconds", "0.2"]
    return Case("command", f"svgm {name}", f"command({', '.join(map(repr, words))})", files)
