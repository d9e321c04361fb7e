#include "svm/kernel_rows.hpp"

#include <algorithm>
#include <cmath>

#include "runtime/interrupt.hpp"

namespace svgm {
namespace {

constexpr std::size_t kChunk = std::size_t{1} << 20;
constexpr std::size_t kSpareChunks = 16;

// Chunks of the last problem, kept for the next: annealing trains one SVM after another, and fresh pages of memory cost
// as much time as the kernel values written to them.
std::vector<Chunk>& spare_chunks() {
  thread_local std::vector<Chunk> spare;
  return spare;
}

Chunk new_chunk() {
  std::vector<Chunk>& spare = spare_chunks();
  if (spare.empty()) return std::make_unique_for_overwrite<std::byte[]>(kChunk);
  Chunk chunk = std::move(spare.back());
  spare.pop_back();
  return chunk;
}

// Q(d/2, x): the share of a Gaussian's mass in d dimensions that lies beyond |x - y|² = x, by the recurrence
// Q(a + 1, x) = Q(a, x) + x^a e^-x / Gamma(a + 1).
double share_beyond(std::size_t dimension, double x) {
  double a = dimension % 2 ? 0.5 : 1.0;
  double share = dimension % 2 ? std::erfc(std::sqrt(x)) : std::exp(-x);
  for (; a < 0.5 * static_cast<double>(dimension) - 0.25; a += 1.0)
    share += std::exp(a * std::log(x) - x - std::lgamma(a + 1.0));
  return share;
}

}  // namespace

double squared_cutoff(std::size_t dimension, double share) {
  double low = 0.0, high = 1.0;
  while (share_beyond(dimension, high) > share) high *= 2.0;
  for (int halving = 0; halving < 30; ++halving) {
    const double middle = 0.5 * (low + high);
    (share_beyond(dimension, middle) > share ? low : high) = middle;
  }
  return high;
}

template <class Real>
KernelRows<Real>::KernelRows(const PointPackets<Real>& points, Real cutoff, std::size_t most_bytes)
    : points_(points),
      cutoff_(cutoff),
      bytes_left_(most_bytes),
      rows_(points.padded_size()),
      candidates_(points.packets()),
      most_near_(most_bytes / (4 * sizeof(std::uint32_t)) + kChunk),
      passing_packet_(points.packets()),
      box_(2 * points.dimension()),
      q_(points.columns()),
      solved_((points.columns() + points.dimension()) * kPacket) {}

template <class Real>
KernelRows<Real>::~KernelRows() {
  std::vector<Chunk>& spare = spare_chunks();
  while (!chunks_.empty() && spare.size() < kSpareChunks) {
    spare.push_back(std::move(chunks_.back()));
    chunks_.pop_back();
  }
}

template <class Real>
typename KernelRows<Real>::Packets KernelRows<Real>::candidates(std::size_t packet) {
  // All rows of a packet share one search of the tree.
  Candidates& found = candidates_[packet];
  if (found.count == 0) {
    const bool keep = near_.size() < most_near_;
    if (!keep && passing_packet_ == packet) return passing_;
    points_.box(packet, box_.data());
    if (!keep) {
      passing_.clear();
      points_.near(box_.data(), cutoff_, passing_);
      passing_packet_ = packet;
      return passing_;
    }
    found.begin = near_.size();
    points_.near(box_.data(), cutoff_, near_);
    found.count = near_.size() - found.begin;
  }
  return {near_.data() + found.begin, found.count};
}

template <class Real>
KernelRow<Real> KernelRows<Real>::compute(std::size_t i) {
  check_interrupt();
  const Packets near = candidates(i / kPacket);
  Scratch& scratch = scratch_[turn_++ % 2];
  if (scratch.packets.size() < near.size()) scratch.packets.resize(2 * near.size());
  // The values are written where they may stay.  Room is taken for all candidates, and what is not needed is given
  // back.
  const std::size_t most = near.size() * kBytesPerPacket;
  const bool keep = most <= bytes_left_;
  if (!keep && scratch.values.size() < near.size() * kPacket) scratch.values.resize(2 * near.size() * kPacket);
  if (keep && most > chunk_left_) {
    chunk_left_ = std::max(most, kChunk);
    if (most > kChunk)
      long_chunks_.push_back(std::make_unique_for_overwrite<std::byte[]>(most));
    else
      chunks_.push_back(new_chunk());
    chunk_at_ = (most > kChunk ? long_chunks_ : chunks_).back().get();
  }
  Real* values = keep ? reinterpret_cast<Real*>(chunk_at_) : scratch.values.data();
  points_.copy(i, q_.data());
  const std::size_t count = svm_loop<Real>().kernel_row(points_.query(q_.data(), cutoff_, solved_.data()), near.data(),
                                                        near.size(), scratch.packets.data(), values);
  evaluations_ += count * kPacket;
  if (!keep) return {scratch.packets.data(), values, count};

  const std::size_t bytes = count * kBytesPerPacket;
  std::uint32_t* packets = reinterpret_cast<std::uint32_t*>(values + count * kPacket);
  std::copy_n(scratch.packets.data(), count, packets);
  bytes_left_ -= bytes;
  chunk_at_ += bytes;
  chunk_left_ -= bytes;
  return rows_[i] = {packets, values, count};
}

template class KernelRows<float>;
template class KernelRows<double>;

}  // namespace svgm
