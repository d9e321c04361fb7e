"""Checks of arguments: each error is one line with the parameter, the rule and the value."""

from __future__ import annotations

import math
import operator
import os
import reprlib
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from svgm.checks.errors import InputError
from svgm.checks.types import Array as Array
from svgm.checks.types import Progress

#: Characters of a value in a message, at most.
MOST_CHARACTERS = 80

#: Characters of a path, at most: what Linux allows.
LONGEST_PATH = 4096

#: Coordinates and lengths have at most this size, so that sums of their squares do not overflow.
LARGEST = 1e150

#: The largest count: what a signed integer of 32 bits holds.
MOST_COUNT = 2**31 - 1

#: Numbers in an array that a caller passes, at most: half a terabyte.
MOST_SIZE = 1 << 36

#: Numbers in an array that a function creates, at most: 2 GB.
MOST_NUMBERS = 1 << 28

#: The largest seed of random numbers: numpy uses 128 bits.
MOST_SEED = 2**128 - 1

#: Threads, at most, if this process may use fewer CPUs than that: more threads do not help, and each takes memory.
MOST_THREADS = 64

T = TypeVar("T")

_FLOAT = np.dtype(np.float64)
_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = 2 * MOST_CHARACTERS


def one_line(text: str, most: int = MOST_CHARACTERS) -> str:
    r"""A text on one line: control characters are written out, and a long text is cut.

    >>> one_line("two\n  lines"), one_line("a\0b"), one_line("abcdefgh", 6)
    ('two lines', 'a\\x00b', 'abc...')
    """
    line = " ".join(text[: 8 * most].split())
    if not line.isprintable():
        line = "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in line)
    return line if len(line) <= most else f"{line[: most - 3]}..."


def path_line(path: Any) -> str:
    """A path as a message shows it: on one line and not cut.

    >>> path_line("scan 1.ply")
    'scan 1.ply'
    """
    return one_line(str(path), LONGEST_PATH)


def shown(value: Any, most: int = MOST_CHARACTERS) -> str:
    """A value as a message shows it: short and on one line.

    >>> shown("nu"), shown(np.zeros((3, 2000)))
    ("'nu'", 'an array of shape (3, 2000)')
    """
    try:
        if isinstance(value, np.ndarray) and value.size > 4:
            return f"an array of shape {value.shape}"
        return one_line(_SHORT.repr(value), most)
    except Exception:  # repr of a foreign object may raise anything
        return f"a value of type {one_line(type(value).__name__)}"


def kind(value: Any) -> str:
    """The type of a value with its article.

    >>> kind([]), kind(3)
    ('a list', 'an int')
    """
    name = value.__name__ if isinstance(value, type) else type(value).__name__
    return f"a{'n' if name[:1] in 'AEIOUaeiou' else ''} {one_line(name)}"


def real(value: Any) -> float:
    """A number as a float; NaN for a value that is not a real number or too large for a float.

    >>> real(2), real("2"), real(10**400)
    (2.0, nan, nan)
    """
    if isinstance(value, np.generic | np.ndarray) and (value.ndim or value.dtype.kind not in "iufO"):
        return math.nan
    if isinstance(value, bool | str | bytes | bytearray):
        return math.nan
    try:
        return float(value)
    except Exception:  # a foreign object may raise anything
        return math.nan


def positive(
    name: str, value: Any, *, least: float = 0.0, most: float = math.inf, infinite: bool = False, zero: bool = False
) -> float:
    """A positive number from `least` to `most`.  Options: `zero` allows 0 too, `infinite` allows infinity.

    >>> positive("nu", 0.5, most=1)
    0.5
    """
    rule = "zero or more" if zero else "positive"
    if least > 0:
        rule = f"{'zero or ' if zero else ''}positive, from {least:g} to {most:g}"
    elif most < math.inf:
        rule += f" and at most {most:g}"
    elif not infinite:
        rule += " and finite"
    number = real(value)
    # Written so that NaN fails every comparison.
    fits = number > 0 and least <= number <= most and (infinite or number < math.inf)
    if not (fits or (zero and number == 0)):
        raise InputError(f"{name} must be {rule}, got {shown(value)}")
    return number


def number(name: str, value: Any, *, most: float = math.inf) -> float:
    """A finite number of absolute value at most `most`.

    >>> number("level", -0.5)
    -0.5
    """
    result = real(value)
    if not (math.isfinite(result) and abs(result) <= most):
        rule = "a finite number" if most == math.inf else f"a finite number from {-most:g} to {most:g}"
        raise InputError(f"{name} must be {rule}, got {shown(value)}")
    return result


def count(name: str, value: Any, least: int = 1, most: int = MOST_COUNT) -> int:
    """A whole number from `least` to `most`.

    >>> count("n", 3)
    3
    """
    try:
        number = least - 1 if isinstance(value, bool) else operator.index(value)
    except Exception:  # a foreign object may raise anything
        number = least - 1
    if number < least:
        raise InputError(f"{name} must be a whole number of at least {least}, got {shown(value)}")
    if number > most:
        raise InputError(f"{name} must be a whole number of at most {most}, got {shown(value)}")
    return number


def seeded(value: Any, name: str = "seed") -> np.random.Generator:
    """A generator of random numbers from a seed, a whole number of at least 0.

    >>> bool(seeded(1).random() == seeded(1).random())
    True
    """
    return np.random.default_rng(count(name, value, least=0, most=MOST_SEED))


def thread_count(value: Any, name: str = "threads") -> int:
    """The number of threads to use.  None means one for each CPU that this process may use (its affinity).

    A number above max(CPUs, `MOST_THREADS`) is reduced to it.

    >>> thread_count(2), thread_count(10**9) < 10**9
    (2, True)
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return cores if value is None else min(count(name, value), max(cores, MOST_THREADS))


def flag(name: str, value: Any) -> bool:
    """A bool.

    >>> flag("fix", True)
    True
    """
    if not isinstance(value, bool | np.bool_):
        raise InputError(f"{name} must be True or False, got {shown(value)}")
    return bool(value)


def text(name: str, value: Any) -> str:
    """A string.

    >>> text("title", "two squares")
    'two squares'
    """
    return instance(name, value, str)


def one_of(name: str, value: Any, choices: Iterable[str]) -> str:
    """One of the strings in `choices`.

    >>> one_of("order", "sequence", ("sequence", "unordered"))
    'sequence'
    """
    if not isinstance(value, str) or value not in choices:
        raise InputError(f"{name} must be one of {', '.join(choices)}, got {shown(value)}")
    return value


def instance(name: str, value: Any, expected: type[T]) -> T:
    """A value of the expected type.

    >>> instance("camera", 3, dict)
    Traceback (most recent call last):
        ...
    svgm.InputError: camera must be a dict, got 3
    """
    if not isinstance(value, expected):
        raise InputError(f"{name} must be {kind(expected)}, got {shown(value)}")
    return value


def optional(name: str, value: Any, expected: type[T]) -> T | None:
    """A value of the expected type, or None.

    >>> optional("camera", None, dict)
    """
    return None if value is None else instance(name, value, expected)


def listed(name: str, value: Any, of: type[T]) -> list[T]:
    """A list of values of one type, from a list, a tuple or another iterable.

    >>> listed("names", ("a", "b"), str)
    ['a', 'b']
    """
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        raise InputError(f"{name} must be a list, got {shown(value)}")
    return [instance(f"{name}[{k}]", item, of) for k, item in enumerate(items(name, value))]


def iterable(name: str, value: Any) -> Iterable[Any]:
    """An iterable that is not a string.

    >>> list(iterable("scans", range(2)))
    [0, 1]
    """
    flat = isinstance(value, str | bytes) or (isinstance(value, np.ndarray) and value.ndim == 0)
    if flat or not isinstance(value, Iterable):
        raise InputError(f"{name} must be a list, got {shown(value)}")
    return value


def items(name: str, value: Iterable[Any], size: int | None = None) -> Sequence[Any]:
    """The items of an iterable as a list; `size` is how many there must be, or None for any number.

    >>> items("panel", ("title", 3), 2)
    ['title', 3]
    """
    found = list(iterable(name, value))
    if size is not None and len(found) != size:
        raise InputError(f"{name} must hold {size} values, got {len(found)}")
    return found


def reporter(value: Progress | None, name: str = "progress") -> Progress:
    """The function that a caller passes to follow progress; for None a function that does nothing.

    >>> reporter(None)("levels", 1, 8)
    """
    if value is not None and not callable(value):
        raise InputError(f"{name} must be a function or None, got {shown(value)}")
    return _silent if value is None else value


def _silent(phase: str, done: int, total: int) -> None:
    """Do nothing.  It is a function of the module so that it can be pickled."""


def attribute(value: Any, name: str, otherwise: Any = None) -> Any:
    """An attribute of a foreign object; `otherwise` if the object has none or raises an error."""
    try:
        return getattr(value, name, otherwise)
    except Exception:
        return otherwise


def as_numbers(value: Any, name: str) -> Array:
    """A float64 array of any shape, copied from what the caller passes.

    Raises InputError for complex numbers, dates, text, masked values and rows of different lengths.

    >>> as_numbers([[1, 2], [3, 4]], "points").dtype.name
    'float64'
    """
    try:
        if not isinstance(value, np.ndarray) and hasattr(value, "detach"):
            value = value.detach().cpu().numpy()  # a torch tensor: it may need gradients or be on a GPU
        raw = np.asanyarray(value)
        if raw.dtype.kind not in "biufO" or (raw.dtype.kind == "O" and raw.ndim and not _all_real(raw)):
            raise InputError(f"{name} must be real numbers, got {_types_in(raw)}")
        if np.ma.is_masked(raw):
            raise InputError(f"{name} must have no masked values")
        with np.errstate(over="ignore"):  # a long double may exceed float64 and becomes infinite
            return np.array(raw, dtype=np.float64, order="C", subok=False)
    except InputError:
        raise
    except Exception as error:  # of numpy, or of a foreign object's __array__
        raise InputError(f"{name} must be numbers in n rows of d coordinates: {one_line(str(error))}") from None


def _all_real(raw: NDArray[np.object_]) -> bool:
    return not any(item is None or isinstance(item, str | bytes | complex | bool) for item in raw.flat)


def _types_in(raw: NDArray[Any]) -> str:
    if raw.dtype.kind != "O":
        return one_line(str(raw.dtype))
    return one_line(", ".join(sorted({kind(item) for item in raw.flat})))


def as_floats(value: Any, name: str, *last: int) -> Array:
    """A float64 array whose last axes have these sizes.  A float64 array is not copied, and may hold NaN or infinity.

    >>> as_floats([[1, 0], [0, 1]], "rotation", 2, 2).dtype.name
    'float64'
    """
    array = value if type(value) is np.ndarray and value.dtype is _FLOAT else as_numbers(value, name)
    if array.size > MOST_SIZE:
        raise InputError(f"{name} must hold at most {MOST_SIZE} numbers, got shape {array.shape}")
    if last and array.shape[-len(last) :] != last:
        sizes = ", ".join(map(str, last))
        raise InputError(f"{name} must have shape (..., {sizes}), got shape {array.shape}")
    return array


def as_finite(value: Any, name: str, *last: int) -> Array:
    """A float64 array whose last axes have these sizes, with absolute values up to `LARGEST`.

    >>> as_finite([0, 1], "xi", 2)
    array([0., 1.])
    """
    array = as_floats(value, name, *last)
    if not (np.abs(array) <= LARGEST).all():
        raise InputError(f"{name} must be finite and within {LARGEST:g}, got {shown(value)}")
    return array


def as_indices(value: Any, name: str, columns: int, of: str, size: int) -> NDArray[np.int64]:
    """Indices (m, columns) from 0 to `size` - 1; `of` says in messages what they count.

    >>> as_indices([[0, 1], [1, 2]], "pairs", 2, "vertices", 3).shape
    (2, 2)
    """
    try:
        given = np.asarray(value)
    except Exception as error:  # of numpy, or of a foreign object's __array__
        raise InputError(f"{name} must be whole numbers of shape (m, {columns}): {one_line(str(error))}") from None
    if given.ndim != 2 or given.shape[1] != columns or given.dtype.kind not in "iu":
        raise InputError(
            f"{name} must be whole numbers of shape (m, {columns}), got {one_line(str(given.dtype))} {given.shape}"
        )
    if given.size and not (given.min() >= 0 and given.max() < size):
        raise InputError(f"{name} must be indices of {of} from 0 to {size - 1}, got {given.min()} to {given.max()}")
    return np.array(given, dtype=np.int64, order="C")
