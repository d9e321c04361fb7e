// The objective of eq. (14) for components with full covariances, with its gradient and an approximate Hessian.
//
// With A_i = R Sigma_i Rᵀ, C = A_i + B_j, e = R x_i + t - y_j, u = C⁻¹ e and n = w_i w_j |C|^-½ exp(-½ e·u), a small
// motion of the source changes e by de and A_i by dA, and n by
//   dn = n (-u·de - ½ tr((C⁻¹ - u uᵀ) dA)).
// So for each source component the sums of n, n u and n (C⁻¹ - u uᵀ) over j give the value and the exact gradient.
// The Hessian takes the covariances as they are turned now: second derivatives of dA are left out.  Against those of
// the levers they are small as a component is against its distance from the source's centre.
#pragma once
#include <cstddef>

#include "minimise/pose_function.hpp"
#include "objective/derivatives.hpp"
#include "objective/full_rows.hpp"

namespace svgm {

template <class Real>
class FullObjective final : public PoseFunction {
 public:
  // f(T) = -scale * sum_ij n_ij.  Pairs below exp(-cutoff) of their peak may be left out.
  FullObjective(const BoxTree& source, const double* source_covariances, const BoxTree& target,
                const double* target_covariances, double cutoff, double scale, unsigned threads);

  int dimension() const override { return rows_.source.tree->dimension(); }
  void evaluate(const double* poses, std::size_t count, double* values, double* gradients,
                double* hessians) const override;
  // For each source component, in the caller's order: the derivative of f in its moved mean, by the turning of its
  // covariance about its own mean, and the upper triangle of the second derivatives in its mean: (m, force_numbers(d)).
  void forces(const double* pose, double* out) const;

 private:
  FullRows<Real> rows_;
  double scale_;
  unsigned threads_;
};

// sum_ij w_i w_j |C_ij|^-½ exp(-½ e·C_ij⁻¹ e) of a mixture with itself.
double full_overlap(const BoxTree& tree, const double* covariances, double cutoff, bool single, unsigned threads);

}  // namespace svgm
