#include "points/thinning.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "points/morton_order.hpp"
#include "runtime/interrupt.hpp"

namespace svgm {
namespace {

// Cell numbers are clamped to +-2^50: beyond that, a double does not tell neighbouring cells apart.
constexpr double kFarthest = 1125899906842624.0;

std::int64_t nearest_integer(double x) {
  // Adding 1.5 * 2^52 rounds to the nearest integer, ties to even, and leaves it in the low bits.
  constexpr double kMagic = 6755399441055744.0;
  // In this order of arguments, NaN is clamped too.
  const double shifted = std::min(std::max(-kFarthest, x), kFarthest) + kMagic;
  return std::bit_cast<std::int64_t>(shifted) - std::bit_cast<std::int64_t>(kMagic);
}

// A hash table that numbers the cells in the order of their first point.  D as in `thin_of`.
template <std::size_t D>
class Cells {
 public:
  Cells(std::size_t dimension, std::size_t points)
      : d_(dimension), slots_(std::clamp<std::size_t>(std::bit_ceil(2 * points), 16, 1u << 16), kEmpty) {}

  std::size_t count() const { return count_; }
  const std::int64_t* operator[](std::size_t index) const { return numbers_.data() + index * dimension(); }

  std::size_t index(const std::int64_t* cell) {
    // Scanners record along lines, so the point before is often in the same cell.
    if (count_ > 0 && same(cell, last_)) return last_;
    std::size_t slot = first_slot(cell);
    for (; slots_[slot] != kEmpty; slot = (slot + 1) & (slots_.size() - 1))
      if (same(cell, slots_[slot])) return last_ = slots_[slot];
    last_ = slots_[slot] = static_cast<std::uint32_t>(count_++);
    numbers_.insert(numbers_.end(), cell, cell + dimension());
    if (2 * count_ > slots_.size()) grow();
    return last_;
  }

 private:
  static constexpr std::uint32_t kEmpty = 0xFFFFFFFFu;

  std::size_t dimension() const { return D ? D : d_; }

  bool same(const std::int64_t* cell, std::size_t index) const {
    const std::int64_t* other = (*this)[index];
    for (std::size_t k = 0; k < dimension(); ++k)
      if (cell[k] != other[k]) return false;
    return true;
  }

  std::size_t first_slot(const std::int64_t* cell) const {
    std::uint64_t hash = 0;
    for (std::size_t k = 0; k < dimension(); ++k)
      hash = (hash + static_cast<std::uint64_t>(cell[k])) * 0x9E3779B97F4A7C15u;
    return (hash ^ hash >> 32) & (slots_.size() - 1);
  }

  void grow() {
    slots_.assign(4 * slots_.size(), kEmpty);
    for (std::size_t i = 0; i < count_; ++i) {
      check_interrupt(i);
      std::size_t slot = first_slot((*this)[i]);
      while (slots_[slot] != kEmpty) slot = (slot + 1) & (slots_.size() - 1);
      slots_[slot] = static_cast<std::uint32_t>(i);
    }
  }

  std::size_t d_, count_ = 0, last_ = 0;
  std::vector<std::int64_t> numbers_;
  std::vector<std::uint32_t> slots_;  // a power of two of them, at most half full
};

// Whether a lies before b on the Morton curve: the axis whose numbers differ in the highest bit decides.
bool before(const std::int64_t* a, const std::int64_t* b, std::size_t d) {
  std::size_t axis = 0;
  std::uint64_t highest = 0;
  for (std::size_t k = 0; k < d; ++k) {
    const std::uint64_t differ = static_cast<std::uint64_t>(a[k]) ^ static_cast<std::uint64_t>(b[k]);
    if (highest < differ && highest < (highest ^ differ)) {
      axis = k;
      highest = differ;
    }
  }
  return a[axis] < b[axis];
}

// Indices of cells along a Morton curve.
template <std::size_t D>
std::vector<std::uint32_t> along_curve(const Cells<D>& cells, std::size_t d) {
  if (cells.count() == 0) return {};
  std::vector<std::int64_t> low(d, std::numeric_limits<std::int64_t>::max()), high(d, -low[0]);
  for (std::size_t i = 0; i < cells.count(); ++i)
    for (std::size_t k = 0; k < d; ++k) {
      low[k] = std::min(low[k], cells[i][k]);
      high[k] = std::max(high[k], cells[i][k]);
    }
  std::uint64_t extent = 0;
  for (std::size_t k = 0; k < d; ++k) extent = std::max(extent, static_cast<std::uint64_t>(high[k] - low[k]));
  const int bits = static_cast<int>(std::bit_width(extent));
  if (static_cast<std::size_t>(bits) * d <= 63) {
    std::vector<std::uint64_t> keys(cells.count()), shifted(d);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      check_interrupt(i);
      for (std::size_t k = 0; k < d; ++k) shifted[k] = static_cast<std::uint64_t>(cells[i][k] - low[k]);
      keys[i] = morton_key(shifted.data(), d, bits);
    }
    return sorted_by_key(std::move(keys));
  }
  // The cells are too far apart for keys of 64 bits.
  std::vector<std::uint32_t> order(cells.count());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    check_interrupt();
    return before(cells[a], cells[b], d);
  });
  return order;
}

// D is the dimension if it is 2 or 3, so that the compiler knows it, and 0 for any other.
template <std::size_t D>
Thinned thin_of(const double* points, const double* weights, std::size_t n, std::size_t dimension,
                const double* centre, const double* axes, double cell) {
  if (n >= std::numeric_limits<std::uint32_t>::max()) throw std::length_error("at most 2^32 - 2 points");
  const std::size_t d = D ? D : dimension;
  const double cells_per_length = 1.0 / cell;
  Cells<D> cells(d, n);
  std::vector<double> sums;  // per cell: the weight, then the weighted offsets
  double few_offsets[D ? D : 1];
  std::int64_t few_numbers[D ? D : 1];
  std::vector<double> many_offsets(D ? 0 : d);
  std::vector<std::int64_t> many_numbers(D ? 0 : d);
  double* offset = D ? few_offsets : many_offsets.data();
  std::int64_t* number = D ? few_numbers : many_numbers.data();
  for (std::size_t i = 0; i < n; ++i) {
    if (i % 64 == 0) check_interrupt();
    if (weights[i] == 0.0) continue;
    for (std::size_t k = 0; k < d; ++k) offset[k] = points[i * d + k] - centre[k];
    for (std::size_t k = 0; k < d; ++k) {
      double along = 0.0;
      for (std::size_t l = 0; l < d; ++l) along += offset[l] * axes[l * d + k];
      number[k] = nearest_integer(along * cells_per_length);
    }
    const std::size_t at = cells.index(number) * (d + 1);
    if (at == sums.size()) sums.resize(sums.size() + d + 1, 0.0);
    sums[at] += weights[i];
    for (std::size_t k = 0; k < d; ++k) sums[at + 1 + k] += weights[i] * offset[k];
  }
  Thinned result;
  result.points.reserve(cells.count() * d);
  result.weights.reserve(cells.count());
  for (const std::uint32_t index : along_curve(cells, d)) {
    check_interrupt(result.weights.size());
    const double* sum = sums.data() + index * (d + 1);
    result.weights.push_back(sum[0]);
    for (std::size_t k = 0; k < d; ++k) result.points.push_back(sum[1 + k] / sum[0] + centre[k]);
  }
  return result;
}

}  // namespace

Thinned thin(const double* points, const double* weights, std::size_t n, std::size_t dimension, const double* centre,
             const double* axes, double cell) {
  const auto of = dimension == 3 ? thin_of<3> : dimension == 2 ? thin_of<2> : thin_of<0>;
  return of(points, weights, n, dimension, centre, axes, cell);
}

}  // namespace svgm
