// The objective of eq. (14), summed over the pairs of components near each other, with its gradient (15)-(17) and its
// Hessian, in one pass.
#pragma once
#include <cstddef>

#include "minimise/pose_function.hpp"
#include "sums/blocks.hpp"

namespace svgm {

template <class Real>
class PairObjective final : public PoseFunction {
 public:
  // f(T) = -scale * sum_ij w_i w_j exp(-rate |R x_i + t - y_j|²).  Pairs below exp(-cutoff) may be left out.
  PairObjective(Blocks<Real> source, Blocks<Real> target, double rate, double cutoff, double scale, unsigned threads);

  int dimension() const override { return source_.tree->dimension(); }
  void evaluate(const double* poses, std::size_t count, double* values, double* gradients,
                double* hessians) const override;
  // The derivative of f in each moved x_i, in the caller's order of the source: (m, d).
  void forces(const double* pose, double* out) const;

 private:
  Blocks<Real> source_, target_;
  double rate_, radius_, scale_;
  unsigned threads_;
};

}  // namespace svgm
