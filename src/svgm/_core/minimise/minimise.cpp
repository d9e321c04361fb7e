#include "minimise/minimise.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "minimise/newton_step.hpp"
#include "minimise/pose_step.hpp"
#include "runtime/interrupt.hpp"

namespace svgm {
namespace {

using Step = std::array<double, kMaxParameters>;

constexpr double kTiny = std::numeric_limits<double>::min();

}  // namespace

Minimum minimise(const PoseFunction& function, const double* starts, std::size_t count, const TrustRegion& trust) {
  const int d = function.dimension();
  const std::size_t k = static_cast<std::size_t>(function.step_size()), entries = static_cast<std::size_t>((d + 1) * (d + 1));
  Minimum minimum{std::vector<double>(starts, starts + count * entries), std::vector<double>(count),
                  std::vector<double>(count * k * k), std::vector<std::size_t>(count, 0),
                  std::vector<Outcome>(count, Outcome::running)};
  std::vector<double> gradients(count * k), radii(count, trust.radius), predicted(count), lengths(count);
  std::vector<double> trials(count * entries), values(count), trial_gradients(count * k), hessians(count * k * k);
  std::vector<std::size_t> active(count);
  for (std::size_t i = 0; i < count; ++i) active[i] = i;
  function.evaluate(starts, count, minimum.values.data(), gradients.data(), minimum.hessians.data());

  // Whether start i lies where another start lies that has not been given up and is lower or has converged.
  const auto met = [&](std::size_t i) {
    check_interrupt();
    for (std::size_t j = 0; j < count && trust.same > 0.0; ++j) {
      if (i == j || minimum.outcomes[j] == Outcome::given_up) continue;
      const bool lower = minimum.values[j] < minimum.values[i] || (minimum.values[j] == minimum.values[i] && j < i);
      const bool done = minimum.outcomes[i] == Outcome::running && minimum.outcomes[j] == Outcome::converged;
      if ((lower || done) &&
          distance(minimum.poses.data() + i * entries, minimum.poses.data() + j * entries, d) < trust.same)
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
      function.take(minimum.poses.data() + i * entries, step.data(), trials.data() + trying * entries);
      // A step this short, inside the trust region, is taken without evaluating the function: the model is exact
      // enough.
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
      // Near the minimum the decrease is smaller than rounding errors; such a step is accepted.
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
    // Two starts at the same pose have the same minimum: only the lower one continues.
    for (const std::size_t i : active)
      if (minimum.outcomes[i] == Outcome::running && met(i)) minimum.outcomes[i] = Outcome::given_up;
    std::erase_if(active, [&](std::size_t i) { return minimum.outcomes[i] != Outcome::running; });
  }
  for (std::size_t i = 0; i < count; ++i)
    if (minimum.outcomes[i] != Outcome::given_up && met(i)) minimum.outcomes[i] = Outcome::given_up;
  return minimum;
}

}  // namespace svgm
