// A table of the surfel nearest to any place.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace svgm {

// Holds the surfel nearest to the middle of every cell within `reach` of the surface.  Cells are stored in blocks of
// kBlockCells along each axis, those without a surfel nearby not at all: so a table fits into the cache.
class SurfaceTable {
 public:
  SurfaceTable(const float* means, const float* normals, std::size_t count, int dimension, double cell, double reach);

  int dimension() const { return dimension_; }
  std::size_t size() const { return means_.size() / static_cast<std::size_t>(dimension_); }
  const float* mean(std::int32_t surfel) const { return means_.data() + surfel * dimension_; }
  const float* normal(std::int32_t surfel) const { return normals_.data() + surfel * dimension_; }

  static constexpr std::size_t kBlockCells = 8;

  // The index of the nearest surfel, or -1 if all are far away.
  template <int D>
  std::int32_t nearest(const float* place) const {
    std::size_t block = 0, within = 0;
    for (int k = 0; k < D; ++k) {
      const float offset = (place[k] - low_[k]) * per_cell_;
      if (!(offset >= 0.0f && offset < limit_[k])) return -1;
      const auto cell = static_cast<std::size_t>(offset);
      block = block * blocks_[k] + cell / kBlockCells;
      within = within * kBlockCells + cell % kBlockCells;
    }
    const std::int32_t first = first_[block];
    return first < 0 ? -1 : table_[static_cast<std::size_t>(first) + within];
  }

  // The same as plain numbers, for the innermost loop.  Surfel s has its numbers from s * dimension on.
  struct View {
    const float *means, *normals;
    const std::int32_t *first, *table;
    float low[3], limit[3], per_cell;
    std::size_t blocks[3];
  };
  View view() const;

 private:
  int dimension_;
  std::vector<float> means_, normals_;
  float low_[3] = {}, limit_[3] = {}, per_cell_ = 0.0f;
  std::size_t blocks_[3] = {1, 1, 1};   // along each axis
  std::vector<std::int32_t> first_;     // of each block, where its cells begin in the table, or -1
  std::vector<std::int32_t> table_;
};

}  // namespace svgm
