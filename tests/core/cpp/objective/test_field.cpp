// The spline of a sum of Gaussians.
#include <stdexcept>

#include "check.hpp"
#include "objective/field.hpp"

TEST(a_field_has_a_bounded_number_of_knots) {
  const std::vector<double> points = sphere_with_outliers(100, 1e4);
  const svgm::BoxTree tree(points.data(), nullptr, 100, 3);
  CHECK(throws<std::length_error>([&] { svgm::Field<3>(tree, 1.0, 20.0); }));
}
