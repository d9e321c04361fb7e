// Minus the correlation of two Gaussian mixtures under a rigid motion of the first, eq. (14), with its gradient
// (15)-(17) and its Hessian, summed in one pass over the pairs of components near each other.
#pragma once
#include <cstddef>
#include <vector>

#include "box_tree.hpp"
#include "function.hpp"

namespace svgm {

// A tree's points in the precision of the sums, with the box of every block and the sphere around it.
template <class Real>
struct Blocks {
  explicit Blocks(const BoxTree& tree);

  const BoxTree* tree;
  std::vector<Real> storage;
  std::vector<const Real*> coordinates;
  const Real* weights;
  std::vector<Real> low, high;          // (d, blocks)
  std::vector<double> centres, radii;  // (blocks, d), (blocks)
};

template <class Real>
class Objective final : public Function {
 public:
  // f(T) = -scale * sum_ij w_i w_j exp(-rate |R x_i + t - y_j|²).  Pairs below exp(-cutoff) may be left out.
  Objective(const BoxTree& source, const BoxTree& target, double rate, double cutoff, double scale, unsigned threads);

  int dimension() const override { return source_.tree->dimension(); }
  void evaluate(const double* poses, std::size_t count, double* values, double* gradients,
                double* hessians) const override;
  // sum_ij w_i w_j exp(-rate |x_i - y_j|²)
  double overlap() const;

 private:
  Blocks<Real> source_, target_;
  double rate_, radius_, scale_;
  unsigned threads_;
};

}  // namespace svgm
