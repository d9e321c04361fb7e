#include "surfels/surface_table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "runtime/interrupt.hpp"

namespace svgm {
namespace {

// The largest number of cells of a table; a larger surface gets coarser cells.
constexpr double kMostCells = 6e6;

// Indices of surfels, and of numbers in their arrays, have 32 bits.
constexpr std::size_t kMostSurfels = std::numeric_limits<std::int32_t>::max() / 3;

#ifdef _MSC_VER
#define SVGM_RESTRICT __restrict
#else
#define SVGM_RESTRICT __restrict__
#endif

// Of a row of cells, those that are nearer to this surfel than to the one they have.  Without a branch, so that the
// compiler can take several cells at a time.
void take_nearer(const float* SVGM_RESTRICT along, std::size_t count, float across, std::int32_t surfel,
                 float* SVGM_RESTRICT nearest, std::int32_t* SVGM_RESTRICT table) {
  for (std::size_t z = 0; z < count; ++z) {
    const float distance = across + along[z], before = nearest[z];
    const bool nearer = distance < before;
    nearest[z] = nearer ? distance : before;
    table[z] = nearer ? surfel : table[z];
  }
}

}  // namespace

SurfaceTable::SurfaceTable(const float* means, const float* normals, std::size_t count, int dimension, double cell,
                           double reach)
    : dimension_(dimension), means_(means, means + count * static_cast<std::size_t>(dimension)),
      normals_(normals, normals + count * static_cast<std::size_t>(dimension)) {
  const std::size_t d = static_cast<std::size_t>(dimension);
  if (count > kMostSurfels) throw std::length_error("at most 2^31 / 3 surfels");
  if (!std::all_of(means_.begin(), means_.end(), [](float x) { return std::isfinite(x); }) || !std::isfinite(reach))
    throw std::invalid_argument("means and reach must be finite");
  std::array<float, 3> low{}, high{};
  for (std::size_t k = 0; k < d; ++k) {
    low[k] = high[k] = means_[k];
    for (std::size_t s = 0; s < count; ++s) {
      low[k] = std::min(low[k], means_[s * d + k]);
      high[k] = std::max(high[k], means_[s * d + k]);
    }
  }
  std::array<double, 3> size{};
  for (double cells = kMostCells + 1.0; cells > kMostCells; cell *= 1.25) {
    cells = 1.0;
    for (std::size_t k = 0; k < d; ++k) {
      low_[k] = low[k] - static_cast<float>(reach);
      size[k] = std::ceil((static_cast<double>(high[k] - low[k]) + 2.0 * reach) / cell) + 1.0;
      cells *= size[k];
    }
    if (!std::isfinite(cell)) throw std::invalid_argument("means must not be so far apart");
    per_cell_ = static_cast<float>(1.0 / cell);
  }
  for (std::size_t k = 0; k < d; ++k) {
    sizes_[k] = static_cast<std::size_t>(size[k]);
    limit_[k] = static_cast<float>(sizes_[k]);
  }
  const float width = 1.0f / per_cell_, furthest = static_cast<float>(reach) + width;
  table_.assign(sizes_[0] * sizes_[1] * sizes_[2], -1);
  const auto ring = static_cast<std::int64_t>(std::ceil(furthest / width));
  // Every surfel takes the cells around it whose middles are nearer to it than to the surfels before.
  std::vector<float> closest(table_.size(), furthest * furthest);
  std::vector<float> along(2 * static_cast<std::size_t>(ring) + 1);
  for (std::size_t s = 0; s < count; ++s) {
    check_interrupt();
    std::int64_t begin[3] = {0, 0, 0}, end[3] = {1, 1, 1};
    for (std::size_t k = 0; k < d; ++k) {
      const auto home = static_cast<std::int64_t>((means_[s * d + k] - low_[k]) * per_cell_);
      begin[k] = std::max<std::int64_t>(0, home - ring);
      end[k] = std::min<std::int64_t>(static_cast<std::int64_t>(sizes_[k]), home + ring + 1);
    }
    const auto squared = [&](std::size_t k, std::int64_t index) {
      if (k >= d) return 0.0f;
      const float apart = low_[k] + (static_cast<float>(index) + 0.5f) * width - means_[s * d + k];
      return apart * apart;
    };
    for (std::int64_t z = begin[2]; z < end[2]; ++z) along[static_cast<std::size_t>(z - begin[2])] = squared(2, z);
    const auto length = static_cast<std::size_t>(std::max<std::int64_t>(0, end[2] - begin[2]));
    for (std::int64_t x = begin[0]; x < end[0]; ++x) {
      check_interrupt();
      const float from_x = squared(0, x);
      for (std::int64_t y = begin[1]; y < end[1]; ++y) {
        const float from_y = from_x + squared(1, y);
        if (from_y >= furthest * furthest) continue;
        const std::size_t at = (static_cast<std::size_t>(x) * sizes_[1] + static_cast<std::size_t>(y)) * sizes_[2] +
                               static_cast<std::size_t>(begin[2]);
        take_nearer(along.data(), length, from_y, static_cast<std::int32_t>(s), closest.data() + at, table_.data() + at);
      }
    }
  }
}

SurfaceTable::View SurfaceTable::view() const {
  View view{means_.data(), normals_.data(), table_.data(), {}, {}, per_cell_, {}};
  for (std::size_t k = 0; k < 3; ++k) {
    view.low[k] = low_[k];
    view.limit[k] = limit_[k];
    view.sizes[k] = sizes_[k];
  }
  return view;
}

}  // namespace svgm
