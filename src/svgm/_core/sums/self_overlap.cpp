#include "sums/self_overlap.hpp"

#include <algorithm>
#include <cmath>

#include "runtime/interrupt.hpp"

namespace svgm {

template <class Real>
double self_overlap(const Blocks<Real>& blocks, double rate, double cutoff) {
  const BoxTree& tree = *blocks.tree;
  const int d = tree.dimension();
  const double radius = std::sqrt(cutoff / rate);
  std::vector<Real> q(static_cast<std::size_t>(d)), distances;
  std::vector<Run> near, runs;
  double total = 0.0;
  for (std::size_t begin = 0; begin < tree.size(); begin += kBlock) {
    const std::size_t block = begin / kBlock;
    near_blocks(blocks, blocks.centres.data() + block * q.size(), d, radius + blocks.radii[block], distances, near);
    // Each pair of blocks is summed once, at the first of the two, and counted twice.
    std::erase_if(near, [&](const Run& run) { return run.end <= begin + kBlock; });
    if (!near.empty()) near.front().begin = std::max(near.front().begin, begin + kBlock);
    const Run own{begin, begin + kBlock};
    for (std::size_t s = begin; s < std::min(begin + kBlock, tree.size()); ++s) {
      check_interrupt();
      for (std::size_t k = 0; k < q.size(); ++k) q[k] = blocks.coordinates[k][s];
      refine(blocks, q.data(), d, static_cast<Real>(radius * radius), near.data(), near.size(), distances, runs);
      Real once = 0, twice = 0;
      const auto sum = pair_loop().sums<Real>().value;
      sum(q.data(), blocks.coordinates.data(), d, blocks.weights, static_cast<Real>(rate), &own, 1, &once);
      sum(q.data(), blocks.coordinates.data(), d, blocks.weights, static_cast<Real>(rate), runs.data(), runs.size(),
          &twice);
      total += tree.weights()[s] * (static_cast<double>(once) + 2.0 * static_cast<double>(twice));
    }
  }
  return total;
}

template double self_overlap(const Blocks<double>&, double, double);
template double self_overlap(const Blocks<float>&, double, double);

}  // namespace svgm
