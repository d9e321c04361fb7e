// The objective of eq. (14) for a source moved by a similarity or an affine map: minus the correlation of two mixtures.
//
// The moved source has the density of its components N(A mu + t, A Sigma Aᵀ), whose norm is that of the source over
// |det A|^½.  So with A_i = A Sigma_i Aᵀ
//   f(A, t) = -scale |det A|^½ sum_ij w_i w_j |A_i + B_j|^-½ exp(-½ e (A_i + B_j)⁻¹ e)
// is -1 for equal densities, and goes to 0 as the source shrinks to a point or grows without bounds.
#pragma once
#include <memory>

#include "objective/full_rows.hpp"
#include "minimise/pose_function.hpp"

namespace svgm {

class LinearObjective final : public PoseFunction {
 public:
  // Covariances (d, d) of each component; norms: the root of the product of the mixtures' `full_overlap`s.  If `affine`,
  // the step is (W by rows, v), A <- Exp(W) A, t <- t + v.  Otherwise it is (omega, alpha, v), a similarity:
  // A <- exp(alpha) Exp(omega) A.
  LinearObjective(const BoxTree& source, const double* source_covariances, const BoxTree& target,
                  const double* target_covariances, double norms, double cutoff, bool affine, bool single,
                  unsigned threads);

  int dimension() const override { return dimension_; }
  int step_size() const override;
  void take(const double* pose, const double* step, double* out) const override;
  void evaluate(const double* poses, std::size_t count, double* values, double* gradients,
                double* hessians) const override;

 private:
  template <int D, class Real>
  void evaluate_in(const FullRows<Real>& rows, const double* poses, std::size_t count, double* values,
                   double* gradients, double* hessians) const;

  std::unique_ptr<FullRows<float>> in_single_;
  std::unique_ptr<FullRows<double>> in_double_;
  int dimension_;
  double scale_;
  bool affine_;
  unsigned threads_;
};

}  // namespace svgm
