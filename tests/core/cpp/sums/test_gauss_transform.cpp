// Gauss transforms.
#include "check.hpp"
#include "sums/gauss_transform.hpp"

TEST(no_queries_have_no_sums) {
  const std::vector<double> points = normal_points(6000, 2, 1);
  const svgm::BoxTree tree(points.data(), nullptr, 6000, 2);
  svgm::gauss_transform(tree, nullptr, 0, 1.0, 20.0, 0, 2, nullptr);
}
