"""Nothing on the terminal from compiled code."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def silent(descriptor: int) -> Iterator[None]:
    """Nothing on the standard output (1) or the standard error (2), also from C++, which `redirect_stdout` misses."""
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    kept, nowhere = os.dup(descriptor), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, descriptor)
        yield
    finally:
        os.dup2(kept, descriptor)
        os.close(kept)
        os.close(nowhere)
