// Sums of Gaussians that have covariances of their own: densities at points, and overlaps with other Gaussians (eq. 13).
#pragma once
#include <cstddef>

namespace svgm {

// Weighted Gaussians in `dimension` D: rows of means (size, D), of covariances (size, D, D), which are symmetric and
// positive definite, and weights (size).
struct FullGaussians {
  const double* means;
  const double* covariances;
  const double* weights;
  std::size_t size;
  int dimension;
};

// For each of m queries: sum_j w_j |C_j|^-½ exp(-½ dᵀ C_j⁻¹ d) with d = q - mu_j and C_j = Σ_j, plus the query's own
// covariance if `query_covariances` (m, D, D) is not null.  Pairs whose exponential is below exp(-cutoff) are left out.
// Rows are independent: the result does not depend on `threads`.
void full_transform(const FullGaussians& gaussians, const double* queries, const double* query_covariances,
                    std::size_t m, double cutoff, unsigned threads, double* sums);

}  // namespace svgm
