#include "points/morton_order.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "runtime/interrupt.hpp"

namespace svgm {
namespace {

// Spreads 21 bits to every third place.
std::uint64_t every_third(std::uint64_t x) {
  x = (x | x << 32) & 0x001F00000000FFFFu;
  x = (x | x << 16) & 0x001F0000FF0000FFu;
  x = (x | x << 8) & 0x100F00F00F00F00Fu;
  x = (x | x << 4) & 0x10C30C30C30C30C3u;
  x = (x | x << 2) & 0x1249249249249249u;
  return x;
}

}  // namespace

std::uint64_t morton_key(const std::uint64_t* cell, std::size_t dimension, int bits) {
  if (dimension == 3 && bits <= 21) return every_third(cell[0]) << 2 | every_third(cell[1]) << 1 | every_third(cell[2]);
  std::uint64_t key = 0;
  for (int bit = bits - 1; bit >= 0; --bit)
    for (std::size_t k = 0; k < dimension; ++k) key = key << 1 | (cell[k] >> bit & 1u);
  return key;
}

std::vector<std::uint32_t> sorted_by_key(std::vector<std::uint64_t> keys) {
  const std::size_t n = keys.size();
  if (n > std::numeric_limits<std::uint32_t>::max()) throw std::length_error("at most 2^32 - 1 points");
  std::vector<std::uint32_t> order(n), next_order(n);
  std::iota(order.begin(), order.end(), 0u);
  std::uint64_t varying = 0;
  for (const std::uint64_t key : keys) varying |= key ^ keys[0];
  std::vector<std::uint64_t> next_keys(n);
  constexpr int kDigit = 8;
  for (int shift = 0; shift < 64; shift += kDigit) {
    if ((varying >> shift & ((1u << kDigit) - 1u)) == 0) continue;
    std::array<std::uint32_t, 1u << kDigit> start{};
    for (const std::uint64_t key : keys) ++start[key >> shift & ((1u << kDigit) - 1u)];
    std::uint32_t before = 0;
    for (std::uint32_t& count : start) before += std::exchange(count, before);
    for (std::size_t i = 0; i < n; ++i) {
      check_interrupt(i);
      const std::uint32_t to = start[keys[i] >> shift & ((1u << kDigit) - 1u)]++;
      next_keys[to] = keys[i];
      next_order[to] = order[i];
    }
    keys.swap(next_keys);
    order.swap(next_order);
  }
  return order;
}

std::vector<std::uint32_t> morton_order(const double* points, std::size_t n, std::size_t dimension) {
  if (n == 0) return {};
  // A key has one bit for each of at most 63 coordinates; further ones are ignored.
  const std::size_t d = std::min<std::size_t>(dimension, 63);
  std::vector<double> low(points, points + d), high(low);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < d; ++k) {
      low[k] = std::min(low[k], points[i * dimension + k]);
      high[k] = std::max(high[k], points[i * dimension + k]);
    }
  double extent = 0.0;
  for (std::size_t k = 0; k < d; ++k) extent = std::max(extent, high[k] - low[k]);
  const int bits = static_cast<int>(std::min<std::size_t>(21, 63 / d));
  const double cells = static_cast<double>((std::uint64_t{1} << bits) - 1);
  const double per_length = extent > 0.0 ? cells / extent : 0.0;
  std::vector<std::uint64_t> keys(n), cell(d);
  for (std::size_t i = 0; i < n; ++i) {
    check_interrupt(i);
    for (std::size_t k = 0; k < d; ++k)  // in this order of arguments, NaN goes to the last cell
      cell[k] = static_cast<std::uint64_t>(std::min(cells, (points[i * dimension + k] - low[k]) * per_length));
    keys[i] = morton_key(cell.data(), d, bits);
  }
  return sorted_by_key(std::move(keys));
}

}  // namespace svgm
