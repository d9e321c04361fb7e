// Weighted mean and scatter matrix of points.  Its eigenvectors are their principal axes.
#pragma once
#include <cstddef>

namespace svgm {

inline constexpr std::size_t kMostDimensions = 4096;  // the matrix then has 128 MiB

// mean[k] = sum w x_k / sum w;  scatter[k * d + l] = sum w (x_k - mean_k)(x_l - mean_l), summed in blocks of points so
// that rounding grows with the number of blocks, not of points.
void weighted_scatter(const double* points, const double* weights, std::size_t n, std::size_t dimension, double* mean,
                      double* scatter);

// The least and the largest of each coordinate of n points (n, d), n >= 1, and the sum of each coordinate, one point
// after the other.
void bounds_and_sums(const double* points, std::size_t n, std::size_t dimension, double* low, double* high, double* sums);

}  // namespace svgm
