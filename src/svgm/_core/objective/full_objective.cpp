#include "objective/full_objective.hpp"

#include <algorithm>
#include <cmath>

#include "objective/evaluate_in_parts.hpp"
#include "objective/full_loop.hpp"

namespace svgm {
namespace {

constexpr std::size_t kBlocksPerPart = 4;

// -½ tr(U dA) for each rotation: the derivative by the turning of the covariance A.  With dA = [omega] A - A [omega] it
// is the torque of the antisymmetric part of A U.
template <int D>
void turning(const double (&a)[D][D], const double (&u)[D][D], double (&out)[rotations(D)]) {
  const auto product = [&](int i, int j) {
    double sum = 0.0;
    for (int k = 0; k < D; ++k) sum += a[i][k] * u[k][j];
    return sum;
  };
  if constexpr (D == 2) {
    out[0] = product(1, 0) - product(0, 1);
  } else {
    for (int axis = 0; axis < 3; ++axis) {
      const int next = (axis + 1) % 3, last = (axis + 2) % 3;
      out[axis] = product(last, next) - product(next, last);
    }
  }
}

}  // namespace

template <class Real>
FullObjective<Real>::FullObjective(const BoxTree& source, const double* source_covariances, const BoxTree& target,
                                   const double* target_covariances, double cutoff, double scale, unsigned threads)
    : rows_(source, source_covariances, target, target_covariances, cutoff), scale_(scale), threads_(threads) {}

template <class Real>
void FullObjective<Real>::evaluate(const double* poses, std::size_t count, double* values, double* gradients,
                                   double* hessians) const {
  const std::size_t blocks = rows_.blocks();
  const auto in = [&]<int D>() {
    using Matrix = double[D][D];
    using Point = double[D];
    const auto part = [&](const double* pose, std::size_t i, Derivatives<D>& sum) {
      const std::size_t first = i * kBlocksPerPart;
      rows_.template visit<D>(
          pose, 1.0, first, std::min(first + kBlocksPerPart, blocks),
          [&](std::size_t, const Point& turned, double value, const Point& force, const Matrix& u,
                        const Matrix& a) {
                      double second[D][D], torque[rotations(D)];
                      for (int k = 0; k < D; ++k)
                        for (int l = 0; l < D; ++l) second[k][l] = -u[k][l];
                      add(sum, value, force, second, turned);
                      turning<D>(a, u, torque);
                      for (int r = 0; r < rotations(D); ++r) sum.gradient[r] += torque[r];
                    });
    };
    evaluate_in_parts<D>(poses, count, (blocks + kBlocksPerPart - 1) / kBlocksPerPart, scale_, threads_, part, values,
                         gradients, hessians);
  };
  if (dimension() == 2)
    in.template operator()<2>();
  else
    in.template operator()<3>();
}

template <class Real>
void FullObjective<Real>::forces(const double* pose, double* out) const {
  const BoxTree& tree = *rows_.source.tree;
  const auto write = [&]<int D>() {
    using Matrix = double[D][D];
    using Point = double[D];
    constexpr std::size_t kWidth = static_cast<std::size_t>(force_numbers(D));
    std::fill_n(out, tree.size() * kWidth, 0.0);
    rows_.template visit<D>(
        pose, 1.0, 0, rows_.blocks(),
        [&](std::size_t s, const Point&, double, const Point& force, const Matrix& u, const Matrix& a) {
                    double torque[rotations(D)];
                    turning<D>(a, u, torque);
                    double* row = out + tree.order()[s] * kWidth;
                    for (int k = 0; k < D; ++k) *row++ = -scale_ * force[k];
                    for (int r = 0; r < rotations(D); ++r) *row++ = -scale_ * torque[r];
                    for (int k = 0; k < D; ++k)
                      for (int l = k; l < D; ++l) *row++ = scale_ * u[k][l];
                  });
  };
  if (dimension() == 2)
    write.template operator()<2>();
  else
    write.template operator()<3>();
}

namespace {

template <int D, class Real>
double overlap_in(const BoxTree& tree, const double* covariances, double cutoff, unsigned threads) {
  const Blocks<Real> blocks(tree);
  const Covariances<Real> own(tree, covariances);
  const auto sum = D == 2 ? full_loop().sums<Real>().value_2d : full_loop().sums<Real>().value_3d;
  const std::size_t count = tree.padded_size() / kBlock;
  std::vector<double> totals(count, 0.0);
  parallel_for(count, std::min<std::size_t>(threads, 1 + count / 16), [&](std::size_t block) {
    const std::size_t begin = block * kBlock;
    std::vector<Run> near, runs;
    std::vector<Real> distances;
    const double reach = std::sqrt(4.0 * cutoff * own.widest) + blocks.radii[block];
    near_blocks(blocks, blocks.centres.data() + block * D, D, reach, distances, near);
    // Each pair of blocks is summed once, at the first of the two, and counted twice.
    std::erase_if(near, [&](const Run& run) { return run.end <= begin + kBlock; });
    if (!near.empty()) near.front().begin = std::max(near.front().begin, begin + kBlock);
    const Run itself{begin, begin + kBlock};
    for (std::size_t s = begin; s < std::min(begin + kBlock, tree.size()); ++s) {
      check_interrupt();
      Real q[D], a[D * (D + 1) / 2], once = 0, twice = 0;
      for (std::size_t k = 0; k < D; ++k) q[k] = blocks.coordinates[k][s];
      for (std::size_t k = 0; k < own.entries.size(); ++k) a[k] = own.entries[k][s];
      const double squared = 2.0 * cutoff * (own.widths[s] + own.widest);
      refine(blocks, q, D, static_cast<Real>(squared), near.data(), near.size(), distances, runs);
      const Real* const* at = blocks.coordinates.data();
      sum(q, a, at, own.entries.data(), blocks.weights, &itself, 1, &once);
      sum(q, a, at, own.entries.data(), blocks.weights, runs.data(), runs.size(), &twice);
      totals[block] += tree.weights()[s] * (static_cast<double>(once) + 2.0 * static_cast<double>(twice));
    }
  });
  double total = 0.0;
  for (const double part : totals) total += part;
  return total;
}

}  // namespace

double full_overlap(const BoxTree& tree, const double* covariances, double cutoff, bool single, unsigned threads) {
  if (tree.dimension() == 2)
    return single ? overlap_in<2, float>(tree, covariances, cutoff, threads)
                  : overlap_in<2, double>(tree, covariances, cutoff, threads);
  return single ? overlap_in<3, float>(tree, covariances, cutoff, threads)
                : overlap_in<3, double>(tree, covariances, cutoff, threads);
}

template class FullObjective<double>;
template class FullObjective<float>;

}  // namespace svgm
