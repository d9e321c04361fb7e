// The bound of a quadratic over a ball times a box: no point of the set exceeds it, and it is not far above the
// largest.
#include <algorithm>
#include <cmath>

#include "check.hpp"
#include "search/quadratic_bound.hpp"

TEST(no_point_exceeds_the_quadratic_bound) {
  constexpr std::size_t kBall = 3, kAll = 6, kPoints = 5000;
  using Bound = svgm::QuadraticBound<kBall, kAll>;
  for (unsigned seed = 0; seed < 20; ++seed) {
    const std::vector<double> random = normal_points(kAll, kAll + 1, seed), places = normal_points(kPoints, kAll, 99);
    Bound::Vector b;
    Bound::Square H;
    for (std::size_t i = 0; i < kAll; ++i) {
      b[i] = 3.0 * random[kAll * kAll + i];
      for (std::size_t j = 0; j < kAll; ++j) H[i][j] = random[i * kAll + j] + random[j * kAll + i];
    }
    double largest = 0.0;  // that of z = 0
    for (std::size_t p = 0; p < kPoints; ++p) {
      double z[kAll], squared = 0.0, value = 0.0;
      for (std::size_t i = 0; i < kBall; ++i) squared += places[p * kAll + i] * places[p * kAll + i];
      for (std::size_t i = 0; i < kAll; ++i)
        z[i] = i < kBall ? places[p * kAll + i] / std::sqrt(squared) : std::clamp(places[p * kAll + i], -1.0, 1.0);
      for (std::size_t i = 0; i < kAll; ++i) {
        value += b[i] * z[i];
        for (std::size_t j = 0; j < kAll; ++j) value += 0.5 * z[i] * H[i][j] * z[j];
      }
      largest = std::max(largest, value);
    }
    const double bound = Bound(b, H).largest();
    CHECK(bound >= largest);
    CHECK(bound < 2.0 * largest);
  }
}
