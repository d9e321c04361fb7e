// The innermost loops of sums of Gaussians: one query point against runs of points, which are stored by coordinate.
// Every run begins and ends on a multiple of kBlock, so the loops have no remainder; padding has weight zero.
#pragma once
#include <cstddef>

#include "simd/widths.hpp"

namespace svgm {

struct Run {
  std::size_t begin, end;
};

// Sums over the points y_j of `count` runs, in double precision or, more than twice as fast, in single; coordinates[k]
// points at the k-th coordinate of all points.  With d_j = q - y_j and e_j = w_j exp(-rate |d_j|²):
template <class Real>
struct Sums {
  // sums[0] += e, in any dimension
  void (*value)(const Real* q, const Real* const* coordinates, int dimension, const Real* weights, Real rate,
                const Run* runs, std::size_t count, Real* sums);
  // sums += (e, e d, upper triangle of e d dᵀ by rows)
  void (*moments_2d)(const Real* q, const Real* const* coordinates, const Real* weights, Real rate, const Run* runs,
                     std::size_t count, Real* sums);
  void (*moments_3d)(const Real* q, const Real* const* coordinates, const Real* weights, Real rate, const Run* runs,
                     std::size_t count, Real* sums);
  // Squared distances from q to `count` boxes, rounded up to a multiple of kBlock; coordinate k of the minima starts at
  // low + k * stride, that of the maxima at high + k * stride.
  void (*box_distances)(const Real* q, const Real* low, const Real* high, std::size_t stride, int dimension,
                        std::size_t count, Real* out);
};

struct PairLoop {
  Sums<double> in_double;
  Sums<float> in_single;

  template <class Real>
  const Sums<Real>& sums() const {
    if constexpr (sizeof(Real) == sizeof(double))
      return in_double;
    else
      return in_single;
  }
};

const PairLoop& pair_loop();  // that of the instruction set in use

}  // namespace svgm
