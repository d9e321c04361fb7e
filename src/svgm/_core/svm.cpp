#include "svm.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernel_rows.hpp"

namespace svgm {
namespace {

// A start for one-class problems on many points.  With the bias fixed at 1, the problem is to cover every point with a
// kernel sum of 1 by non-negative weights; Gauss-Seidel solves it point by point, each step touching near points only.
// The weights are then scaled to sum 1, which is exact as long as no upper bound is active; what the bounds change is
// left to the steps on pairs.
void cover(KernelRows& rows, std::size_t n, const double* upper, double tolerance, std::size_t sweeps, double* beta) {
  std::vector<double> kernel_sum((n + kBlock) / kBlock * kBlock, 0.0);
  std::fill(beta, beta + n, 0.0);
  double total = 0.0;
  const auto visit = [&](std::size_t s, double bound) {
    const double step = std::clamp(beta[s] + 1.0 - kernel_sum[s], 0.0, bound) - beta[s];
    if (std::abs(step) > 0.1 * tolerance) {
      rows.row(s)->add_to(kernel_sum.data(), step);
      beta[s] += step;
      total += step;
    }
    return std::abs(step);
  };
  // First far-apart points, then those between: most of the later ones are covered already and stay at zero.
  std::size_t stride = 1;
  while (stride * kBlock < n) stride *= 2;
  for (std::size_t step = stride; step > 0; step /= 2)
    for (std::size_t s = 0; s < n; s += step) visit(s, std::numeric_limits<double>::infinity());
  for (std::size_t sweep = 0; sweep < sweeps; ++sweep) {
    double largest = 0.0;
    const double sum = total;
    for (std::size_t s = 0; s < n; ++s) largest = std::max(largest, visit(s, upper[s] * sum));
    if (largest <= 0.5 * tolerance) break;
  }
  // Back to sum 1 within the bounds: what a bound cuts off goes to the points with room, in order.
  double missing = 1.0;
  for (std::size_t s = 0; s < n; ++s) {
    beta[s] = std::min(beta[s] / total, upper[s]);
    missing -= beta[s];
  }
  for (std::size_t s = 0; s < n && missing != 0.0; ++s) {
    const double change = std::clamp(missing, -beta[s], upper[s] - beta[s]);
    beta[s] += change;
    missing -= change;
  }
}

}  // namespace

Svm train_svm(const SvmProblem& problem, double gamma, double tolerance, std::size_t max_iterations) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::size_t n = problem.size;
  const BoxTree tree(problem.points, nullptr, n, problem.dimension);
  const std::vector<std::size_t>& order = tree.order();
  const std::size_t padded = tree.padded_size();
  KernelRows rows(tree, gamma);

  // Everything below is in the tree's order; padding lies behind n and is never looked at.
  std::vector<double> beta(padded, 0.0), lower(padded, 0.0), upper(padded, 0.0), gradient(padded, 0.0);
  std::vector<double> kernel_i(padded, 0.0);
  double scale = 0.0;
  for (std::size_t s = 0; s < n; ++s) {
    beta[s] = problem.start[order[s]];
    lower[s] = problem.lower[order[s]];
    upper[s] = problem.upper[order[s]];
    gradient[s] = problem.linear[order[s]];
    scale = std::max(scale, std::abs(gradient[s]));
  }
  if (problem.sweeps > 0) cover(rows, n, upper.data(), tolerance, problem.sweeps, beta.data());
  for (std::size_t s = 0; s < n; ++s)
    if (beta[s] != 0.0) rows.row(s)->add_to(gradient.data(), beta[s]);

  Svm result;
  double lowest = 0.0, highest = 0.0;
  for (;; ++result.iterations) {
    // i: the point that most wants more weight; `highest`: the gradient of the one that most wants less.
    std::size_t i = padded;
    lowest = kInfinity;
    highest = -kInfinity;
    for (std::size_t s = 0; s < n; ++s) {
      if (beta[s] < upper[s] && gradient[s] < lowest) {
        lowest = gradient[s];
        i = s;
      }
      if (beta[s] > lower[s] && gradient[s] > highest) highest = gradient[s];
    }
    result.converged = i == padded || highest - lowest <= tolerance * std::max(scale, highest);
    if (result.converged || result.iterations == max_iterations) break;

    // j: the largest second-order decrease, (G_j - G_i)² / (2 - 2 K_ij)  (Fan, Chen & Lin 2005).
    const auto row_i = rows.row(i);
    row_i->copy_to(kernel_i.data());
    const auto curvature = [&](std::size_t s) { return std::max(2.0 - 2.0 * kernel_i[s], 1e-12); };
    std::size_t j = padded;
    double best = -1.0;
    for (std::size_t s = 0; s < n; ++s) {
      const double difference = gradient[s] - lowest;
      if (beta[s] <= lower[s] || difference <= 0.0) continue;
      if (difference * difference > best * curvature(s)) {
        best = difference * difference / curvature(s);
        j = s;
      }
    }
    const double room_i = upper[i] - beta[i], room_j = beta[j] - lower[j];
    const double step = std::min({(gradient[j] - lowest) / curvature(j), room_i, room_j});
    row_i->clear(kernel_i.data());
    beta[i] = step == room_i ? upper[i] : beta[i] + step;
    beta[j] = step == room_j ? lower[j] : beta[j] - step;
    row_i->add_to(gradient.data(), step);
    rows.row(j)->add_to(gradient.data(), -step);
  }

  // The multiplier of the sum: the mean gradient of the points strictly between their bounds; without such points, the
  // middle of the admissible interval.
  double margin = 0.0;
  std::size_t free_points = 0;
  for (std::size_t s = 0; s < n; ++s)
    if (beta[s] > lower[s] && beta[s] < upper[s]) {
      margin += gradient[s];
      ++free_points;
    }
  if (free_points > 0)
    result.rho = margin / static_cast<double>(free_points);
  else if (std::isfinite(lowest) && std::isfinite(highest))
    result.rho = 0.5 * (lowest + highest);
  else
    result.rho = std::isfinite(highest) ? highest : lowest;
  result.beta.assign(n, 0.0);
  for (std::size_t s = 0; s < n; ++s) result.beta[order[s]] = beta[s];
  result.kernel_evaluations = rows.evaluations();
  return result;
}

}  // namespace svgm
