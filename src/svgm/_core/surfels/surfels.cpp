#include "surfels/surfels.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>

#include "minimise/least_eigenvector.hpp"
#include "points/morton_order.hpp"
#include "runtime/interrupt.hpp"

namespace svgm {
namespace {

// 2^62: the keys of cells are numbers below this.
constexpr double kMostKeys = 4611686018427387904.0;

// The number of the cell that a coordinate lies in, clamped to +-2^50; NaN is clamped too.
std::int64_t number(double x, double cell) {
  constexpr double kFarthest = 1125899906842624.0;
  const double clamped = std::min(std::max(-kFarthest, x / cell + 0.5), kFarthest);
  const auto towards_zero = static_cast<std::int64_t>(clamped);  // without an instruction for it, floor is a call
  return towards_zero - (clamped < static_cast<double>(towards_zero) ? 1 : 0);
}

// Of the points of a cell: their count, the sums of their coordinates, and the upper triangle of the sums of products.
template <int D>
struct Moments {
  static constexpr int kProducts = D * (D + 1) / 2;
  double count = 0.0;
  std::array<double, D> sums{};
  std::array<double, kProducts> products{};

  void add(const Moments& other) {
    count += other.count;
    for (int k = 0; k < D; ++k) sums[k] += other.sums[k];
    for (int k = 0; k < kProducts; ++k) products[k] += other.products[k];
  }
};

// The occupied cells of a grid, in the order of their keys.
template <int D>
struct OccupiedCells {
  OccupiedCells(const double* points, const double* weights, std::size_t count, double cell);

  // Calls visit(n) for cell c and for each occupied cell n around it.  From call to call, c must not decrease.
  template <class Visit>
  void around(std::size_t c, const Visit& visit) {
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const std::int64_t least = keys[c] + rows[r] - 1;
      std::size_t& at = ahead[r];
      while (at < keys.size() && keys[at] < least) ++at;
      for (std::size_t n = at; n < keys.size() && keys[n] <= least + 2; ++n) visit(n);
    }
  }

  std::vector<std::int64_t> keys;
  std::vector<Moments<D>> cells;
  // Neighbours along the last axis follow each other, so the neighbours of a cell are 3 (in 2D) or 9 runs of three
  // keys. `rows` are the runs relative to a cell's key, `ahead` the place that each run has reached.
  std::vector<std::int64_t> rows;
  std::vector<std::size_t> ahead;
};

template <int D>
OccupiedCells<D>::OccupiedCells(const double* points, const double* weights, std::size_t count, double cell) {
  std::size_t turn = 0;
  std::array<double, D> low;
  low.fill(std::numeric_limits<double>::infinity());
  std::array<double, D> high;
  high.fill(-std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < count; ++i)
    for (int k = 0; k < D; ++k) {
      low[k] = std::min(low[k], points[i * D + k]);
      high[k] = std::max(high[k], points[i * D + k]);
    }
  // Cell 0 has its middle at the origin, so that the grid turns with a set given along its principal axes.
  std::array<std::int64_t, D> first, sizes;
  std::array<std::vector<std::int64_t>, D> occupied;  // filled only if there would be too many keys
  double product = 1.0;
  for (int k = 0; k < D; ++k) {
    first[k] = number(low[k], cell) - 1;
    sizes[k] = number(high[k], cell) - first[k] + 2;
    product *= static_cast<double>(sizes[k]);
  }
  // If there would be more keys than 2^62, numbers that no point has are skipped, except for one between occupied ones:
  // so neighbours stay neighbours, and the order of the cells stays.
  if (product > kMostKeys) {
    product = 1.0;
    for (std::size_t k = 0; k < D; ++k) {
      for (std::size_t i = 0; i < count; ++i) {
        check_interrupt(i);
        occupied[k].push_back(number(points[i * D + k], cell));
      }
      std::sort(occupied[k].begin(), occupied[k].end());
      occupied[k].erase(std::unique(occupied[k].begin(), occupied[k].end()), occupied[k].end());
      sizes[k] = 2 * static_cast<std::int64_t>(occupied[k].size()) + 2;
      product *= static_cast<double>(sizes[k]);
    }
    if (product > kMostKeys) throw std::length_error("points too far apart for cells this small");
  }
  std::array<std::vector<std::int64_t>, D> dense;  // the new numbers of the occupied ones
  for (std::size_t k = 0; k < D; ++k)
    for (std::size_t j = 0; j < occupied[k].size(); ++j)
      dense[k].push_back(j == 0 ? 1 : dense[k].back() + std::min<std::int64_t>(2, occupied[k][j] - occupied[k][j - 1]));
  std::vector<std::uint64_t> key_of(count);
  for (std::size_t i = 0; i < count; ++i) {
    check_interrupt(i);
    std::int64_t key = 0;
    for (std::size_t k = 0; k < D; ++k) {
      const std::int64_t at = number(points[i * D + k], cell);
      const auto place = std::lower_bound(occupied[k].begin(), occupied[k].end(), at) - occupied[k].begin();
      key = key * sizes[k] + (occupied[k].empty() ? at - first[k] : dense[k][static_cast<std::size_t>(place)]);
    }
    key_of[i] = static_cast<std::uint64_t>(key);
  }
  const std::vector<std::uint32_t> order = sorted_by_key(key_of);
  std::size_t different = 0;
  for (std::size_t s = 0; s < count; ++s) {
    check_interrupt(s);
    different += s == 0 || key_of[order[s]] != key_of[order[s - 1]] ? 1 : 0;
  }
  // Growing would copy hundreds of megabytes at once, in which no interrupt is heard.
  keys.reserve(different);
  cells.reserve(different);
  for (const std::size_t i : order) {
    check_interrupt(++turn);
    const auto key = static_cast<std::int64_t>(key_of[i]);
    if (keys.empty() || keys.back() != key) {
      keys.push_back(key);
      cells.emplace_back();
    }
    Moments<D>& moments = cells.back();
    const double weight = weights ? weights[i] : 1.0;
    moments.count += weight;
    for (int k = 0, at = 0; k < D; ++k) {
      const double weighted = weight * points[i * D + k];
      moments.sums[k] += weighted;
      for (int c = k; c < D; ++c) moments.products[at++] += weighted * points[i * D + c];
    }
  }
  for (std::int64_t x = -1; x <= 1; ++x) {
    if constexpr (D == 2) {
      rows.push_back(x * sizes[1]);
    } else {
      for (std::int64_t y = -1; y <= 1; ++y) rows.push_back((x * sizes[1] + y) * sizes[2]);
    }
  }
  ahead.assign(rows.size(), 0);
}

// The direction of least spread, or false for points on a line (in 3D) or in one place.
template <int D>
bool least_spread(const Moments<D>& moments, float (&normal)[D]) {
  if (moments.count < D) return false;
  double covariance[D * D];
  for (int k = 0, at = 0; k < D; ++k)
    for (int b = k; b < D; ++b, ++at)
      covariance[k * D + b] = covariance[b * D + k] =
          moments.products[at] / moments.count - moments.sums[k] * moments.sums[b] / (moments.count * moments.count);
  if constexpr (D == 3) {
    double values[3], vector[3];
    if (least_eigenvector(covariance, values, vector)) {
      for (int k = 0; k < D; ++k) normal[k] = static_cast<float>(vector[k]);
      return values[1] > 1e-3 * values[2];
    }
  }
  const SymmetricEigen eigen = symmetric_eigen(covariance, D);
  if (D == 3 ? !(eigen.values[1] > 1e-3 * eigen.values[2]) : !(eigen.values[1] > 0.0)) return false;
  for (int k = 0; k < D; ++k) normal[k] = static_cast<float>(eigen.vectors[0][k]);
  return true;
}

template <int D>
Surfels surfels_in(const double* points, const double* weights, std::size_t count, double cell) {
  OccupiedCells<D> grid(points, weights, count, cell);
  Surfels found;
  for (std::size_t c = 0; c < grid.keys.size(); ++c) {
    check_interrupt();
    Moments<D> around;
    grid.around(c, [&](std::size_t n) { around.add(grid.cells[n]); });
    float normal[D];
    if (!least_spread<D>(around, normal)) continue;
    for (int k = 0; k < D; ++k)
      found.means.push_back(static_cast<float>(grid.cells[c].sums[k] / grid.cells[c].count));
    found.normals.insert(found.normals.end(), normal, normal + D);
  }
  return found;
}

// The same without sorting, in a table of bits, one for each cell of the box around the points.  Negative if that would
// be too large.
template <int D>
double neighbours_in_table(const double* points, std::size_t count, double cell) {
  constexpr double kMostBits = 1 << 26;
  std::int64_t first[D], sizes[D];
  double product = 1.0;
  for (int k = 0; k < D; ++k) {
    double low = points[k], high = points[k];
    for (std::size_t i = 1; i < count; ++i) {
      low = std::min(low, points[i * D + static_cast<std::size_t>(k)]);
      high = std::max(high, points[i * D + static_cast<std::size_t>(k)]);
    }
    first[k] = number(low, cell) - 1;
    sizes[k] = number(high, cell) - first[k] + 2;
    product *= static_cast<double>(sizes[k]);
    if (!(product <= kMostBits)) return -1.0;
  }
  std::vector<std::uint64_t> bits(static_cast<std::size_t>(product) / 64 + 1);
  std::vector<std::uint32_t> occupied;
  for (std::size_t i = 0; i < count; ++i) {
    check_interrupt(i);
    std::int64_t key = 0;
    for (int k = 0; k < D; ++k) {
      const std::int64_t place = number(points[i * D + static_cast<std::size_t>(k)], cell) - first[k];
      // Inside even if another thread of Python changes the points meanwhile.
      key = key * sizes[k] + std::clamp<std::int64_t>(place, 1, sizes[k] - 2);
    }
    const auto at = static_cast<std::uint32_t>(key);
    const std::uint64_t bit = std::uint64_t{1} << (at % 64);
    if (bits[at / 64] & bit) continue;
    bits[at / 64] |= bit;
    occupied.push_back(at);
  }
  std::vector<std::int64_t> around;
  for (std::int64_t x = -1; x <= 1; ++x)
    for (std::int64_t y = -1; y <= 1; ++y)
      for (std::int64_t z = D == 2 ? 0 : -1; z <= (D == 2 ? 0 : 1); ++z) {
        const std::int64_t offset = D == 2 ? x * sizes[1] + y : (x * sizes[1] + y) * sizes[D - 1] + z;
        if (offset != 0) around.push_back(offset);
      }
  std::uint64_t neighbours = 0;
  for (std::size_t c = 0; c < occupied.size(); ++c) {
    check_interrupt(c);
    for (const std::int64_t offset : around) {
      const auto at = static_cast<std::size_t>(static_cast<std::int64_t>(occupied[c]) + offset);
      neighbours += bits[at / 64] >> (at % 64) & 1u;
    }
  }
  return static_cast<double>(neighbours) / static_cast<double>(occupied.size());
}

template <int D>
double occupied_neighbours_in(const double* points, std::size_t count, double cell) {
  if (const double found = neighbours_in_table<D>(points, count, cell); found >= 0.0) return found;
  OccupiedCells<D> grid(points, nullptr, count, cell);
  double neighbours = 0.0;
  for (std::size_t c = 0; c < grid.keys.size(); ++c) {
    check_interrupt();
    grid.around(c, [&](std::size_t n) { neighbours += n == c ? 0.0 : 1.0; });
  }
  return neighbours / static_cast<double>(grid.keys.size());
}

}  // namespace

Surfels surfels(const double* points, const double* weights, std::size_t count, int dimension, double cell) {
  if (count == 0) return {};
  return dimension == 2 ? surfels_in<2>(points, weights, count, cell) : surfels_in<3>(points, weights, count, cell);
}

double occupied_neighbours(const double* points, std::size_t count, int dimension, double cell) {
  return dimension == 2 ? occupied_neighbours_in<2>(points, count, cell)
                        : occupied_neighbours_in<3>(points, count, cell);
}

}  // namespace svgm
