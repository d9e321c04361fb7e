// The points as the solver uses them: near ones together, relative to the middle of their box, in units of
// 1/sqrt(gamma), with the columns of svm_loop.hpp.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "points/morton_order.hpp"
#include "runtime/interrupt.hpp"
#include "svm/svm_loop.hpp"

namespace svgm {

struct SvmProblem {
  const double* points;  // size rows of `dimension` numbers
  std::size_t size, dimension;
  double gamma;
  bool in_order = false;  // near points lie mostly together already, as thinning leaves them
  const double* covariances = nullptr;  // size matrices, not larger than 1 / (2 gamma) in any direction, or null
};

struct SortedPoints {
  static constexpr double kFarthest = 1e150;
  std::size_t size, dimension, columns;
  std::vector<std::uint32_t> order;  // order[s]: the caller's index of the s-th point
  std::vector<double> rows;
  double reach = 0.0;     // the largest coordinate
  double thinnest = 1.0;  // a lower bound of the covariances' eigenvalues, in units of sigma²

  explicit SortedPoints(const SvmProblem& problem)
      : size(problem.size),
        dimension(problem.dimension),
        columns(problem.covariances ? shaped_columns(problem.dimension) : problem.dimension),
        rows(problem.size * columns) {
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
        rows[s * columns + k] = std::min(std::max(-kFarthest, place), kFarthest);
        reach = std::max(reach, std::abs(rows[s * columns + k]));
      }
      if (problem.covariances)
        shape(problem.covariances + order[s] * dimension * dimension, problem.gamma, rows.data() + s * columns);
    }
  }

  // The columns behind the coordinates: S / 2 in units of sigma², which is gamma S, and |S|^(1/2D).
  void shape(const double* covariance, double gamma, double* row) {
    const std::size_t d = dimension;
    double* half = row + d;
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t j = 0; j <= i; ++j) *half++ = gamma * covariance[i * d + j];
    // |S| = |L|² by a Cholesky factorisation of S = 2 gamma S'.
    std::vector<double> l(row + d, row + columns - 1);
    double log_determinant = 0.0;
    for (std::size_t i = 0; i < d; ++i) {
      double* li = l.data() + i * (i + 1) / 2;
      for (std::size_t j = 0; j <= i; ++j) {
        const double* lj = l.data() + j * (j + 1) / 2;
        double sum = 2.0 * li[j];
        for (std::size_t k = 0; k < j; ++k) sum -= li[k] * lj[k];
        li[j] = j < i ? sum / lj[j] : std::sqrt(sum);
      }
      log_determinant += 2.0 * std::log(li[i]);
    }
    row[columns - 1] = std::exp(0.5 * log_determinant / static_cast<double>(d));
    thinnest = std::min(thinnest, std::exp(log_determinant));  // no eigenvalue exceeds 1
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
