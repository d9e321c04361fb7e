"""The objective for all translations at once: correlation by Fourier transform, for one rotation after the other."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from itertools import chain, count
from typing import Any

import numpy as np

from svgm import _core
from svgm.checks.types import Array
from svgm.geometry.scale import principal_axes
from svgm.mixture.mixture import Mixture
from svgm.registration.tuning import TUNING
from svgm.rigid import pose

#: Cells of a grid, at most: a coarser scale serves as well as a larger grid, in less time.
LARGEST_GRID = 4e4

#: Rotations that are transformed together.
ROTATION_BATCH = 128


def correlate(source: Mixture, target: Mixture, rotations: Array, *, most: int, threads: int) -> tuple[Array, Array]:
    """For each rotation the `most` best translations: poses (B, d+1, d+1) and values (B,).

    For a rotation R, minus eq. (14) is a function of t alone: the correlation of two sets of weighted points, smoothed
    by N(0, sigma_x² + sigma_y²).  On a grid that is a product of spectra, for all t in one transform.

    The spectra are weighted by |k|⁴, which makes it the L2 distance of the densities' Laplacians.  The densities
    themselves correlate best with their masses on each other, whatever their shapes; where the sets overlap by less
    than half, that draws the peak away from the truth (lab notes).
    """
    d = source.means.shape[1]
    width = float(np.sqrt(source.variance + target.variance))
    step = TUNING.grid_step * width
    axes = _axes(target)
    places = target.means @ axes
    low, high = places.min(axis=0), places.max(axis=0)
    sizes = [_fast(n) for n in _cells(source, target, high - low)] + [1] * (3 - d)

    fixed = _core.splat((places - low) / step, target.weights, np.eye(d)[None], sizes, 1)[0]
    spectrum = np.fft.rfftn(fixed[..., 0] if d == 2 else fixed)
    frequencies = [np.fft.fftfreq(n) for n in sizes[: d - 1]] + [np.fft.rfftfreq(sizes[d - 1])]
    squared = sum(f**2 for f in np.meshgrid(*frequencies, indexing="ij"))
    waves = (2.0 * np.pi / TUNING.grid_step) ** 2 * squared  # |k|² width²
    spectrum = (spectrum * waves**2 * np.exp(-0.5 * waves)).astype(np.complex64)

    over, shape = tuple(range(1, d + 1)), tuple(sizes[:d])
    in_axes = np.ascontiguousarray(np.swapaxes(axes, 0, 1) @ rotations)
    values, peaks = [], []
    forward, backward = _transforms(len(rotations), threads)
    for first in range(0, len(rotations), ROTATION_BATCH):
        turned = _core.splat(
            source.means / step, source.weights, in_axes[first : first + ROTATION_BATCH], sizes, threads
        )
        moving = forward(turned.reshape(len(turned), *shape), axes=over)
        # Correlation: conjugate the one that moves.
        np.conjugate(moving, out=moving)
        moving *= spectrum
        volume = backward(moving, s=shape, axes=over)
        best, where = _core.highest_peaks(volume.reshape(turned.shape).astype(np.float32, copy=False), most, threads)
        values.append(best)
        peaks.append(where)
    value, peak = np.concatenate(values).ravel().astype(np.float64), np.concatenate(peaks).ravel()
    of = np.repeat(np.arange(len(rotations)), most)[peak >= 0]
    value, peak = value[peak >= 0], peak[peak >= 0]
    shift = np.stack(np.unravel_index(peak, shape), axis=1) * step + low
    # Of a translation's images take the one that brings the source's middle nearest the target's.
    span = np.array(shape) * step
    shift -= np.round((shift - 0.5 * (low + high)) / span) * span
    return pose(rotations[of], shift @ axes.T), value


def grid_is_small(source: Mixture, target: Mixture) -> bool:
    """Whether the grid for these mixtures has at most `LARGEST_GRID`."""
    # Python's integers: a product of 64 bits wraps around for tiny Gaussians, and can then look small.
    return math.prod(_cells(source, target, np.ptp(target.means @ _axes(target), axis=0))) <= LARGEST_GRID


def finest_on_a_grid(mixtures: Callable[[float], tuple[Mixture, Mixture]]) -> tuple[Mixture, Mixture]:
    """Source and target at the finest gamma of `TUNING.search_gammas` whose grid is small enough, or a coarser one."""
    # Without end: a grid shrinks to a few cells, so one of them is small enough.
    coarser = (TUNING.search_gammas[-1] / 2.0**halvings for halvings in count(1))
    return next(pair for pair in map(mixtures, chain(TUNING.search_gammas, coarser)) if grid_is_small(*pair))


def _axes(target: Mixture) -> Array:
    """Principal axes of the target, along which the grid is smallest."""
    return principal_axes(target.means, np.maximum(target.weights, 0.0))[2]


def _cells(source: Mixture, target: Mixture, extent: Array) -> list[int]:
    """Of the grid along each axis, for a target of this extent."""
    width = float(np.sqrt(source.variance + target.variance))
    # Few points are farther than two radii out; where they wrap around they do no harm.
    weights = np.maximum(source.weights, 0.0)
    radius = float(np.sqrt(np.einsum("i,ij,ij->", weights, source.means, source.means)))
    return [
        int(np.ceil(length))
        for length in (extent + 4.0 * TUNING.grid_margin * radius + 3.0 * width) / (TUNING.grid_step * width)
    ]


def _transforms(count: int, threads: int) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Real Fourier transform and its inverse, for so many grids: scipy's use threads, but take long to import."""
    if count == 1:
        return np.fft.rfftn, np.fft.irfftn
    import scipy.fft

    return partial(scipy.fft.rfftn, workers=threads), partial(scipy.fft.irfftn, workers=threads)


def _fast(length: int) -> int:
    """The next length that has no prime factors but 2, 3 and 5."""
    while True:
        rest = length
        for factor in (2, 3, 5):
            while rest % factor == 0:
                rest //= factor
        if rest == 1:
            return length
        length += 1
