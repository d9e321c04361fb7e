// The table of nearest surfels: its size is bounded, and numbers that are not finite are refused.
#include <cmath>
#include <limits>
#include <stdexcept>

#include "check.hpp"
#include "surfels/surface_table.hpp"

TEST(a_surface_table_keeps_its_bound) {
  for (const float far : {10.0f, 1e6f, 1e18f}) {
    const std::vector<float> means{0.0f, 0.0f, 0.0f, far, far, far}, normals{1.0f, 0.0f, 0.0f, 1.0f, 0.0f, 0.0f};
    const svgm::SurfaceTable table(means.data(), normals.data(), 2, 3, 1e-3, 0.1);
    const float place[3] = {far, far, far};
    CHECK(table.nearest<3>(place) == 1);
  }
  const std::vector<float> bad{0.0f, std::numeric_limits<float>::quiet_NaN(), 0.0f};
  CHECK(throws<std::invalid_argument>([&] { svgm::SurfaceTable(bad.data(), bad.data(), 1, 3, 0.1, 0.1); }));
  CHECK(throws<std::invalid_argument>([&] { svgm::SurfaceTable(bad.data(), bad.data(), 1, 2, 0.1, INFINITY); }));
}
