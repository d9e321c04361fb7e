// The innermost loop of bounds over a set of poses: a point within `reach` of q, against runs of points
// stored by coordinate.  Lengths are in units of the Gaussian, e_j = w_j exp(-½ |d_j|²) with d_j = q - y_j.
#pragma once
#include <cstddef>

#include "sums/pair_loop.hpp"

namespace svgm {

// What a loop over the y_j adds up.
template <int D>
struct BoundSums {
  double moments[1 + D + D * (D + 1) / 2];  // e, e d, upper triangle of e d dᵀ by rows
  double largest;                           // w exp(-½ max(0, |d| - reach)²), which no point within reach exceeds
  double excess;                            // w k: within reach, Taylor's remainder of second order is below k |delta|²
};

template <int D>
using BoundSum = void (*)(const double* q, double reach, const double* const* coordinates, const double* weights,
                          const Run* runs, std::size_t count, BoundSums<D>& sums);

struct BoundLoop {
  BoundSum<2> in_2d;
  BoundSum<3> in_3d;

  template <int D>
  BoundSum<D> in() const {
    if constexpr (D == 2)
      return in_2d;
    else
      return in_3d;
  }
};

const BoundLoop& bound_loop();  // that of the instruction set in use

}  // namespace svgm
