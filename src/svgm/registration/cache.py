"""A bounded cache: values made on demand, of which the most recently used ones are kept."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

Value = TypeVar("Value")


class RecentCache(Generic[Value]):
    """At most `size` values by key; the value that was not used for the longest time is dropped first.

    Threads may share a cache.  If two threads ask for a missing value at the same time, both make it, and one of the
    two is kept.  A copy or a pickle of a cache is empty.

    >>> squares = RecentCache(size=2)
    >>> [squares.get(n, lambda n=n: n * n) for n in (1, 2, 3, 2)], len(squares)
    ([1, 4, 9, 4], 2)
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._values: OrderedDict[Hashable, Value] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._values)

    def __reduce__(self) -> tuple[type[RecentCache[Value]], tuple[int]]:
        return type(self), (self._size,)

    def get(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """The value of this key; `make` is called if the value is not kept."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key]
        value = make()
        with self._lock:
            value = self._values.setdefault(key, value)
            while len(self._values) > self._size:
                self._values.popitem(last=False)
        return value
