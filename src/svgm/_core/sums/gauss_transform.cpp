#include "sums/gauss_transform.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "points/morton_order.hpp"
#include "runtime/parallel.hpp"

namespace svgm {
namespace {

constexpr std::size_t kLarge = 5000;  // from here on, coordinates no longer fit into the first-level cache

// sums += (e, e d, upper triangle of e d dᵀ) in any dimension; 2 and 3 have loops of their own.
void moments(const double* q, const BoxTree& tree, double rate, const std::vector<Run>& runs,
             std::vector<double>& apart, double* sums) {
  const std::size_t d = apart.size();
  for (const Run& run : runs)
    for (std::size_t j = run.begin; j < run.end; ++j) {
      check_interrupt(j);
      double squared = 0.0;
      for (std::size_t k = 0; k < d; ++k) {
        apart[k] = q[k] - tree.coordinates()[k][j];
        squared += apart[k] * apart[k];
      }
      const double e = tree.weights()[j] * std::exp(-rate * squared);
      *sums += e;
      double* product = sums + 1 + d;
      for (std::size_t k = 0; k < d; ++k) {
        const double ed = e * apart[k];
        sums[1 + k] += ed;
        for (std::size_t c = k; c < d; ++c) *product++ += ed * apart[c];
      }
    }
}

// The rows listed in `turn`.
void transform_rows(const BoxTree& tree, const double* queries, const std::uint32_t* turn, std::size_t count,
                    double rate, double radius, int order, double* sums) {
  const Sums<double>& loop = pair_loop().in_double;
  const int d = tree.dimension();
  const std::size_t stride = order == 0 ? 1 : static_cast<std::size_t>(1 + d + d * (d + 1) / 2);
  std::vector<Run> runs;
  std::vector<double> apart(static_cast<std::size_t>(d));
  for (const std::uint32_t* at = turn; at != turn + count; ++at) {
    check_interrupt();
    const std::size_t i = *at;
    const double* q = queries + i * static_cast<std::size_t>(d);
    double* row = sums + i * stride;
    std::fill(row, row + stride, 0.0);
    tree.near(q, radius, runs);
    if (order == 0)
      loop.value(q, tree.coordinates(), d, tree.weights(), rate, runs.data(), runs.size(), row);
    else if (d == 2)
      loop.moments_2d(q, tree.coordinates(), tree.weights(), rate, runs.data(), runs.size(), row);
    else if (d == 3)
      loop.moments_3d(q, tree.coordinates(), tree.weights(), rate, runs.data(), runs.size(), row);
    else
      moments(q, tree, rate, runs, apart, row);
  }
}

}  // namespace

void gauss_transform(const BoxTree& tree, const double* queries, std::size_t m, double rate, double cutoff, int order,
                     unsigned threads, double* sums) {
  const double radius = std::sqrt(cutoff / rate);
  // If neighbours follow each other, their part of a large tree is still in the cache.  Rows do not depend on their
  // order.
  std::vector<std::uint32_t> turn(m);
  if (tree.size() > kLarge)
    turn = morton_order(queries, m, static_cast<std::size_t>(tree.dimension()));
  else
    std::iota(turn.begin(), turn.end(), 0u);
  // Waking a thread takes a few microseconds, as long as some thousand pairs.  So each thread gets at least 100,000
  // pairs.
  constexpr std::size_t kRowsPerTask = 32;
  const std::size_t worthwhile = 1 + m * tree.size() / 100000;
  const std::size_t tasks = (m + kRowsPerTask - 1) / kRowsPerTask;
  parallel_for(tasks, std::min<std::size_t>(threads, worthwhile), [&](std::size_t task) {
    const std::size_t first = task * kRowsPerTask;
    transform_rows(tree, queries, turn.data() + first, std::min(kRowsPerTask, m - first), rate, radius, order, sums);
  });
}

}  // namespace svgm
