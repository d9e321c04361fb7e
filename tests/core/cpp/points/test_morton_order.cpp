// The order along a Morton curve, and the sort by keys.
#include <algorithm>
#include <limits>

#include "check.hpp"
#include "points/morton_order.hpp"

TEST(keys_sort_as_a_stable_sort_does) {
  std::mt19937_64 generator(3);
  for (const std::uint64_t most : {std::uint64_t{3}, std::uint64_t{1000}, ~std::uint64_t{0}}) {
    std::vector<std::uint64_t> keys(3000);
    for (std::uint64_t& key : keys) key = generator() % most;
    std::vector<std::uint32_t> expected(keys.size());
    for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = static_cast<std::uint32_t>(i);
    std::stable_sort(expected.begin(), expected.end(), [&](auto a, auto b) { return keys[a] < keys[b]; });
    CHECK(svgm::sorted_by_key(keys) == expected);
  }
  CHECK(svgm::sorted_by_key({}).empty());
}

TEST(morton_keys_interleave_bits) {
  for (const std::size_t d : {1u, 2u, 3u, 6u}) {
    const int bits = static_cast<int>(std::min<std::size_t>(21, 63 / d));
    std::mt19937_64 generator(d);
    std::vector<std::uint64_t> cell(d);
    for (std::uint64_t& c : cell) c = generator() % (std::uint64_t{1} << bits);
    const std::uint64_t key = svgm::morton_key(cell.data(), d, bits);
    for (int bit = 0; bit < bits; ++bit)
      for (std::size_t k = 0; k < d; ++k)
        CHECK((key >> (static_cast<std::size_t>(bit) * d + (d - 1 - k)) & 1u) == (cell[k] >> bit & 1u));
  }
}

TEST(morton_order_is_a_permutation_for_any_numbers) {
  for (const double size : {0.0, 1e-300, 1.0, 1e300, 1.7e308})
    for (const std::size_t d : {1u, 3u, 80u}) {
      std::vector<double> points = normal_points(200, d, 4);
      for (double& x : points) x = std::clamp(x / 5.0, -1.0, 1.0) * size;
      std::vector<std::uint32_t> order = svgm::morton_order(points.data(), 200, d);
      std::sort(order.begin(), order.end());
      for (std::uint32_t i = 0; i < 200; ++i) CHECK(order[i] == i);
    }
}

TEST(morton_order_takes_numbers_that_are_not_finite) {
  std::vector<double> points = sphere_with_outliers(100, 1e300);
  points[10] = std::numeric_limits<double>::infinity();
  points[20] = std::numeric_limits<double>::quiet_NaN();
  CHECK(svgm::morton_order(points.data(), 100, 3).size() == 100);
  CHECK(svgm::morton_order(nullptr, 0, 3).empty());
}
