// The points as the solver uses them: near ones together, relative to the middle of their box, in units of
// 1/sqrt(gamma).
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "points/morton_order.hpp"
#include "runtime/interrupt.hpp"
#include "svm/svm.hpp"

namespace svgm {

struct SortedPoints {
  static constexpr double kFarthest = 1e150;
  std::size_t size, dimension;
  std::vector<std::uint32_t> order;  // order[s]: the caller's index of the s-th point
  std::vector<double> rows;
  double reach = 0.0;  // the largest coordinate

  explicit SortedPoints(const SvmProblem& problem)
      : size(problem.size),
        dimension(problem.dimension),
        rows(problem.size * problem.dimension) {
    if (problem.in_order) {
      order.resize(size);
      std::iota(order.begin(), order.end(), 0u);
    } else {
      order = morton_order(problem.points, size, dimension);
    }
    // Survey coordinates are large; relative to the middle they lose no digits.
    std::vector<double> low(problem.points, problem.points + dimension), high(low);
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t k = 0; k < dimension; ++k) {
        low[k] = std::min(low[k], problem.points[i * dimension + k]);
        high[k] = std::max(high[k], problem.points[i * dimension + k]);
      }
    const double unit = std::sqrt(problem.gamma);
    for (std::size_t k = 0; k < dimension; ++k) low[k] += 0.5 * (high[k] - low[k]);
    for (std::size_t s = 0; s < size; ++s) {
      check_interrupt(s);
      for (std::size_t k = 0; k < dimension; ++k) {
        // Clamped so that squares are finite; in this order of arguments, NaN is clamped too.
        const double place = (problem.points[order[s] * dimension + k] - low[k]) * unit;
        rows[s * dimension + k] = std::min(std::max(-kFarthest, place), kFarthest);
        reach = std::max(reach, std::abs(rows[s * dimension + k]));
      }
    }
  }

  template <class Values>
  std::vector<double> sorted(const Values& values) const {
    std::vector<double> out(size);
    for (std::size_t s = 0; s < size; ++s) out[s] = values[order[s]];
    return out;
  }

  std::vector<double> in_callers_order(const std::vector<double>& values) const {
    std::vector<double> out(size);
    for (std::size_t s = 0; s < size; ++s) out[order[s]] = values[s];
    return out;
  }
};

}  // namespace svgm
