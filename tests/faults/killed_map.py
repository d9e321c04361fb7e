"""`svgm map`, whose process is killed at a given moment: argv is the moment, the way, and the command's arguments.

A moment is a count of files put in their places.  Ways: "writing" (half of the next file is written), "before" (it is
written and has not its name yet), "after" (it has).  Moment 0 is never; the count is then printed.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Any

import numpy as np

import svgm.cli

MOMENT, WAY = int(sys.argv[1]), sys.argv[2]
placed = 0
replace, savez = os.replace, np.savez_compressed


def end() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def replaced(source: str, target: str) -> None:
    global placed
    placed += 1
    if placed == MOMENT and WAY == "before":
        end()
    replace(source, target)
    if placed == MOMENT and WAY == "after":
        end()


def saved(stream: Any, **arrays: Any) -> None:
    savez(stream, **arrays)
    if placed + 1 == MOMENT and WAY == "writing":
        stream.flush()
        os.truncate(stream.name, Path(stream.name).stat().st_size // 2)
        end()


os.replace, np.savez_compressed = replaced, saved
try:
    svgm.cli.main(sys.argv[3:])
finally:
    print(placed)
