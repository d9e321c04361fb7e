#include "objective/full_objective.hpp"

#include <algorithm>
#include <cmath>

#include "minimise/least_eigenvector.hpp"
#include "objective/evaluate_in_parts.hpp"
#include "objective/full_loop.hpp"

namespace svgm {
namespace {

constexpr std::size_t kBlocksPerPart = 4;

// R A Rᵀ, by the upper triangle of its rows.
template <int D>
void turned_covariance(const double (&rotation)[D][D], const double (&a)[D][D], double (&out)[D][D]) {
  double half[D][D];
  for (int i = 0; i < D; ++i)
    for (int j = 0; j < D; ++j) {
      half[i][j] = 0.0;
      for (int k = 0; k < D; ++k) half[i][j] += rotation[i][k] * a[k][j];
    }
  for (int i = 0; i < D; ++i)
    for (int j = i; j < D; ++j) {
      out[i][j] = 0.0;
      for (int k = 0; k < D; ++k) out[i][j] += half[i][k] * rotation[j][k];
      out[j][i] = out[i][j];
    }
}

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
Covariances<Real>::Covariances(const BoxTree& tree, const double* covariances) : widest(0.0) {
  const std::size_t n = tree.padded_size(), d = static_cast<std::size_t>(tree.dimension());
  storage.assign(n * d * (d + 1) / 2, Real(0));
  widths.assign(n, 0.0);
  std::size_t row = 0;
  for (std::size_t k = 0; k < d; ++k)
    for (std::size_t l = k; l < d; ++l, ++row) {
      Real* entry = storage.data() + row * n;
      entries.push_back(entry);
      for (std::size_t s = 0; s < n; ++s) {
        check_interrupt(s);
        // Padding has weight zero; its covariance only has to be positive.
        entry[s] = s < tree.size() ? static_cast<Real>(covariances[(tree.order()[s] * d + k) * d + l]) : Real(k == l);
      }
    }
  for (std::size_t s = 0; s < tree.size(); ++s) {
    check_interrupt();
    widths[s] = largest_eigenvalue(covariances + tree.order()[s] * d * d, d);
    widest = std::max(widest, widths[s]);
  }
}

template <class Real>
FullObjective<Real>::FullObjective(const BoxTree& source, const double* source_covariances, const BoxTree& target,
                                   const double* target_covariances, double cutoff, double scale, unsigned threads)
    : source_(source), target_(target), source_covariances_(source, source_covariances),
      target_covariances_(target, target_covariances), cutoff_(cutoff), scale_(scale), threads_(threads) {}

// Calls visit(s, turned, value, force, u, a) for each source component s in blocks [first, last) that lies near the
// target: its moved mean without the translation, its share of sum n, of -sum n u and of U = sum n (C⁻¹ - u uᵀ), and its
// turned covariance.
template <class Real>
template <int D, class Visit>
void FullObjective<Real>::visit_rows(const double* pose, std::size_t first, std::size_t last,
                                     const Visit& visit) const {
  constexpr int kEntries = D * (D + 1) / 2, kSums = 1 + D + kEntries;
  const BoxTree& tree = *source_.tree;
  double rotation[D][D];
  for (int i = 0; i < D; ++i)
    for (int j = 0; j < D; ++j) rotation[i][j] = pose[i * (D + 1) + j];
  const auto turn = [&](const double* x, double* out) {
    for (int i = 0; i < D; ++i) {
      out[i] = 0.0;
      for (int j = 0; j < D; ++j) out[i] += rotation[i][j] * x[j];
    }
  };
  const auto add_moments = D == 2 ? full_loop().sums<Real>().moments_2d : full_loop().sums<Real>().moments_3d;
  std::vector<Run> near, runs;
  std::vector<Real> distances;
  for (std::size_t block = first; block < last; ++block) {
    check_interrupt();
    const std::size_t begin = block * kBlock, end = std::min(begin + kBlock, tree.size());
    double widest = 0.0, turned[D], centre[D];
    for (std::size_t s = begin; s < end; ++s) widest = std::max(widest, source_covariances_.widths[s]);
    turn(source_.centres.data() + block * D, turned);
    for (int k = 0; k < D; ++k) centre[k] = turned[k] + pose[k * (D + 1) + D];
    const double reach = std::sqrt(2.0 * cutoff_ * (widest + target_covariances_.widest));
    near_blocks(target_, centre, D, reach + source_.radii[block], distances, near);
    if (near.empty()) continue;
    for (std::size_t s = begin; s < end; ++s) {
      check_interrupt();
      double x[D], own[D][D], a[D][D];
      for (int k = 0, at = 0; k < D; ++k) {
        x[k] = tree.coordinates()[k][s];
        for (int l = k; l < D; ++l, ++at)
          own[k][l] = own[l][k] = static_cast<double>(source_covariances_.entries[static_cast<std::size_t>(at)][s]);
      }
      turn(x, turned);
      turned_covariance<D>(rotation, own, a);
      Real q[D], entries[kEntries], sums[kSums] = {};
      for (int k = 0, at = 0; k < D; ++k) {
        q[k] = static_cast<Real>(turned[k] + pose[k * (D + 1) + D]);
        for (int l = k; l < D; ++l) entries[at++] = static_cast<Real>(a[k][l]);
      }
      const double squared = 2.0 * cutoff_ * (source_covariances_.widths[s] + target_covariances_.widest);
      refine(target_, q, D, static_cast<Real>(squared), near.data(), near.size(), distances, runs);
      if (runs.empty()) continue;
      add_moments(q, entries, target_.coordinates.data(), target_covariances_.entries.data(), target_.weights,
                  runs.data(), runs.size(), sums);
      const double weight = tree.weights()[s];
      double force[D], u[D][D];
      for (int k = 0, at = 1 + D; k < D; ++k) {
        force[k] = -weight * static_cast<double>(sums[1 + k]);
        for (int l = k; l < D; ++l, ++at) u[k][l] = u[l][k] = weight * static_cast<double>(sums[at]);
      }
      visit(s, turned, weight * static_cast<double>(sums[0]), force, u, a);
    }
  }
}

template <class Real>
void FullObjective<Real>::evaluate(const double* poses, std::size_t count, double* values, double* gradients,
                                   double* hessians) const {
  const std::size_t blocks = source_.tree->padded_size() / kBlock;
  const auto in = [&]<int D>() {
    using Matrix = double[D][D];
    using Point = double[D];
    const auto part = [&](const double* pose, std::size_t i, Derivatives<D>& sum) {
      const std::size_t first = i * kBlocksPerPart;
      visit_rows<D>(pose, first, std::min(first + kBlocksPerPart, blocks),
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
  const BoxTree& tree = *source_.tree;
  const auto write = [&]<int D>() {
    using Matrix = double[D][D];
    using Point = double[D];
    constexpr std::size_t kWidth = static_cast<std::size_t>(force_numbers(D));
    std::fill_n(out, tree.size() * kWidth, 0.0);
    visit_rows<D>(pose, 0, tree.padded_size() / kBlock,
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

template struct Covariances<double>;
template struct Covariances<float>;
template class FullObjective<double>;
template class FullObjective<float>;

}  // namespace svgm
