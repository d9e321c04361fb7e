// Points that are far apart, few or none: nothing overflows, and memory stays within its bounds.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "box_tree.hpp"
#include "check.hpp"
#include "correlation.hpp"
#include "field.hpp"
#include "gauss_transform.hpp"
#include "morton_order.hpp"
#include "surface.hpp"
#include "surfels.hpp"
#include "svm.hpp"
#include "thin.hpp"

namespace {

template <class Error, class Function>
bool throws(const Function& function) {
  try {
    function();
  } catch (const Error&) {
    return true;
  }
  return false;
}

// Points on a sphere, and a few that stray.
std::vector<double> with_strays(std::size_t n, double far) {
  std::vector<double> points = normal_points(n, 3, 1);
  for (std::size_t i = 0; i < n; ++i) {
    const double length = std::hypot(points[i * 3], points[i * 3 + 1], points[i * 3 + 2]);
    for (std::size_t k = 0; k < 3; ++k) points[i * 3 + k] /= length;
  }
  for (std::size_t k = 0; k < 3; ++k) {
    points[k] = far;
    points[3 + k] = -far;
  }
  return points;
}

}  // namespace

TEST(surfels_of_a_set_with_strays_are_those_of_the_set) {
  const std::vector<double> near = with_strays(2000, 3.0);
  const svgm::Surfels expected = svgm::surfels(near.data(), 2000, 3, 0.2);
  CHECK(expected.means.size() > 300);
  for (const double far : {1e3, 1e6, 1e9, 1e15, 1e300, std::numeric_limits<double>::infinity()}) {
    const std::vector<double> points = with_strays(2000, far);
    const svgm::Surfels found = svgm::surfels(points.data(), 2000, 3, 0.2);
    CHECK(found.means == expected.means);
    CHECK(found.normals == expected.normals);
  }
  CHECK(svgm::surfels(nullptr, 0, 3, 0.2).means.empty());
}

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

TEST(splat_wraps_any_number) {
  const std::array<std::size_t, 3> sizes{8, 8, 8};
  for (const double far : {-1e-20, 7.999999999999999, 8.0, 1e9, -1e17, 1e300, std::numeric_limits<double>::quiet_NaN()}) {
    const std::vector<double> points(3, far), weights(1, 1.0);
    const std::vector<double> still{1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
    std::vector<float> grid(512);
    svgm::splat(points.data(), weights.data(), 1, 3, still.data(), 1, sizes.data(), 1, grid.data());
    float total = 0.0f;
    for (const float cell : grid) total += cell;
    CHECK(std::abs(total - 1.0f) < 1e-5f);
  }
}

TEST(thin_and_morton_order_take_any_number) {
  std::vector<double> points = with_strays(100, 1e300);
  points[10] = std::numeric_limits<double>::infinity();
  points[20] = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> weights(100, 1.0), centre(3, 0.0), axes{1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
  CHECK(svgm::morton_order(points.data(), 100, 3).size() == 100);
  for (const double cell : {1e-300, 1e-310, 1.0, 1e300})
    CHECK(!svgm::thin(points.data(), weights.data(), 100, 3, centre.data(), axes.data(), cell).weights.empty());
  CHECK(svgm::thin(points.data(), weights.data(), 0, 3, centre.data(), axes.data(), 1.0).weights.empty());
  CHECK(svgm::morton_order(nullptr, 0, 3).empty());
}

TEST(a_field_has_a_bounded_number_of_knots) {
  const std::vector<double> points = with_strays(100, 1e4);
  const svgm::BoxTree tree(points.data(), nullptr, 100, 3);
  CHECK(throws<std::length_error>([&] { svgm::Field<3>(tree, 1.0, 20.0); }));
}

TEST(no_queries_have_no_sums) {
  const std::vector<double> points = normal_points(6000, 2, 1);
  const svgm::BoxTree tree(points.data(), nullptr, 6000, 2);
  svgm::gauss_transform(tree, nullptr, 0, 1.0, 20.0, 0, 2, nullptr);
}

TEST(a_tree_of_many_dimensions_is_linear_in_them) {
  const std::size_t d = 2000, n = 40;
  const std::vector<double> points = normal_points(n, d, 1);
  const svgm::BoxTree tree(points.data(), nullptr, n, static_cast<int>(d));
  CHECK(tree.nearest(points.data() + 7 * d, -1.0).index == 7);
}

TEST(an_svm_whose_numbers_are_too_large_ends) {
  const std::vector<double> upper(50, 0.1), lower(50, 0.0);
  for (const double size : {1e15, 1e17, 1e18, 1e200, 1e308})
    for (const double gamma : {1.0, 1e200, std::numeric_limits<double>::infinity()}) {
      std::vector<double> points = normal_points(50, 2, 1);
      for (double& x : points) x = std::clamp(x, -1.0, 1.0) * size;
      const svgm::Svm svm = svgm::train_one_class({points.data(), 50, 2, gamma}, upper.data(), nullptr, {1e-3, 1e-4}, {});
      for (const double beta : svm.beta) CHECK(beta >= 0.0 && beta <= 0.1);
      std::vector<double> linear(50, 1.0);
      linear[0] = -1.0;
      CHECK(svgm::train_two_class({points.data(), 50, 2, gamma}, linear.data(), lower.data(), upper.data(), 1e-3, {})
                .beta.size() == 50);
    }
}
