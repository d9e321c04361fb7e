#include "search/lines_of_sight.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "runtime/parallel.hpp"

namespace svgm {
namespace {

constexpr std::uint64_t kEmpty = ~std::uint64_t{0};

// Directions that see neighbouring cells of a surface, at a middling distance, are one.
constexpr double kCellsInDirection = 1.5;

// A key has 21 bits for each coordinate.  From so far away that directions would be finer, several of them are one.
constexpr double kFinestAngle = 1.0 / (1 << 19);

// Pixels of an image along each axis, at most: cells beyond the border share its pixels.
constexpr double kLargestImage = 1024.0;

// Two vectors (one in 2D) that make an orthonormal basis with a direction.
template <int D>
void image_axes(const double* direction, double (&axes)[D - 1][D]) {
  if constexpr (D == 2) {
    axes[0][0] = -direction[1], axes[0][1] = direction[0];
  } else {
    // Duff et al., "Building an Orthonormal Basis, Revisited", 2017.
    const double x = direction[0], y = direction[1], z = direction[2], sign = std::copysign(1.0, z);
    const double a = -1.0 / (sign + z), b = x * y * a;
    axes[0][0] = 1.0 + sign * x * x * a, axes[0][1] = sign * b, axes[0][2] = -sign * x;
    axes[1][0] = b, axes[1][1] = sign + y * y * a, axes[1][2] = -y;
  }
}

template <int D>
double hidden_share(const double* direction, const double* places, std::size_t count, double cell, double margin) {
  double axes[D - 1][D], low[D - 1], high[D - 1];
  image_axes<D>(direction, axes);
  std::fill_n(low, D - 1, std::numeric_limits<double>::infinity());
  std::fill_n(high, D - 1, -std::numeric_limits<double>::infinity());
  const double per_pixel = 1.0 / (kCellsInDirection * cell);
  std::vector<double> across(count * (D - 1)), depths(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double* place = places + i * D;
    for (int k = 0; k < D; ++k) depths[i] -= direction[k] * place[k];
    for (int a = 0; a < D - 1; ++a) {
      double at = 0.0;
      for (int k = 0; k < D; ++k) at += axes[a][k] * place[k] * per_pixel;
      across[i * (D - 1) + static_cast<std::size_t>(a)] = at;
      low[a] = std::min(low[a], at), high[a] = std::max(high[a], at);
    }
  }
  check_interrupt();
  std::size_t sizes[D - 1], pixels = 1;
  for (int a = 0; a < D - 1; ++a) {
    sizes[a] = 1 + static_cast<std::size_t>(std::min(std::max(0.0, high[a] - low[a]), kLargestImage));
    pixels *= sizes[a];
  }
  std::vector<double> nearest(pixels, std::numeric_limits<double>::infinity());
  std::vector<std::size_t> pixel(count);
  for (std::size_t i = 0; i < count; ++i) {
    for (int a = 0; a < D - 1; ++a) {
      const double at = across[i * (D - 1) + static_cast<std::size_t>(a)] - low[a];
      pixel[i] = pixel[i] * sizes[a] + std::min(static_cast<std::size_t>(std::min(at, kLargestImage)), sizes[a] - 1);
    }
    nearest[pixel[i]] = std::min(nearest[pixel[i]], depths[i]);
  }
  std::size_t behind = 0;
  for (std::size_t i = 0; i < count; ++i) behind += depths[i] > nearest[pixel[i]] + margin;
  return count == 0 ? 0.0 : static_cast<double>(behind) / static_cast<double>(count);
}

}  // namespace

void hidden_shares(const double* directions, std::size_t batch, const double* places, std::size_t count, int dimension,
                   double cell, double margin, unsigned threads, double* shares) {
  const auto share = dimension == 2 ? hidden_share<2> : hidden_share<3>;
  parallel_for(batch, threads, [&](std::size_t b) {
    shares[b] = share(directions + b * static_cast<std::size_t>(dimension), places, count, cell, margin);
  });
}

const LinesOfSight::Direction LinesOfSight::kNothing{kEmpty, std::numeric_limits<double>::infinity(),
                                                     -std::numeric_limits<double>::infinity()};

LinesOfSight::LinesOfSight(const double* viewpoint, const double* places, std::size_t count, int dimension, double cell)
    : dimension_(dimension), behind_(count) {
  const std::size_t d = static_cast<std::size_t>(dimension);
  std::copy_n(viewpoint, d, viewpoint_);
  std::vector<double> ranges(count);
  for (std::size_t i = 0; i < count; ++i) {
    double squared = 0.0;
    for (std::size_t k = 0; k < d; ++k) squared += std::pow(places[i * d + k] - viewpoint_[k], 2);
    ranges[i] = std::sqrt(squared);
  }
  const auto middle = ranges.begin() + static_cast<std::ptrdiff_t>(count / 2);
  if (count > 0) std::nth_element(ranges.begin(), middle, ranges.end());
  const double range = count > 0 ? std::max(*middle, 1e-300) : 1.0;
  per_angle_ = 1.0 / std::max(kCellsInDirection * cell / range, kFinestAngle);
  table_.assign(std::bit_ceil(std::max<std::size_t>(2 * count, 16)), kNothing);
  dimension == 2 ? build<2>(places, count) : build<3>(places, count);
}

// The number of a direction: the cell of the unit sphere, in a grid through space.
template <int D>
std::uint64_t LinesOfSight::key_of(const double* place, double& range) const {
  double apart[D], squared = 0.0;
  for (int k = 0; k < D; ++k) {
    apart[k] = place[k] - viewpoint_[k];
    squared += apart[k] * apart[k];
  }
  range = std::sqrt(squared);
  const double per_range = per_angle_ / std::max(range, 1e-300);
  std::uint64_t key = 0;
  for (int k = 0; k < D; ++k) {
    // In this order of arguments, NaN is clamped too.
    const double number = std::min(std::max(-1.0 / kFinestAngle, apart[k] * per_range), 1.0 / kFinestAngle);
    key = key << 21 | static_cast<std::uint64_t>(static_cast<std::int64_t>(std::floor(number)) + (1 << 20));
  }
  return key;
}

std::size_t LinesOfSight::slot_of(std::uint64_t key) const {
  std::size_t slot = static_cast<std::size_t>((key * 0x9E3779B97F4A7C15u) >> 20) & (table_.size() - 1);
  while (table_[slot].key != key && table_[slot].key != kEmpty) slot = (slot + 1) & (table_.size() - 1);
  return slot;
}

template <int D>
void LinesOfSight::build(const double* places, std::size_t count) {
  std::vector<std::size_t> slots(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (i % 64 == 0) check_interrupt();
    const std::uint64_t key = key_of<D>(places + i * D, behind_[i]);
    Direction& seen = table_[slots[i] = slot_of(key)];
    seen.key = key;
    seen.nearest = std::min(seen.nearest, behind_[i]);
    seen.farthest = std::max(seen.farthest, behind_[i]);
  }
  for (std::size_t i = 0; i < count; ++i) behind_[i] -= table_[slots[i]].nearest;
  shrink();
  widen<D>();
}

// Several places share a direction: a table of the directions alone stays in the cache.
void LinesOfSight::shrink() {
  std::vector<Direction> seen;
  for (const Direction& direction : table_)
    if (direction.key != kEmpty) seen.push_back(direction);
  table_.assign(std::bit_ceil(std::max<std::size_t>(2 * seen.size(), 16)), kNothing);
  for (const Direction& direction : seen) table_[slot_of(direction.key)] = direction;
}

template <int D>
void LinesOfSight::widen() {
  const std::vector<Direction> alone = table_;
  constexpr int kNeighbours = D == 2 ? 9 : 27;
  for (Direction& seen : table_) {
    if (seen.key == kEmpty) continue;
    for (int n = 0; n < kNeighbours; ++n) {
      std::uint64_t key = seen.key;
      for (int k = 0, rest = n; k < D; ++k, rest /= 3) {
        const std::uint64_t one = std::uint64_t{1} << (21 * k);
        key = rest % 3 == 0 ? key - one : rest % 3 == 1 ? key : key + one;
      }
      const Direction& beside = alone[slot_of(key)];
      if (beside.key == kEmpty) continue;
      seen.nearest = std::min(seen.nearest, beside.nearest);
      seen.farthest = std::max(seen.farthest, beside.farthest);
    }
  }
}

void LinesOfSight::hidden(double margin, double* out) const {
  for (std::size_t i = 0; i < behind_.size(); ++i) out[i] = behind_[i] > margin;
}

template <int D>
void LinesOfSight::count_of(const double* places, std::size_t count, const double* pose, double margin,
                            double* shares) const {
  std::size_t before = 0, behind = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (i % 64 == 0) check_interrupt();
    double place[D], range;
    for (int r = 0; r < D; ++r) {
      place[r] = pose[r * (D + 1) + D];
      for (int c = 0; c < D; ++c) place[r] += pose[r * (D + 1) + c] * places[i * D + static_cast<std::size_t>(c)];
    }
    const Direction& seen = table_[slot_of(key_of<D>(place, range))];
    if (seen.key == kEmpty) continue;
    before += range < seen.nearest - margin;
    behind += range > seen.farthest + margin;
  }
  const double all = static_cast<double>(std::max<std::size_t>(count, 1));
  shares[0] = static_cast<double>(before) / all;
  shares[1] = static_cast<double>(behind) / all;
}

void LinesOfSight::contradicted(const double* places, std::size_t count, const double* poses, std::size_t batch,
                                double margin, unsigned threads, double* shares) const {
  const std::size_t entries = dimension_ == 2 ? 9 : 16;
  parallel_for(batch, threads, [&](std::size_t b) {
    if (dimension_ == 2)
      count_of<2>(places, count, poses + b * entries, margin, shares + 2 * b);
    else
      count_of<3>(places, count, poses + b * entries, margin, shares + 2 * b);
  });
}

}  // namespace svgm
