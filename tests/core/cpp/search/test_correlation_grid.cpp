// Points on a periodic grid, wherever they lie.
#include <array>
#include <cmath>
#include <limits>

#include "check.hpp"
#include "search/correlation_grid.hpp"

TEST(splat_wraps_any_number) {
  const std::array<std::size_t, 3> sizes{8, 8, 8};
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  for (const double far : {-1e-20, 7.999999999999999, 8.0, 1e9, -1e17, 1e300, kNan}) {
    const std::vector<double> points(3, far), weights(1, 1.0);
    const std::vector<double> still{1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
    std::vector<float> grid(512);
    svgm::splat(points.data(), weights.data(), 1, 3, still.data(), 1, sizes.data(), 1, grid.data());
    float total = 0.0f;
    for (const float cell : grid) total += cell;
    CHECK(std::abs(total - 1.0f) < 1e-5f);
  }
}
