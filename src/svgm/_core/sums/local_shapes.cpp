#include "sums/local_shapes.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "minimise/least_eigenvector.hpp"
#include "runtime/parallel.hpp"
#include "sums/blocks.hpp"

namespace svgm {
namespace {

template <int D>
void shape(const double* sums, const double* place, double variance, double prior, double* mean, double* covariance) {
  const double mass = sums[0], count = std::max(mass - 1.0, 0.0), share = count / (count + prior);
  double shift[D], blended[D * D];  // shift: from the local mean to the place
  for (int k = 0; k < D; ++k) shift[k] = mass > 0.0 ? sums[1 + k] / mass : 0.0;
  for (int k = 0, at = 1 + D; k < D; ++k)
    for (int l = k; l < D; ++l, ++at) {
      const double scatter = mass > 0.0 ? sums[at] / mass - shift[k] * shift[l] : 0.0;
      blended[k * D + l] = blended[l * D + k] = share * scatter + (k == l ? (1.0 - share) * variance : 0.0);
    }
  double values[3], normal[3];
  if (D != 3 || !least_eigenvector(blended, values, normal)) {
    const SymmetricEigen eigen = symmetric_eigen(blended, D);
    std::copy_n(eigen.values.begin(), D, values);
    std::copy_n(eigen.vectors[0].begin(), D, normal);
  }
  double across = 0.0;
  for (std::size_t k = 0; k < D; ++k) across += share * shift[k] * normal[k];
  for (std::size_t k = 0; k < D; ++k) mean[k] = place[k] - across * normal[k];
  // Flat as far as the points are flatter than they are wide in every direction along the surface.
  const double flatness = std::clamp(values[0] / values[1], kFlattest * kFlattest, 1.0);
  for (std::size_t k = 0; k < D; ++k)
    for (std::size_t l = 0; l < D; ++l)
      // The product of the normal's numbers first: so the matrix is symmetric to the bit.
      covariance[k * D + l] = variance * ((k == l ? 1.0 : 0.0) - (1.0 - flatness) * (normal[k] * normal[l]));
}

// Sums of `gauss_transform` of order 2 in the precision of the blocks, for places [first, last).  Places that follow each
// other are near each other, so some at a time share a list of blocks.
template <int D, class Real>
void sum_moments(const Blocks<Real>& blocks, const double* places, std::size_t first, std::size_t last, double rate,
                 double radius, double* sums) {
  constexpr std::size_t kColumns = 1 + D + D * (D + 1) / 2, kTogether = 16;
  const Sums<Real>& loop = pair_loop().sums<Real>();
  const auto add_moments = D == 2 ? loop.moments_2d : loop.moments_3d;
  std::vector<Run> near, runs;
  std::vector<Real> distances;
  for (std::size_t begin = first; begin < last; begin += kTogether) {
    check_interrupt();
    const std::size_t end = std::min(last, begin + kTogether);
    double centre[D] = {}, farthest = 0.0;
    for (std::size_t i = begin; i < end; ++i)
      for (std::size_t k = 0; k < D; ++k) centre[k] += places[i * D + k] / static_cast<double>(end - begin);
    for (std::size_t i = begin; i < end; ++i) {
      double squared = 0.0;
      for (std::size_t k = 0; k < D; ++k) squared += (places[i * D + k] - centre[k]) * (places[i * D + k] - centre[k]);
      farthest = std::max(farthest, std::sqrt(squared));
    }
    near_blocks(blocks, centre, D, radius + farthest, distances, near);
    for (std::size_t i = begin; i < end; ++i) {
      check_interrupt();
      Real q[D], found[kColumns] = {};
      for (std::size_t k = 0; k < D; ++k) q[k] = static_cast<Real>(places[i * D + k]);
      refine(blocks, q, D, static_cast<Real>(radius * radius), near.data(), near.size(), distances, runs);
      add_moments(q, blocks.coordinates.data(), blocks.weights, static_cast<Real>(rate), runs.data(), runs.size(), found);
      for (std::size_t c = 0; c < kColumns; ++c) sums[(i - first) * kColumns + c] = static_cast<double>(found[c]);
    }
  }
}

template <int D, class Real>
void shapes_of(const BoxTree& tree, const double* places, std::size_t m, double sigma, double prior, double cutoff,
               unsigned threads, double* means, double* covariances) {
  constexpr std::size_t kColumns = 1 + D + D * (D + 1) / 2, kRowsPerTask = 256;
  const Blocks<Real> blocks(tree);
  const double rate = 0.5 / (sigma * sigma), radius = std::sqrt(cutoff / rate);
  parallel_for((m + kRowsPerTask - 1) / kRowsPerTask, threads, [&](std::size_t task) {
    const std::size_t first = task * kRowsPerTask, last = std::min(m, first + kRowsPerTask);
    double sums[kRowsPerTask * kColumns];
    sum_moments<D>(blocks, places, first, last, rate, radius, sums);
    for (std::size_t i = first; i < last; ++i) {
      check_interrupt();
      shape<D>(sums + (i - first) * kColumns, places + i * D, sigma * sigma, prior, means + i * D,
               covariances + i * D * D);
    }
  });
}

}  // namespace

void local_shapes(const BoxTree& tree, const double* places, std::size_t m, double sigma, double prior, double cutoff,
                  bool single, unsigned threads, double* means, double* covariances) {
  if (single) {
    const auto in = tree.dimension() == 2 ? shapes_of<2, float> : shapes_of<3, float>;
    in(tree, places, m, sigma, prior, cutoff, threads, means, covariances);
  } else {
    const auto in = tree.dimension() == 2 ? shapes_of<2, double> : shapes_of<3, double>;
    in(tree, places, m, sigma, prior, cutoff, threads, means, covariances);
  }
}

}  // namespace svgm
