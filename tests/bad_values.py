"""Values that are wrong for a parameter, by the kind of the parameter."""

from __future__ import annotations

import datetime
import inspect
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from svgm import Mixture
from svgm.checks.arguments import shown

SOME_POINTS = np.random.default_rng(1).normal(size=(5, 2))


class Hostile:
    """Every attribute and the representation raise an error."""

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError("no\nattribute")

    def __repr__(self) -> str:
        raise RuntimeError("no representation")


class Verbose:
    """The representation is long and has many lines."""

    def __repr__(self) -> str:
        return "many\nlines\t" * 100_000


class Unwilling:
    """Has the methods of a number and of an array, which all fail."""

    def __float__(self) -> float:
        raise ZeroDivisionError("no\nfloat")

    def __index__(self) -> int:
        raise KeyError("no index")

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise LookupError("no\narray")


#: Wrong for every parameter.
WRONG: dict[str, Any] = {
    "object": object(),
    "hostile": Hostile(),
    "verbose": Verbose(),
    "unwilling": Unwilling(),
    "type": int,
    "complex": 1 + 2j,
    "dict": {"a": 1},
    "set": {1, 2},
    "bytes": b"\x00\xff",
    "date": datetime.date(2020, 1, 1),
    "numpy date": np.datetime64("2020-01-01"),
    "huge": 10**400,
    "longer than can be printed": 10**10_000,
    "numpy complex": np.complex128(1 + 1j),
    "numpy bool": np.True_,
}
NUMBERS = {
    "text": "0.5",
    "bool": True,
    "NaN": math.nan,
    "list": [0.5, 1.0],
    "array": np.array([0.5, 1.0]),
    "minus huge": -(10**400),
}
ARRAYS = {
    "ragged": [[1.0, 2.0], [3.0]],
    "of text": [["a", "b"]],
    "of digits": np.array([["1", "2"]], dtype=object),
    "of complex": [[1j, 2.0]],
    "of huge": [[10**400, 0]],
    "of None": [[None, "a"]],
    "of dates": np.array([["2020-01-01", "2020-01-02"]], dtype="datetime64[D]"),
    "of objects": [[object(), Verbose()]],
    "structured": np.zeros(3, dtype=[("x", float), ("y", float)]),
    "masked": np.ma.masked_array([[1.0, 2.0]], mask=[[True, False]]),
    "too many": range(10**13),
}
POINTS = {
    **ARRAYS,
    "number": 1.0,
    "vector": [1.0, 2.0, 3.0],
    "empty": [],
    "no rows": np.zeros((0, 2)),
    "no columns": np.zeros((2, 0)),
    "cube": np.zeros((2, 2, 2)),
    "with NaN": [[0.0, math.nan], [1.0, 2.0]],
    "with infinity": [[0.0, math.inf], [1.0, 2.0]],
    "transposed": np.random.default_rng(0).normal(size=(3, 2000)),
    "too large": [[1e200, 0.0], [0.0, 1.0]],
    "no such file": "no-such-file.ply",
    "no file name": "",
}

#: May be accepted or refused.
EXTREME = {
    "number": [math.inf, -math.inf, 0, -1, 1e308, -1e308, 5e-324, 1e-160, 1e-300, 1e300, 1e9, 10**12, 2**63, 1e-9],
    "count": [0, -1, 2**31 - 1, 2**31, 2**32, 10**9, 10**12, 2**63, 2**64],
    "array": [
        *(value for key, value in POINTS.items() if key not in ARRAYS),
        np.zeros((1, 1)),
        np.zeros((3, 3)),
        np.full((4, 4), 1e308),
        np.full((3, 3), 5e-324),
        np.broadcast_to(1.0, (10**13, 2)),
        np.zeros((3, 3, 3, 3)),
    ],
    "points": [
        *(1e-160 * np.eye(2, 2), 5e-324 * np.eye(3), 1e149 * np.eye(2), 1e149 * np.eye(3), np.zeros((3, 2))),
        np.array([[1e149, 1e-300], [0.0, 1.0], [1e-160, 2.0]]),
        np.vstack([np.eye(3), [[1e140, 0.0, 0.0]]]),
        np.broadcast_to(1.0, (10**13, 3)),
        np.ones((4, 1)) * np.arange(4.0)[:, None],
        np.random.default_rng(0).normal(size=(20, 100)),
    ],
    "mixture": [
        Mixture([[0.0]], 1.0, [1.0]),
        Mixture([[0.0] * 5], 1.0, [1.0]),
        Mixture([[0.0, 0.0], [1.0, 0.0]], 1.0, [1.0, -0.5]),
        Mixture([[0.0, 0.0], [1e149, 0.0]], 0.25, [0.5, 0.5]),
        Mixture([[0.0, 0.0, 0.0], [1e149, 0.0, 1.0]], 1e290, [0.5, 0.5]),
        Mixture([[0.0, 0.0]], 1e-290, [1.0]),
    ],
}


def wrong_values(kind: str, parameter: inspect.Parameter) -> Iterator[tuple[str, Any, bool]]:
    """Names and values for a parameter of a kind, and whether each must be refused."""
    optional = "None" in str(parameter.annotation) or parameter.default is None
    wrong = dict(WRONG)
    if not optional and parameter.annotation != "Any":
        wrong["None"] = None
    if kind in ("number", "count"):
        wrong |= NUMBERS
    if kind == "count":
        wrong |= {"fraction": 1.5, "infinity": math.inf}
    elif kind == "array":
        wrong |= ARRAYS
    elif kind in ("points", "rows", "stored"):
        wrong |= POINTS
    if kind == "rows":
        del wrong["no rows"]
    elif kind == "stored":  # files hold any finite number
        del wrong["too large"]
    if kind == "label":  # the name of a value in messages, which no caller passes
        wrong.clear()
    if kind in ("mixture", "thing"):
        wrong |= {"number": 3, "text": "abc.npz", "array": SOME_POINTS, "list": [1]}
    elif kind in ("path", "suffix", "folder"):
        wrong |= {"number": 3, "list": ["a"], "null": "a\0b", "nowhere": "/no/such/folder/a.png", "empty": ""}
        if kind != "path":  # a suffix needs no folder, and folders are made with their parents
            del wrong["nowhere"]
    elif kind == "flag":
        wrong |= {"number": 3, "text": "yes", "array": SOME_POINTS}
        del wrong["numpy bool"]
    elif kind in ("text", "word"):
        wrong |= {"number": 3, "list": ["a"], "array": SOME_POINTS}
        wrong |= {"other word": "abc\nd"} if kind == "word" else {}
    elif kind == "function":
        wrong |= {"number": 3, "text": "abc"}
        del wrong["type"]
    elif kind in ("sequence", "mapping"):
        wrong |= {"number": 3, "text": "abc", "of objects": [object()], "of hostile": [Hostile()], "of one": [[1]]}
        if kind == "mapping":
            del wrong["dict"]
    if kind != "label":
        wrong["generator"] = (object() for _ in range(2))
    for name, value in wrong.items():
        yield name, value, True
    for value in EXTREME.get("points" if kind in ("rows", "stored") else kind, []):
        yield f"extreme {shown(value)}", value, False
    if kind in ("points", "rows", "stored"):
        for number, value in enumerate(EXTREME["mixture"]):
            yield f"mixture {number}", value, False
