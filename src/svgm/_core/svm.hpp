// The dual problem of a support vector machine with a Gaussian kernel, solved by sequential minimal optimisation with
// second-order working sets:
//
//   min ½ βᵀKβ + linear·β   s.t.  sum β = sum,  lower <= β <= upper,   K_ij = exp(-gamma |x_i - x_j|²)
//
// One-class (Schölkopf et al. 2001): linear = 0, lower = 0, upper = 1/(nu n), sum 1.  Two-class: β_i = y_i α_i, so
// linear = -y, bounds 0 and y_i C, sum 0.
#pragma once
#include <cstddef>
#include <vector>

namespace svgm {

struct SvmProblem {
  const double* points;  // size rows of `dimension` numbers
  std::size_t size;
  int dimension;
  const double *linear, *lower, *upper;
  double sum;  // 1 for one class, 0 for two
};

struct Svm {
  std::vector<double> beta;
  double rho = 0.0;  // (Kβ + linear)_i of the points between their bounds
  std::size_t iterations = 0;
  std::size_t kernel_evaluations = 0;
  bool converged = false;
};

// Stops when the worst violation of the optimality conditions is below tolerance times the size of the gradient.
Svm train_svm(const SvmProblem& problem, double gamma, double tolerance, std::size_t max_iterations);

}  // namespace svgm
