// The objective that registration minimises, eq. (14): minus the correlation of two Gaussian mixtures, the first moved
// by a pose.  It chooses how to sum: pair by pair, or with the target as a spline.
#pragma once
#include <memory>

#include "minimise/pose_function.hpp"
#include "sums/box_tree.hpp"

namespace svgm {

class MixtureObjective final : public PoseFunction {
 public:
  // Two mixtures of isotropic Gaussians, both 2D or both 3D.  norms: the root of the product of their `self_overlap`s.
  // Pairs below exp(-cutoff) may be left out.  single: in single precision, to 1e-3.
  MixtureObjective(const BoxTree& source, const BoxTree& target, double source_variance, double target_variance,
                   double norms, double cutoff, bool single, unsigned threads);
  // Two mixtures with a covariance (d, d) of each component; norms: the root of the product of their `full_overlap`s.
  MixtureObjective(const BoxTree& source, const double* source_covariances, const BoxTree& target,
                   const double* target_covariances, double norms, double cutoff, bool single, unsigned threads);

  int dimension() const override { return function_->dimension(); }
  void evaluate(const double* poses, std::size_t count, double* values, double* gradients,
                double* hessians) const override {
    function_->evaluate(poses, count, values, gradients, hessians);
  }
  // Isotropic: f = -scale * sum_ij w_i w_j exp(-|R x_i + t - y_j|² / (2 (sigma_x² + sigma_y²)))
  double scale() const { return scale_; }

 private:
  std::unique_ptr<PoseFunction> function_;
  double scale_;
};

}  // namespace svgm
