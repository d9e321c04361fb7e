// The dual problem of a support vector machine with a Gaussian kernel:
//
//   min ½ βᵀKβ + linear·β   s.t.  sum β = sum,  lower <= β <= upper,   K_ij = exp(-gamma |x_i - x_j|²)
//
// or, if the points have covariances, with the kernel of svm_loop.hpp.
//
// One-class (Schölkopf et al. 2001): linear = 0, lower = 0, upper = 1/(nu n), sum 1.  Two-class: β_i = y_i α_i, so
// linear = -y, bounds 0 and y_i C, sum 0.
#pragma once
#include <cstddef>
#include <vector>

#include "svm/covering.hpp"

namespace svgm {

struct Svm {
  std::vector<double> beta;
  double rho = 0.0;  // (Kβ + linear)_i of the points between their bounds
  bool converged = false;
  Work work;
};

struct SvmLimits {
  std::size_t pair_steps = 10'000'000;             // far above what any set has needed
  std::size_t row_bytes = std::size_t{256} << 20;  // kernel rows beyond this are computed anew when needed
};

// upper: bounds of β for sum 1.  start: weights to start from, in any scale, or null.  An accuracy with an infinite
// violation asks for the duality gap only.
Svm train_one_class(const SvmProblem& problem, const double* upper, const double* start, Accuracy accuracy,
                    SvmLimits limits);

// Stops when the worst violation of the optimality conditions is below tolerance times the size of the gradient.
Svm train_two_class(const SvmProblem& problem, const double* linear, const double* lower, const double* upper,
                    double tolerance, SvmLimits limits);

}  // namespace svgm
