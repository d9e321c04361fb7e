// Surfels to lie on: a table of the surfel nearest to any place, and rigid alignment of other surfels to it by the distance
// along the normals.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace svgm {

// The surfel nearest to every place within `reach` of the surface, to the accuracy of a cell of the table.
class SurfaceTable {
 public:
  SurfaceTable(const float* means, const float* normals, std::size_t count, int dimension, double cell, double reach);

  int dimension() const { return dimension_; }
  std::size_t size() const { return means_.size() / static_cast<std::size_t>(dimension_); }
  const float* mean(std::int32_t surfel) const { return means_.data() + surfel * dimension_; }
  const float* normal(std::int32_t surfel) const { return normals_.data() + surfel * dimension_; }

  // Index of the surfel, or -1 far from all.
  template <int D>
  std::int32_t nearest(const float* place) const {
    std::size_t at = 0;
    for (int k = 0; k < D; ++k) {
      const float offset = (place[k] - low_[k]) * per_cell_;
      if (!(offset >= 0.0f && offset < limit_[k])) return -1;
      at = at * sizes_[k] + static_cast<std::size_t>(offset);
    }
    return table_[at];
  }

 private:
  int dimension_;
  std::vector<float> means_, normals_;
  float low_[3] = {}, limit_[3] = {}, per_cell_ = 0.0f;
  std::size_t sizes_[3] = {1, 1, 1};
  std::vector<std::int32_t> table_;
};

// Moves each pose (d+1, d+1) so that the surfels (m, d) come to lie on the target, one step for every reach: point to
// plane, weighted (1 - |r|²/reach²)² cos², of the nearest surfels whose normals agree.  Scores are the mean weights after
// the last step.
void align_to_surface(const SurfaceTable& target, const float* means, const float* normals, std::size_t count,
                      const float* reaches, std::size_t steps, double* poses, std::size_t batch, unsigned threads,
                      double* scores);

// For every surfel of the source under a pose: distance from the nearest surfel of the target, distance along that one's
// normal, and the cosine between the normals, all positive; infinite, infinite and 0 far from the target.
void surface_residuals(const SurfaceTable& target, const float* means, const float* normals, std::size_t count,
                       const double* pose, double* out);

}  // namespace svgm
