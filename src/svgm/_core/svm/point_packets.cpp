#include "svm/point_packets.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "runtime/interrupt.hpp"

namespace svgm {
template <class Real>
PointPackets<Real>::PointPackets(const SortedPoints& points, const std::vector<std::uint32_t>& indices)
    : size_(indices.size()), packets_((indices.size() + kPacket - 1) / kPacket), dimension_(points.dimension) {
  // Padding is infinitely far from all points, which are finite.
  constexpr Real far_away = std::numeric_limits<Real>::infinity();
  const std::size_t padded = padded_size(), d = dimension_, columns = points.columns;
  storage_.resize(padded * columns);
  for (std::size_t k = 0; k < columns; ++k) {
    Real* row = storage_.data() + k * padded;
    rows_.push_back(row);
    for (std::size_t s = 0; s < size_; ++s) {
      check_interrupt(s);
      row[s] = static_cast<Real>(points.rows[indices[s] * columns + k]);
    }
    std::fill(row + size_, row + padded, k < d ? far_away : Real(1));
  }
  // Level by level: the boxes of packets, then of groups of boxes.  Unused places hold an empty box, whose minima
  // exceed its maxima: it is infinitely far from everything.
  for (std::size_t count = packets_;; count = levels_.back().groups) {
    Level level;
    level.groups = (count + kPacket - 1) / kPacket;
    level.boxes.resize(level.groups * 2 * d * kPacket);
    for (std::size_t g = 0; g < level.groups; ++g) {
      check_interrupt();
      for (std::size_t l = 0; l < kPacket; ++l)
        for (std::size_t k = 0; k < d; ++k) {
          const std::size_t below = g * kPacket + l;
          Real low = far_away, high = -far_away;
          if (levels_.empty()) {
            for (std::size_t s = below * kPacket; s < std::min(size_, (below + 1) * kPacket); ++s) {
              low = std::min(low, rows_[k][s]);
              high = std::max(high, rows_[k][s]);
            }
          } else if (below < count) {
            const Real* boxes = group(levels_.back(), below);
            low = *std::min_element(boxes + k * kPacket, boxes + (k + 1) * kPacket);
            high = *std::max_element(boxes + (d + k) * kPacket, boxes + (d + k + 1) * kPacket);
          }
          level.boxes[(g * 2 * d + k) * kPacket + l] = low;
          level.boxes[(g * 2 * d + d + k) * kPacket + l] = high;
        }
    }
    levels_.push_back(std::move(level));
    if (levels_.back().groups <= 1) break;
  }
}

template <class Real>
void PointPackets<Real>::box(std::size_t packet, Real* out) const {
  const Real* boxes = group(levels_[0], packet / kPacket);
  for (std::size_t k = 0; k < 2 * dimension_; ++k) out[k] = boxes[k * kPacket + packet % kPacket];
}

template <class Real>
void PointPackets<Real>::near(const Real* box, Real squared_distance, std::vector<std::uint32_t>& found) const {
  if (size_ > 0) search(levels_.size() - 1, 0, box, squared_distance, found);
}

template <class Real>
void PointPackets<Real>::search(std::size_t level, std::size_t index, const Real* box, Real squared_distance,
                                std::vector<std::uint32_t>& found) const {
  unsigned hits = svm_loop<Real>().near_boxes(box, group(levels_[level], index), static_cast<int>(dimension_),
                                              squared_distance);
  for (; hits; hits &= hits - 1) {
    const std::size_t below = index * kPacket + static_cast<std::size_t>(std::countr_zero(hits));
    if (level == 0)
      found.push_back(static_cast<std::uint32_t>(below));
    else
      search(level - 1, below, box, squared_distance, found);
  }
}

template class PointPackets<float>;
template class PointPackets<double>;

}  // namespace svgm
