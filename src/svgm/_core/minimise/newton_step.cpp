#include "minimise/newton_step.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "minimise/pose_step.hpp"
#include "minimise/symmetric_eigen.hpp"

namespace svgm {
namespace {

constexpr int kSecularSteps = 8;
constexpr double kTiny = std::numeric_limits<double>::min();

}  // namespace

double trust_region_step(const double* gradient, const double* hessian, int k, double radius, double* step) {
  const SymmetricEigen eigen = symmetric_eigen(hessian, static_cast<std::size_t>(k));
  // With H = V diag(lambda) Vᵀ the minimiser is s(mu) = -V (Vᵀg) / (lambda + mu) for the smallest mu >= 0 that makes
  // H + mu positive semidefinite and the step short enough.
  const auto& lambda = eigen.values;
  SymmetricEigen::Vector g{}, local{};
  double scale = kTiny;
  for (std::size_t i = 0; i < static_cast<std::size_t>(k); ++i) {
    for (std::size_t j = 0; j < static_cast<std::size_t>(k); ++j) g[i] += eigen.vectors[i][j] * gradient[j];
    scale = std::max(scale, std::abs(lambda[i]));
  }
  const auto solve = [&](double mu) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(k); ++i) local[i] = -g[i] / (lambda[i] + mu);
    return norm(local.data(), k);
  };
  const bool positive = lambda[0] > 1e-12 * scale;
  if (!positive || solve(0.0) > radius) {
    // Newton on 1/|s(mu)| - 1/radius, which is nearly linear in mu: from the left it never overshoots.
    double mu = std::max(0.0, -lambda[0]) + 1e-12 * scale;
    for (int iteration = 0; iteration < kSecularSteps; ++iteration) {
      const double length = solve(mu);
      double slope = 0.0;
      for (std::size_t i = 0; i < static_cast<std::size_t>(k); ++i) slope += local[i] * local[i] / (lambda[i] + mu);
      mu = std::max(mu, mu + length * length * (length / radius - 1.0) / std::max(slope, kTiny));
    }
    const double length = solve(mu), missing = std::max(radius * radius - length * length, 0.0);
    // The hard case: g has no part along the most negative direction, so the step is too short; it is extended along
    // it.
    if (lambda[0] < -1e-8 * scale && missing > 1e-6 * radius * radius)
      local[0] = (g[0] > 0.0 ? -1.0 : 1.0) * std::sqrt(local[0] * local[0] + missing);
  }
  double predicted = 0.0;
  std::fill(step, step + k, 0.0);
  for (std::size_t i = 0; i < static_cast<std::size_t>(k); ++i) {
    predicted -= g[i] * local[i] + 0.5 * lambda[i] * local[i] * local[i];
    for (std::size_t j = 0; j < static_cast<std::size_t>(k); ++j) step[j] += eigen.vectors[i][j] * local[i];
  }
  return predicted;
}

}  // namespace svgm
