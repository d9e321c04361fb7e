#include "svm_start.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace svgm {
namespace {

constexpr std::size_t kSweeps = 1000;  // at most; most sets need 20 to 300

class GaussSeidel {
 public:
  GaussSeidel(KernelRows& rows, std::size_t n, double tolerance, double* beta)
      : rows_(rows), n_(n), tolerance_(tolerance), beta_(beta), kernel_sum_((n + kBlock) / kBlock * kBlock, 0.0) {
    std::fill(beta, beta + n, 0.0);
  }

  // Solve for one point: (Kβ)_s = goal, within its bounds.  Returns how far it moved.
  double visit(std::size_t s, double goal, double lower, double upper) {
    const double step = std::clamp(beta_[s] + goal - kernel_sum_[s], lower, upper) - beta_[s];
    if (std::abs(step) <= 0.1 * tolerance_) return 0.0;
    rows_.row(s)->add_to(kernel_sum_.data(), step);
    beta_[s] += step;
    total_ += step;
    return std::abs(step);
  }

  // First far-apart points, then those between: most of the later ones are covered already and stay at zero.
  template <class Visit>
  void spread(Visit visit_point) {
    std::size_t stride = 1;
    while (stride * kBlock < n_) stride *= 2;
    for (; stride > 0; stride /= 2)
      for (std::size_t s = 0; s < n_; s += stride) visit_point(s);
  }

  template <class Visit>
  void sweep_until_still(Visit visit_point) {
    for (std::size_t sweep = 0; sweep < kSweeps; ++sweep) {
      double largest = 0.0;
      for (std::size_t s = 0; s < n_; ++s) largest = std::max(largest, visit_point(s));
      if (largest <= 0.5 * tolerance_) return;
    }
  }

  double total() const { return total_; }

 private:
  KernelRows& rows_;
  std::size_t n_;
  double tolerance_;
  double* beta_;
  std::vector<double> kernel_sum_;
  double total_ = 0.0;
};

// What is missing to the sum goes to the points with room, in order.
void complete(std::size_t n, const double* lower, const double* upper, double missing, double* beta) {
  for (std::size_t s = 0; s < n && missing != 0.0; ++s) {
    const double change = std::clamp(missing, (lower ? lower[s] : 0.0) - beta[s], upper[s] - beta[s]);
    beta[s] += change;
    missing -= change;
  }
}

}  // namespace

void start_one_class(KernelRows& rows, std::size_t n, const double* upper, double tolerance, double* beta) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  GaussSeidel solver(rows, n, tolerance, beta);
  solver.spread([&](std::size_t s) { return solver.visit(s, 1.0, 0.0, kInfinity); });
  // The bounds hold for weights of sum 1; the sum so far tells what they are in these units.
  solver.sweep_until_still([&](std::size_t s) { return solver.visit(s, 1.0, 0.0, upper[s] * solver.total()); });
  double missing = 1.0;
  const double total = solver.total();
  for (std::size_t s = 0; s < n; ++s) {
    beta[s] = std::min(beta[s] / total, upper[s]);
    missing -= beta[s];
  }
  complete(n, nullptr, upper, missing, beta);
}

void start_two_class(KernelRows& rows, std::size_t n, const double* linear, const double* lower, const double* upper,
                     double tolerance, double* beta) {
  GaussSeidel solver(rows, n, tolerance, beta);
  double bias = 0.0, previous_bias = 0.0, previous_total = 0.0;
  const auto visit = [&](std::size_t s) { return solver.visit(s, -linear[s] - bias, lower[s], upper[s]); };
  solver.spread(visit);
  for (int attempt = 0; attempt < 10; ++attempt) {
    solver.sweep_until_still(visit);
    double size = 0.0;
    for (std::size_t s = 0; s < n; ++s) size += std::abs(beta[s]);
    const double total = solver.total();
    if (std::abs(total) <= 0.1 * tolerance * size) break;
    // The sum falls as the bias grows; a first guess of the slope is the size, then the secant.
    const double slope = attempt > 0 && total != previous_total && bias != previous_bias
                             ? (total - previous_total) / (bias - previous_bias)
                             : -size;
    previous_bias = bias;
    previous_total = total;
    bias -= total / (slope < 0.0 ? slope : -size);
  }
  double missing = 0.0;
  for (std::size_t s = 0; s < n; ++s) missing -= beta[s];
  complete(n, lower, upper, missing, beta);
}

}  // namespace svgm
