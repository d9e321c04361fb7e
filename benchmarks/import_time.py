"""``import svgm`` against ``import numpy, scipy.optimize``: the ratio of medians, alternating, in fresh processes."""

from __future__ import annotations

import subprocess
import sys

import numpy as np

from benchmarks.report import bar, header

_TIMED = "import time; begin = time.perf_counter(); {}; print(time.perf_counter() - begin)"


def seconds(statement: str) -> float:
    """Time of an import statement in a fresh interpreter."""
    command = [sys.executable, "-c", _TIMED.format(statement)]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def main() -> None:
    """Print the ratio."""
    header("import time, median of 15 alternating fresh processes")
    statements = ("import svgm", "import numpy, scipy.optimize")
    times = np.array([[seconds(statement) for statement in statements] for _ in range(16)])[1:]
    ours, theirs = np.median(times, axis=0)
    print(f"import svgm {ours:.3f} s, import numpy, scipy.optimize {theirs:.3f} s")
    bar("import svgm over import numpy, scipy.optimize", ours / theirs, 1.3)
    bar("import svgm (seconds)", ours, 0.3)


if __name__ == "__main__":
    main()
