// The innermost loops: one query point against runs of points stored by coordinate ("structure of arrays").
// Every run starts and ends on a multiple of kBlock, so the loops have no tail; padding carries weight zero.
#pragma once
#include <cstddef>

namespace svgm {

inline constexpr std::size_t kBlock = 16;

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
};

struct PairLoop {
  // out[j - begin] = exp(-rate * |q - y_j|²)
  void (*kernel_row)(const double* q, const double* const* coordinates, int dimension, double rate, std::size_t begin,
                     std::size_t end, double* out);
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

const PairLoop& pair_loop();  // the best one this machine can run

}  // namespace svgm
