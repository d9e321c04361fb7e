// Surfels of sets with far outliers, and of no points.
#include <limits>

#include "check.hpp"
#include "surfels/surfels.hpp"

TEST(surfels_do_not_change_with_outliers) {
  const std::vector<double> near = sphere_with_outliers(2000, 3.0);
  const svgm::Surfels expected = svgm::surfels(near.data(), nullptr, 2000, 3, 0.2);
  CHECK(expected.means.size() > 300);
  for (const double far : {1e3, 1e6, 1e9, 1e15, 1e300, std::numeric_limits<double>::infinity()}) {
    const std::vector<double> points = sphere_with_outliers(2000, far);
    const svgm::Surfels found = svgm::surfels(points.data(), nullptr, 2000, 3, 0.2);
    CHECK(found.means == expected.means);
    CHECK(found.normals == expected.normals);
  }
  CHECK(svgm::surfels(nullptr, nullptr, 0, 3, 0.2).means.empty());
}
