// Rows of the Gaussian kernel matrix of a set of points, computed on demand and kept while there is room.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "svm/point_packets.hpp"

namespace svgm {

// The distance, squared and in units where the kernel is exp(-|x - y|²), beyond which kernel values may count as zero:
// where points fill space evenly, a kernel sum then lacks no more than `share` of itself, and less on a surface.
double squared_cutoff(std::size_t dimension, double share);

using Chunk = std::unique_ptr<std::byte[]>;

template <class Real>
class KernelRows {
 public:
  // Rows beyond `most_bytes` are computed anew whenever they are asked for.
  KernelRows(const PointPackets<Real>& points, Real cutoff, std::size_t most_bytes);
  ~KernelRows();
  KernelRows(const KernelRows&) = delete;
  KernelRows& operator=(const KernelRows&) = delete;

  // Valid until two more rows have been asked for.
  KernelRow<Real> row(std::size_t i) { return rows_[i].count > 0 ? rows_[i] : compute(i); }
  // All rows, those that are not kept with count 0.
  const KernelRow<Real>* kept() const { return rows_.data(); }
  const PointPackets<Real>& points() const { return points_; }
  std::size_t evaluations() const { return evaluations_; }

 private:
  struct Scratch {
    std::vector<std::uint32_t> packets;
    std::vector<Real> values;
  };

  // A packet's values and its number, which takes eight bytes so that the values behind it are aligned.
  static constexpr std::size_t kBytesPerPacket = kPacket * sizeof(Real) + 8;

  struct Candidates {
    std::size_t begin = 0, count = 0;
  };
  using Packets = std::span<const std::uint32_t>;

  KernelRow<Real> compute(std::size_t i);
  Packets candidates(std::size_t packet);

  const PointPackets<Real>& points_;
  Real cutoff_;
  std::size_t bytes_left_, evaluations_ = 0, chunk_left_ = 0;
  std::vector<KernelRow<Real>> rows_;
  std::vector<Candidates> candidates_;  // per packet of points: a part of near_
  std::vector<std::uint32_t> near_;     // at most a quarter of the rows' bytes, and what one packet adds
  std::size_t most_near_;
  std::vector<std::uint32_t> passing_;  // of one packet for which near_ had no room
  std::size_t passing_packet_;
  std::vector<Chunk> chunks_, long_chunks_;  // what kept rows point into
  std::byte* chunk_at_ = nullptr;
  std::vector<Real> box_, q_, solved_;  // solved_: scratch memory of the loop
  Scratch scratch_[2];
  std::size_t turn_ = 0;
};

}  // namespace svgm
