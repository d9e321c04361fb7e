// The blocks of a tree in the precision of the sums, and which of them lie near a point.
#pragma once
#include <cstddef>
#include <memory>
#include <vector>

#include "sums/box_tree.hpp"

namespace svgm {

// A tree's points in the precision of the sums, with the box of every block and the sphere around it.
template <class Real>
struct Blocks {
  explicit Blocks(const BoxTree& tree);
  Blocks(Blocks&&) = default;  // a copy's coordinates would point into the original

  const BoxTree* tree;
  std::unique_ptr<Real[]> storage;
  std::vector<const Real*> coordinates;
  const Real* weights;
  std::size_t stride;
  std::vector<Real> low, high;          // (d, stride), the first `blocks` of each row
  std::vector<double> centres, radii;  // (blocks, d), (blocks)
};

// The runs of blocks within the radius of q, out of those in the `candidate_count` runs `candidates`.  `distances` is
// scratch memory.
template <class Real>
void refine(const Blocks<Real>& blocks, const Real* q, int d, Real squared_radius, const Run* candidates,
            std::size_t candidate_count, std::vector<Real>& distances, std::vector<Run>& runs) {
  runs.clear();
  for (const Run* candidate = candidates; candidate != candidates + candidate_count; ++candidate) {
    const std::size_t first = candidate->begin / kBlock, count = candidate->end / kBlock - first;
    if (distances.size() < count + kBlock) distances.resize(count + kBlock);
    pair_loop().sums<Real>().box_distances(q, blocks.low.data() + first, blocks.high.data() + first, blocks.stride, d,
                                           count, distances.data());
    for (std::size_t b = 0; b < count; ++b) {
      if (distances[b] > squared_radius) continue;
      const std::size_t begin = (first + b) * kBlock;
      if (!runs.empty() && runs.back().end == begin)
        runs.back().end += kBlock;
      else
        runs.push_back({begin, begin + kBlock});
    }
  }
}

// The runs of blocks within `radius` of a place.
template <class Real>
void near_blocks(const Blocks<Real>& blocks, const double* place, int d, double radius, std::vector<Real>& distances,
                 std::vector<Run>& runs);

}  // namespace svgm
