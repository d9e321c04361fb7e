#include "thin.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>

namespace svgm {
namespace {

// Cell numbers beyond +-2^50 lose the last digit of their doubles anyway.
constexpr double kFarthest = 1125899906842624.0;

std::int64_t nearest_integer(double x) {
  // Adding 1.5 * 2^52 rounds to the nearest integer, ties to even, and leaves it in the low bits.
  constexpr double kMagic = 6755399441055744.0;
  const double shifted = std::clamp(x, -kFarthest, kFarthest) + kMagic;
  return std::bit_cast<std::int64_t>(shifted) - std::bit_cast<std::int64_t>(kMagic);
}

std::uint64_t mixed(std::uint64_t key) {
  key ^= key >> 32;
  key *= 0x9E3779B97F4A7C15u;
  return key ^ (key >> 29);
}

// Numbers the cells as they appear; a cell is `dimension` integers.
class Cells {
 public:
  explicit Cells(std::size_t dimension) : d_(dimension), slots_(1024, kEmpty) {}

  std::size_t count() const { return numbers_.size() / d_; }
  const std::int64_t* operator[](std::size_t index) const { return numbers_.data() + index * d_; }

  std::size_t index(const std::int64_t* cell) {
    std::size_t slot = first_slot(cell);
    for (; slots_[slot] != kEmpty; slot = (slot + 1) & (slots_.size() - 1))
      if (std::equal(cell, cell + d_, (*this)[slots_[slot]])) return slots_[slot];
    slots_[slot] = static_cast<std::uint32_t>(count());
    numbers_.insert(numbers_.end(), cell, cell + d_);
    if (2 * count() > slots_.size()) grow();
    return count() - 1;
  }

 private:
  static constexpr std::uint32_t kEmpty = 0xFFFFFFFFu;

  std::size_t first_slot(const std::int64_t* cell) const {
    std::uint64_t hash = 0;
    for (std::size_t k = 0; k < d_; ++k) hash = mixed(hash + static_cast<std::uint64_t>(cell[k]));
    return hash & (slots_.size() - 1);
  }

  void grow() {
    slots_.assign(2 * slots_.size(), kEmpty);
    for (std::size_t i = 0; i < count(); ++i) {
      std::size_t slot = first_slot((*this)[i]);
      while (slots_[slot] != kEmpty) slot = (slot + 1) & (slots_.size() - 1);
      slots_[slot] = static_cast<std::uint32_t>(i);
    }
  }

  std::size_t d_;
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

}  // namespace

Thinned thin(const double* points, const double* weights, std::size_t n, std::size_t dimension, const double* centre,
             const double* axes, double cell) {
  const std::size_t d = dimension;
  const double cells_per_length = 1.0 / cell;
  Cells cells(d);
  std::vector<double> sums, mass;
  std::vector<double> offset(d);
  std::vector<std::int64_t> number(d);
  for (std::size_t i = 0; i < n; ++i) {
    if (weights[i] == 0.0) continue;
    for (std::size_t k = 0; k < d; ++k) offset[k] = points[i * d + k] - centre[k];
    for (std::size_t k = 0; k < d; ++k) {
      double along = 0.0;
      for (std::size_t l = 0; l < d; ++l) along += offset[l] * axes[l * d + k];
      number[k] = nearest_integer(along * cells_per_length);
    }
    const std::size_t at = cells.index(number.data());
    if (at == mass.size()) {
      mass.push_back(0.0);
      sums.resize(sums.size() + d, 0.0);
    }
    mass[at] += weights[i];
    for (std::size_t k = 0; k < d; ++k) sums[at * d + k] += weights[i] * offset[k];
  }

  std::vector<std::size_t> order(mass.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return before(cells[a], cells[b], d); });
  Thinned result;
  result.points.reserve(sums.size());
  result.weights.reserve(mass.size());
  for (const std::size_t at : order) {
    result.weights.push_back(mass[at]);
    for (std::size_t k = 0; k < d; ++k) result.points.push_back(sums[at * d + k] / mass[at] + centre[k]);
  }
  return result;
}

}  // namespace svgm
