#include "sums/blocks.hpp"

#include <algorithm>
#include <cmath>

#include "runtime/interrupt.hpp"

namespace svgm {
namespace {

constexpr int kMostAxes = 3;

}  // namespace

template <class Real>
Blocks<Real>::Blocks(const BoxTree& points) : tree(&points) {
  const std::size_t n = points.padded_size(), d = static_cast<std::size_t>(points.dimension()), blocks = n / kBlock;
  storage = std::make_unique_for_overwrite<Real[]>(n * (d + 1));
  for (std::size_t k = 0; k <= d; ++k) {
    const double* from = k < d ? points.coordinates()[k] : points.weights();
    Real* to = storage.get() + k * n;
    for (std::size_t begin = 0; begin < n; begin += kBlock) {
      check_interrupt(begin / kBlock);
      for (std::size_t s = begin; s < begin + kBlock; ++s) to[s] = static_cast<Real>(from[s]);
    }
    if (k < d) coordinates.push_back(to);
  }
  weights = storage.get() + d * n;
  stride = blocks + kBlock;  // distances to boxes are computed some at a time
  low.resize(d * stride);
  high.resize(d * stride);
  centres.resize(blocks * d);
  radii.resize(blocks);
  for (std::size_t b = 0; b < blocks; ++b) {
    check_interrupt();
    for (std::size_t k = 0; k < d; ++k) {
      const double* at = points.coordinates()[k] + b * kBlock;
      const auto [least, most] = std::minmax_element(at, at + kBlock);
      low[k * stride + b] = static_cast<Real>(*least);
      high[k * stride + b] = static_cast<Real>(*most);
      centres[b * d + k] = 0.5 * (*least + *most);
    }
    for (std::size_t s = b * kBlock; s < (b + 1) * kBlock; ++s) {
      double squared = 0.0;
      for (std::size_t k = 0; k < d; ++k) {
        const double apart = points.coordinates()[k][s] - centres[b * d + k];
        squared += apart * apart;
      }
      radii[b] = std::max(radii[b], std::sqrt(squared));
    }
  }
}

template <class Real>
void near_blocks(const Blocks<Real>& blocks, const double* place, int d, double radius, std::vector<Real>& distances,
                 std::vector<Run>& runs) {
  constexpr std::size_t kFewBlocks = 512;  // up to these, testing every box is faster than descending the tree
  if (d > kMostAxes || blocks.tree->padded_size() > kFewBlocks * kBlock) {
    blocks.tree->near(place, radius, runs);
    return;
  }
  Real q[kMostAxes];
  std::copy_n(place, d, q);
  const Run all{0, blocks.tree->padded_size()};
  refine(blocks, q, d, static_cast<Real>(radius * radius), &all, 1, distances, runs);
}

template struct Blocks<double>;
template struct Blocks<float>;
template void near_blocks(const Blocks<double>&, const double*, int, double, std::vector<double>&, std::vector<Run>&);
template void near_blocks(const Blocks<float>&, const double*, int, double, std::vector<float>&, std::vector<Run>&);

}  // namespace svgm
