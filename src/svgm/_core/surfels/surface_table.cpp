#include "surfels/surface_table.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "runtime/interrupt.hpp"
#include "surfels/alignment_loop.hpp"

namespace svgm {
namespace {

// The largest number of cells of a table; a larger surface gets coarser cells.
constexpr double kMostCells = 6e6;

// Indices of surfels, and of numbers in their arrays, have 32 bits.
constexpr std::size_t kMostSurfels = std::numeric_limits<std::int32_t>::max() / 3;

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
  std::int64_t sizes[3] = {1, 1, 1};
  for (std::size_t k = 0; k < d; ++k) {
    sizes[k] = static_cast<std::int64_t>(size[k]);
    limit_[k] = static_cast<float>(size[k]);
    blocks_[k] = (static_cast<std::size_t>(size[k]) + kBlockCells - 1) / kBlockCells;
  }
  const float width = 1.0f / per_cell_, furthest = static_cast<float>(reach) + width;
  const auto ring = static_cast<std::int64_t>(std::ceil(furthest / width));
  const std::size_t per_block = d == 2 ? kBlockCells * kBlockCells : kBlockCells * kBlockCells * kBlockCells;
  // Calls visit(block) for every block within reach of a surfel.
  const auto each_block = [&](std::size_t s, const auto& visit) {
    std::size_t begin[3] = {0, 0, 0}, end[3] = {0, 0, 0};
    for (std::size_t k = 0; k < d; ++k) {
      const auto home = static_cast<std::int64_t>((means_[s * d + k] - low_[k]) * per_cell_);
      begin[k] = static_cast<std::size_t>(std::max<std::int64_t>(0, home - ring)) / kBlockCells;
      end[k] = static_cast<std::size_t>(std::min(sizes[k] - 1, home + ring)) / kBlockCells;
    }
    for (std::size_t x = begin[0]; x <= end[0]; ++x)
      for (std::size_t y = begin[1]; y <= end[1]; ++y) {
        check_interrupt();
        for (std::size_t z = begin[2]; z <= end[2]; ++z) visit((x * blocks_[1] + y) * blocks_[2] + z);
      }
  };
  // The surfels of each block, in their order: so a block is filled at once, and stays in the first-level cache.
  std::vector<std::uint32_t> last(blocks_[0] * blocks_[1] * blocks_[2] + 1, 0);
  for (std::size_t s = 0; s < count; ++s) each_block(s, [&](std::size_t block) { ++last[block + 1]; });
  for (std::size_t block = 1; block < last.size(); ++block) last[block] += last[block - 1];
  std::vector<std::int32_t> near(last.back());
  std::vector<std::uint32_t> next(last.begin(), last.end() - 1);
  for (std::size_t s = 0; s < count; ++s)
    each_block(s, [&](std::size_t block) { near[next[block]++] = static_cast<std::int32_t>(s); });
  std::size_t blocks = 0;
  first_.assign(last.size() - 1, -1);
  for (std::size_t block = 0; block < first_.size(); ++block)
    if (last[block + 1] > last[block]) first_[block] = static_cast<std::int32_t>(per_block * blocks++);
  table_.resize(per_block * blocks);
  const auto take = d == 2 ? alignment_loop().take_nearer_2d : alignment_loop().take_nearer_3d;
  constexpr std::size_t kMostCellsOfBlock = kBlockCells * kBlockCells * kBlockCells;
  float middles[3][kBlockCells], closest[kMostCellsOfBlock], owners[kMostCellsOfBlock];
  for (std::size_t block = 0; block < first_.size(); ++block) {
    if (first_[block] < 0) continue;
    check_interrupt();
    const std::size_t at[3] = {block / blocks_[2] / blocks_[1], block / blocks_[2] % blocks_[1], block % blocks_[2]};
    for (std::size_t k = 0; k < d; ++k)
      for (std::size_t c = 0; c < kBlockCells; ++c)
        middles[k][c] = low_[k] + (static_cast<float>(at[k] * kBlockCells + c) + 0.5f) * width;
    std::fill_n(closest, per_block, furthest * furthest);
    std::fill_n(owners, per_block, std::bit_cast<float>(std::int32_t{-1}));
    for (std::uint32_t n = last[block]; n < last[block + 1]; ++n) {
      const float* mean = means_.data() + static_cast<std::size_t>(near[n]) * d;
      take(middles, mean, furthest * furthest, std::bit_cast<float>(near[n]), closest, owners);
    }
    std::memcpy(table_.data() + first_[block], owners, per_block * sizeof(float));
  }
}

SurfaceTable::View SurfaceTable::view() const {
  View view{means_.data(), normals_.data(), first_.data(), table_.data(), {}, {}, per_cell_, {}};
  for (std::size_t k = 0; k < 3; ++k) {
    view.low[k] = low_[k];
    view.limit[k] = limit_[k];
    view.blocks[k] = blocks_[k];
  }
  return view;
}

}  // namespace svgm
