// Thinning against a map of cells.
#include <cmath>
#include <limits>
#include <map>

#include "check.hpp"
#include "points/thinning.hpp"

TEST(thinning_keeps_weight_and_mean_of_every_cell) {
  for (const std::size_t d : {2u, 3u, 4u})
    for (const double cell : {1e-12, 0.3, 50.0}) {
      const std::size_t n = 2000;
      const std::vector<double> points = normal_points(n, d, 8), centre(d, 0.1);
      std::vector<double> weights(n, 1.5), axes(d * d, 0.0);
      weights[7] = 0.0;
      for (std::size_t k = 0; k < d; ++k) axes[k * d + k] = 1.0;
      std::map<std::vector<long long>, double> expected;
      for (std::size_t i = 0; i < n; ++i) {
        std::vector<long long> number(d);
        for (std::size_t k = 0; k < d; ++k) number[k] = std::llrint((points[i * d + k] - centre[k]) / cell);
        if (weights[i] > 0.0) expected[number] += weights[i];
      }
      const svgm::Thinned thinned = svgm::thin(points.data(), weights.data(), n, d, centre.data(), axes.data(), cell);
      CHECK(thinned.weights.size() == expected.size());
      double total = 0.0, mean = 0.0, mean_before = 0.0;
      for (std::size_t i = 0; i < thinned.weights.size(); ++i) {
        total += thinned.weights[i];
        mean += thinned.weights[i] * thinned.points[i * d];
      }
      for (std::size_t i = 0; i < n; ++i) mean_before += weights[i] * points[i * d];
      CHECK(std::abs(total - 1.5 * (n - 1)) < 1e-9);
      CHECK(std::abs(mean - mean_before) < 1e-9);
    }
}

TEST(thinning_takes_numbers_that_are_not_finite) {
  std::vector<double> points = sphere_with_outliers(100, 1e300);
  points[10] = std::numeric_limits<double>::infinity();
  points[20] = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> weights(100, 1.0), centre(3, 0.0), axes{1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
  for (const double cell : {1e-300, 1e-310, 1.0, 1e300})
    CHECK(!svgm::thin(points.data(), weights.data(), 100, 3, centre.data(), axes.data(), cell).weights.empty());
  CHECK(svgm::thin(points.data(), weights.data(), 0, 3, centre.data(), axes.data(), 1.0).weights.empty());
}
