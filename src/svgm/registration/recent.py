"""Values made on demand, of which the most recent ones are kept."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

Value = TypeVar("Value")


class Recent(Generic[Value]):
    """At most so many values by key; the one that was not asked for longest goes first.

    Threads may ask at the same time: two that ask for a missing value both make it, and one of the two is kept.  A copy
    or a pickle begins empty.

    >>> squares = Recent(most=2)
    >>> [squares.get(n, lambda n=n: n * n) for n in (1, 2, 3, 2)], len(squares)
    ([1, 4, 9, 4], 2)
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: OrderedDict[Hashable, Value] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._values)

    def __reduce__(self) -> tuple[type[Recent[Value]], tuple[int]]:
        return type(self), (self._most,)

    def get(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """The value of this key, made if it is not kept."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key]
        value = make()
        with self._lock:
            value = self._values.setdefault(key, value)
            while len(self._values) > self._most:
                self._values.popitem(last=False)
        return value
