#include "minimise.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "interrupt.hpp"
#include "symmetric_eigen.hpp"

namespace svgm {
namespace {

using Step = std::array<double, kMaxParameters>;

constexpr int kSecularSteps = 8;
constexpr double kTiny = std::numeric_limits<double>::min();

double norm(const double* v, int k) {
  double squared = 0.0;
  for (int i = 0; i < k; ++i) squared += v[i] * v[i];
  return std::sqrt(squared);
}

// exp of a rotation vector, row by row: Rodrigues' formula.
void rotation_exp(const double* omega, int d, double* out) {
  if (d == 2) {
    const double c = std::cos(omega[0]), s = std::sin(omega[0]);
    const double rotation[] = {c, -s, s, c};
    std::copy(rotation, rotation + 4, out);
    return;
  }
  const double angle = norm(omega, 3), half = 0.5 * angle;
  const double a = angle > 0.0 ? std::sin(angle) / angle : 1.0;
  const double b = angle > 0.0 ? 0.5 * (std::sin(half) / half) * (std::sin(half) / half) : 0.5;
  const double x = omega[0], y = omega[1], z = omega[2];
  const double rotation[] = {1.0 - b * (y * y + z * z), b * x * y - a * z, b * x * z + a * y,
                             b * x * y + a * z, 1.0 - b * (x * x + z * z), b * y * z - a * x,
                             b * x * z - a * y, b * y * z + a * x, 1.0 - b * (x * x + y * y)};
  std::copy(rotation, rotation + 9, out);
}

// Angle between the rotations and distance between the translations, as one length.
double apart(const double* a, const double* b, int d) {
  const int n = d + 1;
  double squared = 0.0, chord = 0.0;
  for (int i = 0; i < d; ++i) {
    const double shift = a[i * n + d] - b[i * n + d];
    squared += shift * shift;
    for (int j = 0; j < d; ++j) chord += (a[i * n + j] - b[i * n + j]) * (a[i * n + j] - b[i * n + j]);
  }
  // |R_a - R_b|² = 8 sin²(angle / 2), in two dimensions as in three.
  const double angle = 2.0 * std::asin(std::min(1.0, std::sqrt(chord / 8.0)));
  return std::sqrt(squared + angle * angle);
}

}  // namespace

void move(const double* pose, const double* step, int d, double* out) {
  const int n = d + 1;
  double rotation[9];
  rotation_exp(step, d, rotation);
  std::copy(pose, pose + n * n, out);
  for (int i = 0; i < d; ++i) {
    for (int j = 0; j < d; ++j) {
      out[i * n + j] = 0.0;
      for (int l = 0; l < d; ++l) out[i * n + j] += rotation[i * d + l] * pose[l * n + j];
    }
    out[i * n + d] = pose[i * n + d] + step[rotations(d) + i];
  }
}

double trust_region_step(const double* gradient, const double* hessian, int k, double radius, double* step) {
  const SymmetricEigen eigen = symmetric_eigen(hessian, static_cast<std::size_t>(k));
  // With H = V diag(lambda) Vᵀ the minimiser is s(mu) = -V (Vᵀg) / (lambda + mu) for the smallest mu >= 0 that makes
  // H + mu positive semidefinite and the step short enough.
  const auto& lambda = eigen.values;
  Step g{}, local{};
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
    // The hard case: g has no part along the most negative direction, so the step is too short; go along it.
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

Minimum minimise(const Function& function, const double* starts, std::size_t count, const TrustRegion& trust) {
  const int d = function.dimension();
  const std::size_t k = static_cast<std::size_t>(parameters(d)), entries = static_cast<std::size_t>((d + 1) * (d + 1));
  Minimum minimum{std::vector<double>(starts, starts + count * entries), std::vector<double>(count),
                  std::vector<double>(count * k * k), std::vector<std::size_t>(count, 0),
                  std::vector<Outcome>(count, Outcome::running)};
  std::vector<double> gradients(count * k), radii(count, trust.radius), predicted(count), lengths(count);
  std::vector<double> trials(count * entries), values(count), trial_gradients(count * k), hessians(count * k * k);
  std::vector<std::size_t> active(count);
  for (std::size_t i = 0; i < count; ++i) active[i] = i;
  function.evaluate(starts, count, minimum.values.data(), gradients.data(), minimum.hessians.data());

  // Whether another that goes on, and is lower or done, lies where i is.
  const auto met = [&](std::size_t i) {
    check_interrupt();
    for (std::size_t j = 0; j < count && trust.same > 0.0; ++j) {
      if (i == j || minimum.outcomes[j] == Outcome::given_up) continue;
      const bool lower = minimum.values[j] < minimum.values[i] || (minimum.values[j] == minimum.values[i] && j < i);
      const bool done = minimum.outcomes[i] == Outcome::running && minimum.outcomes[j] == Outcome::converged;
      if ((lower || done) &&
          apart(minimum.poses.data() + i * entries, minimum.poses.data() + j * entries, d) < trust.same)
        return true;
    }
    return false;
  };

  for (std::size_t iteration = 0; iteration < trust.max_iterations && !active.empty(); ++iteration) {
    std::size_t trying = 0;
    for (const std::size_t i : active) {
      check_interrupt();
      Step step{};
      predicted[trying] = trust_region_step(gradients.data() + i * k, minimum.hessians.data() + i * k * k,
                                            static_cast<int>(k), radii[i], step.data());
      lengths[trying] = norm(step.data(), static_cast<int>(k));
      move(minimum.poses.data() + i * entries, step.data(), d, trials.data() + trying * entries);
      // A step this short, inside the trust region, is taken without a trial: the model is exact enough.
      if (lengths[trying] < std::min(trust.step_tolerance, 0.99 * radii[i])) {
        std::copy_n(trials.data() + trying * entries, entries, minimum.poses.data() + i * entries);
        minimum.values[i] -= predicted[trying];
        minimum.outcomes[i] = Outcome::converged;
        continue;
      }
      ++trying;
    }
    std::erase_if(active, [&](std::size_t i) { return minimum.outcomes[i] != Outcome::running; });
    function.evaluate(trials.data(), active.size(), values.data(), trial_gradients.data(), hessians.data());
    for (std::size_t a = 0; a < active.size(); ++a) {
      const std::size_t i = active[a];
      ++minimum.iterations[i];
      // Near the minimum the decrease drowns in rounding; a step that small is as good as taken.
      const double noise = 1e-15 * std::abs(minimum.values[i]) + kTiny;
      const double ratio = (minimum.values[i] - values[a] + noise) / (predicted[a] + noise);
      const bool accepted = ratio > 1e-4;
      if (accepted) {
        minimum.values[i] = values[a];
        std::copy_n(trials.data() + a * entries, entries, minimum.poses.data() + i * entries);
        std::copy_n(trial_gradients.data() + a * k, k, gradients.data() + i * k);
        std::copy_n(hessians.data() + a * k * k, k * k, minimum.hessians.data() + i * k * k);
      }
      if (!(ratio >= 0.25))
        radii[i] = 0.25 * lengths[a];
      else if (ratio > 0.75 && lengths[a] > 0.9 * radii[i])
        radii[i] = std::min(2.0 * radii[i], trust.max_radius);
      if (radii[i] < trust.step_tolerance) minimum.outcomes[i] = Outcome::converged;
    }
    // Two that have met go to the same minimum: the lower one goes on.
    for (const std::size_t i : active)
      if (minimum.outcomes[i] == Outcome::running && met(i)) minimum.outcomes[i] = Outcome::given_up;
    std::erase_if(active, [&](std::size_t i) { return minimum.outcomes[i] != Outcome::running; });
  }
  for (std::size_t i = 0; i < count; ++i)
    if (minimum.outcomes[i] != Outcome::given_up && met(i)) minimum.outcomes[i] = Outcome::given_up;
  return minimum;
}

}  // namespace svgm
