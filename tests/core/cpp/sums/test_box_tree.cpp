// The box tree against a look at every point.
#include <algorithm>
#include <cmath>
#include <limits>

#include "check.hpp"
#include "sums/box_tree.hpp"

namespace {

double distance(const double* a, const double* b, std::size_t d) {
  double squared = 0.0;
  for (std::size_t k = 0; k < d; ++k) squared += (a[k] - b[k]) * (a[k] - b[k]);
  return std::sqrt(squared);
}

}  // namespace

TEST(box_tree_finds_all_near_points_and_the_nearest) {
  for (const std::size_t d : {1u, 2u, 3u, 7u})
    for (const std::size_t n : {1u, 15u, 16u, 17u, 500u}) {
      std::vector<double> points = normal_points(n, d, static_cast<unsigned>(n));
      if (n > 100) std::copy_n(points.begin(), 50 * d, points.begin() + static_cast<std::ptrdiff_t>(50 * d));  // twice
      const svgm::BoxTree tree(points.data(), nullptr, n, static_cast<int>(d));
      std::vector<std::size_t> order(tree.order().begin(), tree.order().begin() + static_cast<std::ptrdiff_t>(n));
      std::sort(order.begin(), order.end());
      for (std::size_t i = 0; i < n; ++i) CHECK(order[i] == i);
      const std::vector<double> queries = normal_points(20, d, 99);
      for (std::size_t q = 0; q < 20; ++q) {
        const double* query = queries.data() + q * d;
        double least = std::numeric_limits<double>::infinity(), next = least;
        for (std::size_t i = 0; i < n; ++i) least = std::min(least, distance(query, points.data() + i * d, d));
        const double excluded = least * (1.0 + 1e-9);
        for (std::size_t i = 0; i < n; ++i) {
          const double apart = distance(query, points.data() + i * d, d);
          if (apart > excluded) next = std::min(next, apart);
        }
        const svgm::BoxTree::Nearest found = tree.nearest(query, -1.0), beyond = tree.nearest(query, excluded);
        CHECK(std::abs(found.distance - least) <= 1e-12);
        CHECK(std::abs(distance(query, points.data() + found.index * d, d) - least) <= 1e-12);
        CHECK(beyond.distance == next || std::abs(beyond.distance - next) <= 1e-12);
        CHECK(std::isfinite(next) || beyond.index == n);

        std::vector<svgm::Run> runs;
        tree.near(query, 0.7, runs);
        for (std::size_t s = 0; s < n; ++s) {
          if (distance(query, points.data() + tree.order()[s] * d, d) > 0.7) continue;
          CHECK(std::any_of(runs.begin(), runs.end(),
                            [&](const svgm::Run& run) { return run.begin <= s && s < run.end; }));
        }
        for (std::size_t r = 1; r < runs.size(); ++r) CHECK(runs[r - 1].end < runs[r].begin);
      }
    }
}

TEST(box_tree_pads_with_weight_zero) {
  const std::vector<double> points = normal_points(21, 3, 1), weights(21, 2.0);
  const svgm::BoxTree tree(points.data(), weights.data(), 21, 3);
  CHECK(tree.padded_size() == 32);
  for (std::size_t s = 0; s < 32; ++s) CHECK(tree.weights()[s] == (s < 21 ? 2.0 : 0.0));
}

TEST(a_tree_of_many_dimensions_is_linear_in_them) {
  const std::size_t d = 2000, n = 40;
  const std::vector<double> points = normal_points(n, d, 1);
  const svgm::BoxTree tree(points.data(), nullptr, n, static_cast<int>(d));
  CHECK(tree.nearest(points.data() + 7 * d, -1.0).index == 7);
}
