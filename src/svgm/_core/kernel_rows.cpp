#include "kernel_rows.hpp"

#include <algorithm>
#include <cmath>

namespace svgm {
namespace {

constexpr std::size_t kChunk = std::size_t{1} << 20;

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
void KernelRow<Real>::copy_to(Real* out) const {
  for (std::size_t p = 0; p < count; ++p)
    std::copy(values + p * kPacket, values + (p + 1) * kPacket, out + packets[p] * kPacket);
}

template <class Real>
void KernelRow<Real>::clear(Real* out) const {
  for (std::size_t p = 0; p < count; ++p)
    std::fill(out + packets[p] * kPacket, out + (packets[p] + 1) * kPacket, Real(0));
}

template <class Real>
KernelRows<Real>::KernelRows(const PointPackets<Real>& points, Real cutoff, std::size_t most_bytes)
    : points_(points), cutoff_(cutoff), bytes_left_(most_bytes), rows_(points.padded_size()), near_(points.packets()),
      box_(2 * points.dimension()) {}

template <class Real>
const std::vector<std::uint32_t>& KernelRows<Real>::candidates(std::size_t packet) {
  // All rows of a packet share one search of the tree.
  std::vector<std::uint32_t>& found = near_[packet];
  if (found.empty()) {
    points_.box(packet, box_.data());
    points_.near(box_.data(), cutoff_, found);
  }
  return found;
}

template <class Real>
KernelRow<Real> KernelRows<Real>::compute(std::size_t i) {
  const std::vector<std::uint32_t>& near = candidates(i / kPacket);
  Scratch& scratch = scratch_[turn_++ % 2];
  if (scratch.packets.size() < near.size()) {
    scratch.packets.resize(2 * near.size());
    scratch.values.resize(2 * near.size() * kPacket);
  }
  Real* q = box_.data();
  for (std::size_t k = 0; k < points_.dimension(); ++k) q[k] = points_.coordinates()[k][i];
  const std::size_t count =
      svm_loop<Real>().kernel_row(q, points_.coordinates(), static_cast<int>(points_.dimension()), cutoff_, near.data(),
                                  near.size(), scratch.packets.data(), scratch.values.data());
  evaluations_ += count * kPacket;
  const KernelRow<Real> row{scratch.packets.data(), scratch.values.data(), count};

  const std::size_t value_bytes = count * kPacket * sizeof(Real);
  const std::size_t bytes = value_bytes + (count + count % 2) * sizeof(std::uint32_t);  // a multiple of 8
  if (bytes > bytes_left_) return row;
  bytes_left_ -= bytes;
  if (bytes > chunk_left_) {
    chunk_left_ = std::max(bytes, kChunk);
    chunks_.push_back(std::make_unique_for_overwrite<std::byte[]>(chunk_left_));
    chunk_at_ = chunks_.back().get();
  }
  Real* values = reinterpret_cast<Real*>(chunk_at_);
  std::uint32_t* packets = reinterpret_cast<std::uint32_t*>(chunk_at_ + value_bytes);
  std::copy(row.values, row.values + count * kPacket, values);
  std::copy(row.packets, row.packets + count, packets);
  chunk_at_ += bytes;
  chunk_left_ -= bytes;
  rows_[i] = {packets, values, count};
  return rows_[i];
}

template struct KernelRow<float>;
template struct KernelRow<double>;
template class KernelRows<float>;
template class KernelRows<double>;

}  // namespace svgm
