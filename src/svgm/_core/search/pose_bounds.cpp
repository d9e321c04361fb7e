#include "search/pose_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "objective/derivatives.hpp"
#include "runtime/parallel.hpp"
#include "search/bound_loop.hpp"
#include "search/quadratic_bound.hpp"

namespace svgm {
namespace {

// The target's points are taken in runs of this many, which fit any instruction set.  If all Gaussians of a run are
// below exp(-cutoff) within reach, exp(-cutoff) is their bound.  For large boxes, whose bounds are loose, a rougher
// cutoff will do.
constexpr std::size_t kRun = 8;
constexpr double kFineCutoff = 20.0, kRoughCutoff = 11.0, kRoughFrom = 0.3;

// Rounding, relative to the sum of all weights: terms are below 1 and accurate to some 1e-15, their exponents to some
// 1e-15 of the places that they are differences of.
constexpr double kRounding = 1e-14;

// Reaches are rounded up to this, so that one can divide by them.
constexpr double kLeastReach = 1e-9;

constexpr std::size_t kBoxesPerTask = 16;

template <int D>
double length(const double (&v)[D]) {
  double squared = 0.0;
  for (const double x : v) squared += x * x;
  return std::sqrt(squared);
}

}  // namespace

PoseBounds::PoseBounds(const BoxTree& source, const BoxTree& target) : source_(&source), target_(&target) {
  for (std::size_t i = 0; i < source.size(); ++i) {
    double squared = 0.0;
    for (int k = 0; k < source.dimension(); ++k) squared += source.coordinates()[k][i] * source.coordinates()[k][i];
    lengths_.push_back(std::sqrt(squared));
  }
  const std::size_t d = static_cast<std::size_t>(target.dimension()), runs = target.padded_size() / kRun;
  stride_ = runs + kBlock;  // distances to boxes are computed some at a time
  low_.resize(d * stride_);
  high_.resize(d * stride_);
  for (std::size_t r = 0; r < runs; ++r) {
    check_interrupt(r);
    const double* weights = target.weights() + r * kRun;
    run_weights_.push_back(std::accumulate(weights, weights + kRun, 0.0));
    for (std::size_t k = 0; k < d; ++k) {
      const double* at = target.coordinates()[k] + r * kRun;
      const auto [least, most] = std::minmax_element(at, at + kRun);
      low_[k * stride_ + r] = *least;
      high_[k * stride_ + r] = *most;
    }
  }
  double farthest = 100.0;
  for (std::size_t i = 0; i < source.size(); ++i) farthest = std::max(farthest, lengths_[i]);
  for (int k = 0; k < target.dimension(); ++k)
    for (std::size_t j = 0; j < target.size(); ++j) farthest = std::max(farthest, std::abs(target.coordinates()[k][j]));
  rounding_ = kRounding * farthest * std::accumulate(source.weights(), source.weights() + source.size(), 0.0) *
              std::accumulate(run_weights_.begin(), run_weights_.end(), 0.0);
}

template <int D>
void PoseBounds::bound_one(const double* pose, double angle, const double* shift, double* bound,
                           double* value) const {
  constexpr int kR = rotations(D), kK = parameters(D);
  const std::size_t count = run_weights_.size();
  double h[D];
  std::copy_n(shift, D, h);
  const double far_shift = length<D>(h), alpha = angle, turn = 2.0 * std::sin(0.5 * std::min(alpha, std::numbers::pi));
  thread_local std::vector<double> distances;
  thread_local std::vector<Run> runs;
  distances.resize(count + kBlock);

  const double rough = std::exp(-kRoughCutoff), fine = std::exp(-kFineCutoff);
  double by_itself = 0.0, remainder = 0.0, outside = 0.0, at_pose = 0.0;
  Derivatives<D> model;
  for (std::size_t i = 0; i < source_->size(); ++i) {
    check_interrupt();
    const double w = source_->weights()[i], q_length = lengths_[i];
    const double reach = std::max(turn * q_length + far_shift, kLeastReach);
    double q[D], p[D];
    for (int k = 0; k < D; ++k) {
      q[k] = 0.0;
      for (int c = 0; c < D; ++c) q[k] += pose[k * (D + 1) + c] * source_->coordinates()[c][i];
      p[k] = q[k] + pose[k * (D + 1) + D];
    }

    BoundSums<D> sums{};
    runs.clear();
    double far = 0.0;
    pair_loop().in_double.box_distances(p, low_.data(), high_.data(), stride_, D, count, distances.data());
    const double cutoff = reach > kRoughFrom ? kRoughCutoff : kFineCutoff, away = reach + std::sqrt(2.0 * cutoff);
    for (std::size_t r = 0; r < count; ++r) {
      if (distances[r] > away * away)
        far += run_weights_[r];
      else if (!runs.empty() && runs.back().end == r * kRun)
        runs.back().end += kRun;
      else
        runs.push_back({r * kRun, (r + 1) * kRun});
    }
    outside += w * far * (reach > kRoughFrom ? rough : fine);
    if (runs.empty()) continue;
    bound_loop().in<D>()(p, reach, target_->coordinates(), target_->weights(), runs.data(), runs.size(), sums);

    const double K = sums.moments[0];
    double first[D], second[D][D];
    int at = 1 + D;
    for (int k = 0; k < D; ++k) {
      first[k] = -sums.moments[1 + k];
      for (int c = k; c < D; ++c, ++at) second[k][c] = second[c][k] = sums.moments[at];
      second[k][k] -= K;
    }
    double bend = 0.0;
    for (int k = 0; k < D; ++k)
      for (int c = 0; c < D; ++c) bend += second[k][c] * second[k][c];
    bend = std::sqrt(bend);
    const double pull = length<D>(first), rest = 2.0 * sums.excess;
    const double alone = std::min(sums.largest, K + reach * (pull + 0.5 * reach * (bend + rest)));
    // S = K'' + rest I, its Frobenius norm and, that of the part without trace, half the spread of its eigenvalues.
    double trace = 0.0, norm = 0.0;
    for (int k = 0; k < D; ++k) {
      second[k][k] += rest;
      trace += second[k][k];
      for (int c = 0; c < D; ++c) norm += second[k][c] * second[k][c];
    }
    const double spread = std::sqrt(0.5 * std::max(0.0, norm - trace * trace / D)), size = std::sqrt(norm);
    const double b2 = 0.5 * q_length * alpha * alpha, b3 = q_length * alpha * alpha * alpha / 6.0;
    const double left = pull * b3 + spread * q_length * alpha * b2 +
                        size * (q_length * alpha * b3 + far_shift * b2 + 0.5 * b2 * b2);
    by_itself += w * alone;
    at_pose += w * K;
    if (K + left < alone) {
      for (int k = 0; k < D; ++k) {
        first[k] *= w;
        for (int c = 0; c < D; ++c) second[k][c] *= w;
      }
      add(model, w * K, first, second, q);
      remainder += w * left;
    } else {
      remainder += w * alone;
    }
  }

  double together = remainder + model.value;
  if (together < by_itself) {
    using Model = QuadraticBound<kR, kK>;
    typename Model::Vector b, limits;
    typename Model::Square H;
    for (int k = 0; k < kK; ++k) limits[k] = k < kR ? alpha : h[k - kR];
    for (int k = 0; k < kK; ++k) {
      b[k] = limits[k] * model.gradient[k];
      for (int c = k; c < kK; ++c) H[k][c] = H[c][k] = limits[k] * limits[c] * model.hessian[k][c];
    }
    together += Model(b, H).largest();
  }
  *bound = std::min(together, by_itself) + outside + rounding_;
  *value = at_pose;
}

void PoseBounds::bound(const double* poses, const double* angles, const double* shifts, std::size_t count,
                       unsigned threads, double* bounds, double* values) const {
  const std::size_t d = static_cast<std::size_t>(dimension()), entries = (d + 1) * (d + 1);
  parallel_for((count + kBoxesPerTask - 1) / kBoxesPerTask, threads, [&](std::size_t task) {
    const std::size_t end = std::min(count, (task + 1) * kBoxesPerTask);
    for (std::size_t i = task * kBoxesPerTask; i < end; ++i) {
      if (d == 2)
        bound_one<2>(poses + i * entries, angles[i], shifts + i * d, bounds + i, values + i);
      else
        bound_one<3>(poses + i * entries, angles[i], shifts + i * d, bounds + i, values + i);
    }
  });
}

}  // namespace svgm
