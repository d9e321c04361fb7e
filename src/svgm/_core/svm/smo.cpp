#include "svm/smo.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/interrupt.hpp"

namespace svgm {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

template <class Real>
void Smo<Real>::run(double tolerance, std::size_t most_steps) {
  const std::size_t n = rows.points().size(), none = n;
  const auto add = [&](std::size_t s, double factor) {
    check_interrupt();
    const KernelRow<Real> row = rows.row(s);
    for (std::size_t p = 0; p < row.count; ++p)
      for (std::size_t l = 0; l < kPacket; ++l)
        gradient[row.packets[p] * kPacket + l] += factor * static_cast<double>(row.values[p * kPacket + l]);
  };
  std::vector<Real> kernel_i(rows.points().padded_size(), Real(0));
  gradient.assign(rows.points().padded_size(), 0.0);
  double scale = 0.0;
  for (std::size_t s = 0; s < linear.size(); ++s) {
    gradient[s] = linear[s];
    scale = std::max(scale, std::abs(linear[s]));
  }
  for (std::size_t s = 0; s < n; ++s)
    if (beta[s] != 0.0) add(s, beta[s]);

  for (;; ++steps) {
    check_interrupt();
    // i: the point that should gain weight most; `highest`: the gradient of the one that should lose it most.
    std::size_t i = none;
    double lowest = kInfinity, highest = -kInfinity;
    for (std::size_t s = 0; s < n; ++s) {
      if (beta[s] < upper[s] && gradient[s] < lowest) {
        lowest = gradient[s];
        i = s;
      }
      if (beta[s] > lower[s] && gradient[s] > highest) highest = gradient[s];
    }
    converged = i == none || highest - lowest <= tolerance * std::max(scale, highest);
    if (converged || steps >= most_steps) break;

    // j: the largest second-order decrease, (G_j - G_i)² / (2 - 2 K_ij).
    const KernelRow<Real> row_i = rows.row(i);
    for (std::size_t p = 0; p < row_i.count; ++p)
      std::copy_n(row_i.values + p * kPacket, kPacket, kernel_i.data() + row_i.packets[p] * kPacket);
    const auto curvature = [&](std::size_t s) { return std::max(2.0 - 2.0 * static_cast<double>(kernel_i[s]), 1e-12); };
    std::size_t j = none;
    double best = -1.0;
    for (std::size_t s = 0; s < n; ++s) {
      const double difference = gradient[s] - lowest;
      if (beta[s] <= lower[s] || difference <= 0.0) continue;
      if (difference * difference > best * curvature(s)) {
        best = difference * difference / curvature(s);
        j = s;
      }
    }
    if (j == none) break;  // only if there are NaNs
    const double room_i = upper[i] - beta[i], room_j = beta[j] - lower[j];
    const double step = std::min({(gradient[j] - lowest) / curvature(j), room_i, room_j});
    for (std::size_t p = 0; p < row_i.count; ++p)
      std::fill_n(kernel_i.data() + row_i.packets[p] * kPacket, kPacket, Real(0));
    beta[i] = step == room_i ? upper[i] : beta[i] + step;
    beta[j] = step == room_j ? lower[j] : beta[j] - step;
    add(i, step);
    add(j, -step);
  }
  find_rho();
}

// The mean gradient of the points between their bounds.  If there are none, any value between the gradients at upper
// bounds and those at lower bounds is right; the largest is taken, at which some point without weight lies on the
// boundary.  A point next to its bound by rounding counts as at the bound.
template <class Real>
void Smo<Real>::find_rho() {
  double margin = 0.0, highest_at_upper = -kInfinity, lowest_at_lower = kInfinity;
  std::size_t free_points = 0;
  for (std::size_t s = 0; s < rows.points().size(); ++s) {
    const double least_room = 1e-9 * (upper[s] - lower[s]);
    const bool below = upper[s] - beta[s] > least_room, above = beta[s] - lower[s] > least_room;
    if (below && above) {
      margin += gradient[s];
      ++free_points;
    } else {
      if (!below) highest_at_upper = std::max(highest_at_upper, gradient[s]);
      if (!above) lowest_at_lower = std::min(lowest_at_lower, gradient[s]);
    }
  }
  if (free_points > 0)
    rho = margin / static_cast<double>(free_points);
  else
    rho = std::isfinite(lowest_at_lower) ? lowest_at_lower : highest_at_upper;
}

template struct Smo<float>;
template struct Smo<double>;

}  // namespace svgm
