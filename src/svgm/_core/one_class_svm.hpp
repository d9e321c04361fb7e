// One-class SVM with a Gaussian kernel (Schölkopf et al. 2001): the dual problem, solved by sequential minimal
// optimisation with second-order working sets.
#pragma once
#include <cstddef>
#include <vector>

namespace svgm {

struct OneClassSvm {
  std::vector<double> alpha;    // duals, sum 1, 0 <= alpha_i <= bound_i
  double rho = 0.0;             // bias: (K alpha)_i on the margin
  std::size_t iterations = 0;
  std::size_t kernel_evaluations = 0;
  bool converged = false;
};

// min ½ αᵀKα  s.t. sum α = 1, 0 <= α_i <= bound_i,  K_ij = exp(-gamma |x_i - x_j|²).
// Stops when the worst violation of the optimality conditions is below tolerance * rho.
OneClassSvm train_one_class_svm(const double* points, const double* bounds, const double* start, std::size_t n,
                                int dimension, double gamma, double tolerance, std::size_t max_iterations);

}  // namespace svgm
