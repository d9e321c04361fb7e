// Points in packets of kPacket, stored by column (coordinates, then covariances if there are any), with a tree of
// bounding boxes above the packets.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "svm/sorted_points.hpp"
#include "svm/svm_loop.hpp"

namespace svgm {

template <class Real>
class PointPackets {
 public:
  // The points at `indices`, in that order; near ones should lie together.
  PointPackets(const SortedPoints& points, const std::vector<std::uint32_t>& indices);

  std::size_t size() const { return size_; }
  std::size_t packets() const { return packets_; }
  std::size_t padded_size() const { return packets_ * kPacket; }
  std::size_t dimension() const { return dimension_; }
  std::size_t columns() const { return rows_.size(); }
  // The kernel of the point whose columns are q with these points.
  KernelQuery<Real> query(const Real* q, Real cutoff, Real* scratch) const {
    return {q, rows_.data(), static_cast<int>(dimension_), columns() > dimension_, cutoff, scratch};
  }
  // The columns of one point.
  void copy(std::size_t s, Real* out) const {
    for (std::size_t k = 0; k < rows_.size(); ++k) out[k] = rows_[k][s];
  }
  // Minima then maxima of a packet's coordinates.
  void box(std::size_t packet, Real* out) const;

  // Appends the packets that come within a distance of a box.
  void near(const Real* box, Real squared_distance, std::vector<std::uint32_t>& found) const;

 private:
  // A level of the tree: boxes in groups of kPacket, one group under each box of the level above, stored by coordinate.
  struct Level {
    std::vector<Real> boxes;
    std::size_t groups;
  };

  const Real* group(const Level& level, std::size_t index) const {
    return level.boxes.data() + index * 2 * dimension_ * kPacket;
  }
  void search(std::size_t level, std::size_t index, const Real* box, Real squared_distance,
              std::vector<std::uint32_t>& found) const;

  std::size_t size_, packets_, dimension_;
  std::vector<Real> storage_;
  std::vector<const Real*> rows_;
  std::vector<Level> levels_;  // the packets' own boxes first, one group last
};

}  // namespace svgm
