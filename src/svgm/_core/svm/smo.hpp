// Sequential minimal optimisation (SMO) with second-order working sets (Fan, Chen & Lin 2005): each step moves weight
// from one point to another, so the sum and the bounds hold exactly.
#pragma once
#include <cstddef>
#include <vector>

#include "svm/kernel_rows.hpp"

namespace svgm {

template <class Real>
struct Smo {
  KernelRows<Real>& rows;
  const std::vector<double>&lower, &upper;
  std::vector<double> beta, linear;  // feasible to begin with; linear may be empty for zero

  std::vector<double> gradient = {};  // Kβ + linear
  std::size_t steps = 0;
  bool converged = false;
  double rho = 0.0;  // the multiplier of the sum: the gradient of the points between their bounds

  // Until the worst violation of the optimality conditions is below tolerance times the size of the gradient.
  void run(double tolerance, std::size_t most_steps);

 private:
  void find_rho();
};

}  // namespace svgm
