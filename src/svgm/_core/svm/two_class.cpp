// Two classes: Gauss-Seidel without the sum constraint; a search for its multiplier, so that the sum is met; then SMO.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "runtime/interrupt.hpp"
#include "svm/smo.hpp"
#include "svm/sorted_points.hpp"
#include "svm/svm.hpp"

namespace svgm {
namespace {

constexpr std::size_t kSweeps = 1000;  // at most; most sets need 20 to 300

class GaussSeidel {
 public:
  GaussSeidel(KernelRows<double>& rows, double tolerance)
      : rows_(rows), tolerance_(tolerance), beta_(rows.points().size(), 0.0), sums_(rows.points().padded_size(), 0.0) {}

  // Solve for one point: (Kβ)_s = goal, within its bounds.  Returns how far it moved.
  double visit(std::size_t s, double goal, double lower, double upper) {
    const double step = std::clamp(beta_[s] + goal - sums_[s], lower, upper) - beta_[s];
    if (std::abs(step) <= 0.1 * tolerance_) return 0.0;
    check_interrupt();
    svm_loop<double>().add_row(sums_.data(), rows_.row(s), step);
    beta_[s] += step;
    total_ += step;
    ++work.row_updates;
    return std::abs(step);
  }

  // First far-apart points, then those between: most of the later ones are covered already and stay at zero.
  template <class Visit>
  void spread(Visit visit_point) {
    std::size_t stride = 1;
    while (stride * kPacket < beta_.size()) stride *= 2;
    for (; stride > 0; stride /= 2)
      for (std::size_t s = 0; s < beta_.size(); s += stride) visit_point(s);
  }

  template <class Visit>
  void sweep_until_still(Visit visit_point) {
    for (std::size_t sweep = 0; sweep < kSweeps; ++sweep) {
      check_interrupt();
      double largest = 0.0;
      for (std::size_t s = 0; s < beta_.size(); ++s) largest = std::max(largest, visit_point(s));
      ++work.sweeps;
      if (largest <= 0.5 * tolerance_) return;
    }
  }

  double total() const { return total_; }
  const std::vector<double>& beta() const { return beta_; }
  Work work;

 private:
  KernelRows<double>& rows_;
  double tolerance_;
  std::vector<double> beta_, sums_;
  double total_ = 0.0;
};

}  // namespace

Svm train_two_class(const SvmProblem& problem, const double* linear, const double* lower, const double* upper,
                    double tolerance, SvmLimits limits) {
  const SortedPoints points(problem);
  std::vector<std::uint32_t> all(points.size);
  std::iota(all.begin(), all.end(), 0u);
  const PointPackets<double> packets(points, all);
  KernelRows<double> rows(packets, squared_cutoff(points.dimension, 1e-5 * tolerance), limits.row_bytes);
  const std::vector<double> slope = points.sorted(linear), low = points.sorted(lower), high = points.sorted(upper);

  GaussSeidel solver(rows, tolerance);
  double bias = 0.0, previous_bias = 0.0, previous_total = 0.0;
  const auto visit = [&](std::size_t s) { return solver.visit(s, -slope[s] - bias, low[s], high[s]); };
  solver.spread(visit);
  for (int attempt = 0; attempt < 10; ++attempt) {
    solver.sweep_until_still(visit);
    double size = 0.0;
    for (const double beta : solver.beta()) size += std::abs(beta);
    const double total = solver.total();
    if (std::abs(total) <= 0.1 * tolerance * size) break;
    // The sum falls as the bias grows; a first guess of the slope is the size, then the secant.
    const double fall = attempt > 0 && total != previous_total && bias != previous_bias
                            ? (total - previous_total) / (bias - previous_bias)
                            : -size;
    previous_bias = bias;
    previous_total = total;
    bias -= total / (fall < 0.0 ? fall : -size);
  }
  // What is missing to the sum goes to the points with room, in order.
  std::vector<double> beta = solver.beta();
  double missing = -std::accumulate(beta.begin(), beta.end(), 0.0);
  for (std::size_t s = 0; s < beta.size() && missing != 0.0; ++s) {
    const double change = std::clamp(missing, low[s] - beta[s], high[s] - beta[s]);
    beta[s] += change;
    missing -= change;
  }
  Smo<double> smo{rows, low, high, std::move(beta), slope};
  smo.run(tolerance, limits.pair_steps);
  Svm svm{points.in_callers_order(smo.beta), smo.rho, smo.converged, solver.work};
  svm.work.kernel_evaluations = rows.evaluations();
  svm.work.pair_steps = smo.steps;
  return svm;
}

}  // namespace svgm
