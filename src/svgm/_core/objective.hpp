// Minus the correlation of two Gaussian mixtures under a rigid motion of the first, eq. (14), with its gradient
// (15)-(17) and its Hessian, summed in one pass over the pairs of components near each other.
#pragma once
#include <cstddef>
#include <memory>
#include <vector>

#include "box_tree.hpp"
#include "function.hpp"

namespace svgm {

// A tree's points in the precision of the sums, with the box of every block and the sphere around it.
template <class Real>
struct Blocks {
  explicit Blocks(const BoxTree& tree);
  Blocks(Blocks&&) = default;  // a copy's coordinates would point into the original

  const BoxTree* tree;
  std::unique_ptr<Real[]> storage;
  std::vector<const Real*> coordinates;
  const Real* weights;
  std::size_t stride;
  std::vector<Real> low, high;          // (d, stride), the first `blocks` of each row
  std::vector<double> centres, radii;  // (blocks, d), (blocks)
};

// sum_ij w_i w_j exp(-rate |x_i - x_j|²) of a set with itself; pairs below exp(-cutoff) may be left out.
template <class Real>
double self_overlap(const Blocks<Real>& blocks, double rate, double cutoff);

template <class Real>
class Objective final : public Function {
 public:
  // f(T) = -scale * sum_ij w_i w_j exp(-rate |R x_i + t - y_j|²).  Pairs below exp(-cutoff) may be left out.
  Objective(Blocks<Real> source, Blocks<Real> target, double rate, double cutoff, double scale, unsigned threads);

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
