// The rows of eq. (14) for components with full covariances: what one source component, moved by a linear map, sums over
// the target components near it.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "minimise/least_eigenvector.hpp"
#include "objective/full_loop.hpp"
#include "runtime/interrupt.hpp"
#include "sums/blocks.hpp"

namespace svgm {

// The covariances of a tree's points in the order of the tree.
template <class Real>
struct Covariances {
  // covariances: (n, d, d) in the caller's order.
  Covariances(const BoxTree& tree, const double* covariances);
  Covariances(Covariances&&) = default;  // a copy's entries would point into the original

  std::vector<Real> storage;          // (d (d+1) / 2, padded size), the upper triangles by rows
  std::vector<const Real*> entries;
  std::vector<double> widths;         // the largest eigenvalue of each point's
  double widest;
};

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

// Both mixtures; pairs below exp(-cutoff) of their peak may be left out.
template <class Real>
struct FullRows {
  FullRows(const BoxTree& source_tree, const double* source_matrices, const BoxTree& target_tree,
           const double* target_matrices, double most)
      : source(source_tree), target(target_tree), source_covariances(source_tree, source_matrices),
        target_covariances(target_tree, target_matrices), cutoff(most) {}

  std::size_t blocks() const { return source.tree->padded_size() / kBlock; }

  template <int D, class Visit>
  void visit(const double* pose, double stretch, std::size_t first, std::size_t last, const Visit& call) const;

  Blocks<Real> source, target;
  Covariances<Real> source_covariances, target_covariances;
  double cutoff;
};

// R A Rᵀ, by the upper triangle of its rows.
template <int D>
inline void turned_covariance(const double (&rotation)[D][D], const double (&a)[D][D], double (&out)[D][D]) {
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

// Calls call(s, turned, value, force, u, a) for each source component s in blocks [first, last) that lies near the
// target: its moved mean without the translation, its share of sum n, of -sum n u and of U = sum n (C⁻¹ - u uᵀ), and its
// turned covariance.
template <class Real>
template <int D, class Visit>
void FullRows<Real>::visit(const double* pose, double stretch, std::size_t first, std::size_t last,
                           const Visit& call) const {
  constexpr int kEntries = D * (D + 1) / 2, kSums = 1 + D + kEntries;
  const BoxTree& tree = *source.tree;
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
    for (std::size_t s = begin; s < end; ++s) widest = std::max(widest, source_covariances.widths[s]);
    turn(source.centres.data() + block * D, turned);
    for (int k = 0; k < D; ++k) centre[k] = turned[k] + pose[k * (D + 1) + D];
    const double reach = std::sqrt(2.0 * cutoff * (stretch * stretch * widest + target_covariances.widest));
    near_blocks(target, centre, D, reach + stretch * source.radii[block], distances, near);
    if (near.empty()) continue;
    for (std::size_t s = begin; s < end; ++s) {
      check_interrupt();
      double x[D], own[D][D], a[D][D];
      for (int k = 0, at = 0; k < D; ++k) {
        x[k] = tree.coordinates()[k][s];
        for (int l = k; l < D; ++l, ++at)
          own[k][l] = own[l][k] = static_cast<double>(source_covariances.entries[static_cast<std::size_t>(at)][s]);
      }
      turn(x, turned);
      turned_covariance<D>(rotation, own, a);
      Real q[D], entries[kEntries], sums[kSums] = {};
      for (int k = 0, at = 0; k < D; ++k) {
        q[k] = static_cast<Real>(turned[k] + pose[k * (D + 1) + D]);
        for (int l = k; l < D; ++l) entries[at++] = static_cast<Real>(a[k][l]);
      }
      const double squared = 2.0 * cutoff * (stretch * stretch * source_covariances.widths[s] + target_covariances.widest);
      refine(target, q, D, static_cast<Real>(squared), near.data(), near.size(), distances, runs);
      if (runs.empty()) continue;
      add_moments(q, entries, target.coordinates.data(), target_covariances.entries.data(), target.weights,
                  runs.data(), runs.size(), sums);
      const double weight = tree.weights()[s];
      double force[D], u[D][D];
      for (int k = 0, at = 1 + D; k < D; ++k) {
        force[k] = -weight * static_cast<double>(sums[1 + k]);
        for (int l = k; l < D; ++l, ++at) u[k][l] = u[l][k] = weight * static_cast<double>(sums[at]);
      }
      call(s, turned, weight * static_cast<double>(sums[0]), force, u, a);
    }
  }
}

}  // namespace svgm
