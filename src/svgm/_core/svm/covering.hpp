// The one-class problem with its bias fixed at 1: weights whose kernel sum reaches 1 at every point,
//
//   min ½ βᵀKβ - sum β,   0 <= β_i <= upper_i * total,   total = sum β.
//
// Divided by their total, such weights solve the one-class SVM.  Gauss-Seidel steps change one point each and touch
// near points only; a step on a pair (smo.hpp) keeps the sum but has to look at all points.
#pragma once
#include <cstddef>
#include <vector>

#include "svm/kernel_rows.hpp"

namespace svgm {

// When to stop: both the largest best step of any point (the violation of the optimality conditions, relative to the
// bias) and the duality gap, relative to the objective, must be small.
struct Accuracy {
  double violation, gap;
};

struct Work {
  std::size_t kernel_evaluations = 0, sweeps = 0, row_updates = 0, pair_steps = 0;
};

template <class Real>
class Covering {
 public:
  // upper: for weights of sum 1, one a point
  Covering(KernelRows<Real>& rows, const std::vector<double>& upper);

  // From nothing: far-apart points first, then those between, most of which are covered already and stay at zero.
  void spread();
  // From given weights.
  void begin(const std::vector<double>& beta);
  void solve(Accuracy accuracy, std::size_t most_sweeps);

  // Weights scaled to sum 1 within their bounds.
  std::vector<double> normalised() const;
  // The kernel sum at the points between their bounds, for weights of sum 1.
  double bias() const;
  double total() const { return total_; }
  const std::vector<Real>& beta() const { return beta_; }
  const std::vector<Real>& sums() const { return sums_; }
  const Work& work() const { return work_; }

 private:
  void move(std::size_t s, Real step);
  double assess();

  KernelRows<Real>& rows_;
  std::size_t size_;
  std::vector<Real> beta_, sums_, upper_;
  std::vector<double> exact_upper_;
  double total_ = 0.0, bounding_total_ = 0.0;  // sum β, and the one that the bounds were last set by
  double largest_ = 1.0;                         // the largest best step of any point
  Work work_;
};

}  // namespace svgm
