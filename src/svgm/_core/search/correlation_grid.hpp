// Before and after a correlation by Fourier transform: rotated points on a periodic grid, and the peaks of the result.
#pragma once
#include <cstddef>
#include <cstdint>

namespace svgm {

// For each of `batch` rotations (d, d), the rotated points (n, d), with their weights shared linearly among the cells
// around them, on a periodic grid of cells of size 1: (batch, sizes).  In 2D the last size is 1.
void splat(const double* points, const double* weights, std::size_t count, int dimension, const double* rotations,
           std::size_t batch, const std::size_t* sizes, unsigned threads, float* grids);

// Of each of `batch` periodic grids, the `most` highest local maxima: values, and places in the grid, -1 where there
// are fewer.  A grid has fewer than 2^31 cells.
void highest_peaks(const float* grids, std::size_t batch, const std::size_t* sizes, std::size_t most, unsigned threads,
                   float* values, std::int32_t* places);

}  // namespace svgm
