// Sums of Gaussians that have covariances of their own.
#include <cmath>

#include "check.hpp"
#include "sums/full_transform.hpp"

namespace {

// Plates whose normal is the last axis.
std::vector<double> plates(std::size_t n, std::size_t d) {
  std::vector<double> covariances(n * d * d, 0.0);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < d; ++k) covariances[(i * d + k) * d + k] = k + 1 < d ? 0.25 : 0.0025;
  return covariances;
}

}  // namespace

TEST(sums_of_plates_are_the_formula) {
  const std::size_t n = 300;
  for (const std::size_t d : {1, 2, 3, 6}) {
    const std::vector<double> means = normal_points(n, d, 1), shapes = plates(n, d), weights(n, 1.0 / n);
    for (const bool pairs : {false, true}) {
      std::vector<double> sums(n);
      svgm::full_transform({means.data(), shapes.data(), weights.data(), n, static_cast<int>(d)}, means.data(),
                           pairs ? shapes.data() : nullptr, n, 30.0, 2, sums.data());
      for (std::size_t i = 0; i < n; i += 17) {
        double expected = 0.0;
        for (std::size_t j = 0; j < n; ++j) {
          double exponent = 0.0, root = 1.0;
          for (std::size_t k = 0; k < d; ++k) {
            const double variance = (pairs ? 2.0 : 1.0) * shapes[k * d + k], apart = means[i * d + k] - means[j * d + k];
            exponent += 0.5 * apart * apart / variance;
            root *= std::sqrt(variance);
          }
          expected += weights[j] / root * std::exp(-exponent);
        }
        CHECK(std::abs(sums[i] - expected) <= 1e-9 * expected);
      }
    }
  }
}

TEST(no_queries_of_full_gaussians_have_no_sums) {
  const std::vector<double> means = normal_points(40, 2, 1), shapes = plates(40, 2), weights(40, 1.0);
  svgm::full_transform({means.data(), shapes.data(), weights.data(), 40, 2}, nullptr, nullptr, 0, 20.0, 2, nullptr);
}
