#include "svm.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernel_rows.hpp"
#include "svm_start.hpp"

namespace svgm {
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
    lower[s] = problem.lower[order[s]];
    upper[s] = problem.upper[order[s]];
    gradient[s] = problem.linear[order[s]];
    scale = std::max(scale, std::abs(gradient[s]));
  }
  if (problem.sum == 0.0)
    start_two_class(rows, n, gradient.data(), lower.data(), upper.data(), tolerance, beta.data());
  else
    start_one_class(rows, n, upper.data(), tolerance, beta.data());
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
