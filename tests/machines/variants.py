"""The machines that this one can stand in for: other instruction sets of the core, numpy and BLAS with fewer."""

from __future__ import annotations

import platform

from svgm import _core

#: The environment of each, beside what is there.
Variants = dict[str, dict[str, str]]


def numpy_features() -> list[str]:
    """Features of this processor that numpy uses if it may, by the names that NPY_DISABLE_CPU_FEATURES takes."""
    try:
        from numpy._core import _multiarray_umath as report
    except ImportError:  # before numpy 2
        from numpy.core import _multiarray_umath as report
    return [name for name in report.__cpu_dispatch__ if report.__cpu_features__[name]]


def variants() -> Variants:
    """Each instruction set of the core, the widest first; then that one with a numpy and a BLAS that use little."""
    sets: Variants = {name: {"SVGM_INSTRUCTIONS": name} for name in reversed(_core.instruction_sets())}
    plain = {"NPY_DISABLE_CPU_FEATURES": " ".join(numpy_features())}
    if platform.machine().lower() in ("x86_64", "amd64"):
        # What OpenBLAS calls the first 64-bit processors; another BLAS does not look at it.
        plain["OPENBLAS_CORETYPE"] = "Prescott"
    return {**sets, "plain numpy": plain}
