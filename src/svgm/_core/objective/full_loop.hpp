// The innermost loop of eq. (14) for components with full covariances: one source component against runs of target
// components, which are stored by coordinate and by entry of their covariances.
#pragma once
#include <cstddef>

#include "sums/pair_loop.hpp"

namespace svgm {

// With e_j = q - y_j, C_j = A + B_j, u_j = C_j⁻¹ e_j and n_j = w_j |C_j|^-½ exp(-½ e_j·u_j), over all j:
//   sums += (n, n u, upper triangle of n (C⁻¹ - u uᵀ) by rows), or of these the first alone.
// A and B_j are given by the upper triangles of their rows.  They are such that C_j is positive definite.
template <class Real>
struct FullSums {
  using Function = void (*)(const Real* q, const Real* a, const Real* const* coordinates, const Real* const* covariances,
                            const Real* weights, const Run* runs, std::size_t count, Real* sums);
  Function value_2d, value_3d, moments_2d, moments_3d;
};

struct FullLoop {
  FullSums<double> in_double;
  FullSums<float> in_single;

  template <class Real>
  const FullSums<Real>& sums() const {
    if constexpr (sizeof(Real) == sizeof(double))
      return in_double;
    else
      return in_single;
  }
};

const FullLoop& full_loop();  // that of the instruction set in use

}  // namespace svgm
