// The SVM solvers against the optimality conditions of their problems, with the whole kernel matrix.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "check.hpp"
#include "svm/svm.hpp"

namespace {

// (Kβ)_i for all i.
std::vector<double> kernel_sums(const std::vector<double>& points, std::size_t d, double gamma,
                                const std::vector<double>& beta) {
  std::vector<double> sums(beta.size(), 0.0);
  for (std::size_t i = 0; i < beta.size(); ++i)
    for (std::size_t j = 0; j < beta.size(); ++j) {
      double squared = 0.0;
      for (std::size_t k = 0; k < d; ++k) squared += std::pow(points[i * d + k] - points[j * d + k], 2);
      sums[i] += beta[j] * std::exp(-gamma * squared);
    }
  return sums;
}

// How far the gradient of a point that could have more weight lies below that of one that could have less.
double violation(const std::vector<double>& gradient, const std::vector<double>& beta,
                 const std::vector<double>& lower, const std::vector<double>& upper) {
  double lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
  for (std::size_t i = 0; i < beta.size(); ++i) {
    if (beta[i] < upper[i]) lowest = std::min(lowest, gradient[i]);
    if (beta[i] > lower[i]) highest = std::max(highest, gradient[i]);
  }
  return highest - lowest;
}

double sum(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

}  // namespace

TEST(one_class_meets_its_conditions) {
  for (const std::size_t d : {1u, 2u, 3u, 5u})
    for (const std::size_t n : {3u, 40u, 300u, 1500u})
      for (const double gamma : {0.3, 5.0})
        for (const std::size_t row_bytes : {std::size_t{0}, std::size_t{1} << 26}) {
          const std::vector<double> points = normal_points(n, d, static_cast<unsigned>(n + d));
          const std::vector<double> upper(n, 1.0 / (0.2 * static_cast<double>(n))), lower(n, 0.0);
          svgm::SvmLimits limits;
          limits.row_bytes = row_bytes;
          const svgm::Svm svm =
              svgm::train_one_class({points.data(), n, d, gamma}, upper.data(), nullptr, {1e-3, 1e-4}, limits);
          CHECK(svm.converged);
          CHECK(std::abs(sum(svm.beta) - 1.0) < 1e-9);
          for (const double beta : svm.beta) CHECK(beta >= 0.0 && beta <= upper[0]);
          const std::vector<double> gradient = kernel_sums(points, d, gamma, svm.beta);
          const double largest = *std::max_element(gradient.begin(), gradient.end());
          CHECK(violation(gradient, svm.beta, lower, upper) < 3e-3 * largest);
        }
}

TEST(one_class_by_its_gap_is_near_the_minimum) {
  const std::size_t n = 1200, d = 2;
  const std::vector<double> points = normal_points(n, d, 5), upper(n, 1.0 / (0.05 * static_cast<double>(n)));
  const auto energy = [&](svgm::Accuracy accuracy) {
    const svgm::Svm svm = svgm::train_one_class({points.data(), n, d, 3.0}, upper.data(), nullptr, accuracy, {});
    const std::vector<double> sums = kernel_sums(points, d, 3.0, svm.beta);
    return std::inner_product(sums.begin(), sums.end(), svm.beta.begin(), 0.0);
  };
  const double least = energy({1e-5, 1e-6}), found = energy({std::numeric_limits<double>::infinity(), 0.03});
  CHECK(found > (1.0 - 1e-3) * least);
  CHECK(found < 1.05 * least);
}

TEST(two_class_meets_its_conditions) {
  for (const std::size_t n : {4u, 60u, 400u}) {
    const std::size_t d = 2;
    const std::vector<double> points = normal_points(n, d, static_cast<unsigned>(n));
    std::vector<double> linear(n), lower(n), upper(n);
    for (std::size_t i = 0; i < n; ++i) {
      const double label = i < 2 ? (i == 0 ? 1.0 : -1.0) : (points[i * d] > 0.2 * points[i * d + 1] ? 1.0 : -1.0);
      linear[i] = -label;
      lower[i] = std::min(0.0, 10.0 * label);
      upper[i] = std::max(0.0, 10.0 * label);
    }
    const svgm::Svm svm =
        svgm::train_two_class({points.data(), n, d, 1.0}, linear.data(), lower.data(), upper.data(), 1e-4, {});
    CHECK(svm.converged);
    CHECK(std::abs(sum(svm.beta)) < 1e-9);
    std::vector<double> gradient = kernel_sums(points, d, 1.0, svm.beta);
    for (std::size_t i = 0; i < n; ++i) {
      CHECK(svm.beta[i] >= lower[i] && svm.beta[i] <= upper[i]);
      gradient[i] += linear[i];
    }
    CHECK(violation(gradient, svm.beta, lower, upper) < 1e-3);
  }
}

TEST(an_svm_whose_numbers_are_too_large_ends) {
  const std::vector<double> upper(50, 0.1), lower(50, 0.0);
  for (const double size : {1e15, 1e17, 1e18, 1e200, 1e308})
    for (const double gamma : {1.0, 1e200, std::numeric_limits<double>::infinity()}) {
      std::vector<double> points = normal_points(50, 2, 1);
      for (double& x : points) x = std::clamp(x, -1.0, 1.0) * size;
      const svgm::Svm svm =
          svgm::train_one_class({points.data(), 50, 2, gamma}, upper.data(), nullptr, {1e-3, 1e-4}, {});
      for (const double beta : svm.beta) CHECK(beta >= 0.0 && beta <= 0.1);
      std::vector<double> linear(50, 1.0);
      linear[0] = -1.0;
      CHECK(svgm::train_two_class({points.data(), 50, 2, gamma}, linear.data(), lower.data(), upper.data(), 1e-3, {})
                .beta.size() == 50);
    }
}
