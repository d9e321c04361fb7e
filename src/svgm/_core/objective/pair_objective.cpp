#include "objective/pair_objective.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "objective/evaluate_in_parts.hpp"

namespace svgm {
namespace {

constexpr std::size_t kBlocksPerPart = 16;

// Adds one source component.  Its row sums (value, first and second moments of the differences) become derivatives of
// the Gaussians.
template <int D, class Real>
void add_row(const Real* sums, double weight, double rate, const double (&turned)[D], Derivatives<D>& total) {
  const double h = 2.0 * rate, value = weight * static_cast<double>(sums[0]);
  double first[D], second[D][D];
  int at = 1 + D;
  for (int k = 0; k < D; ++k) {
    first[k] = -h * weight * static_cast<double>(sums[1 + k]);
    for (int c = k; c < D; ++c, ++at) second[k][c] = second[c][k] = h * h * weight * static_cast<double>(sums[at]);
    second[k][k] -= h * value;
  }
  add(total, value, first, second, turned);
}

// Calls visit(s, turned, sums) for each source component s in blocks [first, last) that lies near the target.
template <int D, class Real, class Visit>
void visit_rows(const Blocks<Real>& source, const Blocks<Real>& target, const double* pose, double rate, double radius,
                std::size_t first, std::size_t last, const Visit& visit) {
  constexpr int kSums = 1 + D + D * (D + 1) / 2;
  const auto& loop = pair_loop().sums<Real>();
  const auto turn = [&](const double* x, double* out) {
    for (int i = 0; i < D; ++i) {
      out[i] = 0.0;
      for (int j = 0; j < D; ++j) out[i] += pose[i * (D + 1) + j] * x[j];
    }
  };
  std::vector<Run> near, runs;
  std::vector<Real> distances;
  for (std::size_t block = first; block < last; ++block) {
    check_interrupt();
    double turned[D], centre[D];
    turn(source.centres.data() + block * D, turned);
    for (int k = 0; k < D; ++k) centre[k] = turned[k] + pose[k * (D + 1) + D];
    near_blocks(target, centre, D, radius + source.radii[block], distances, near);
    if (near.empty()) continue;
    const std::size_t end = std::min((block + 1) * kBlock, source.tree->size());
    for (std::size_t s = block * kBlock; s < end; ++s) {
      check_interrupt();
      double x[D];
      for (int k = 0; k < D; ++k) x[k] = source.tree->coordinates()[k][s];
      turn(x, turned);
      Real q[D], sums[kSums] = {};
      for (int k = 0; k < D; ++k) q[k] = static_cast<Real>(turned[k] + pose[k * (D + 1) + D]);
      refine(target, q, D, static_cast<Real>(radius * radius), near.data(), near.size(), distances, runs);
      if (runs.empty()) continue;
      const auto sum = D == 2 ? loop.moments_2d : loop.moments_3d;
      sum(q, target.coordinates.data(), target.weights, static_cast<Real>(rate), runs.data(), runs.size(), sums);
      visit(s, turned, sums);
    }
  }
}

}  // namespace

template <class Real>
PairObjective<Real>::PairObjective(Blocks<Real> source, Blocks<Real> target, double rate, double cutoff, double scale,
                           unsigned threads)
    : source_(std::move(source)), target_(std::move(target)), rate_(rate), radius_(std::sqrt(cutoff / rate)),
      scale_(scale), threads_(threads) {}

template <class Real>
void PairObjective<Real>::evaluate(const double* poses, std::size_t count, double* values, double* gradients,
                               double* hessians) const {
  const std::size_t blocks = source_.tree->padded_size() / kBlock;
  const auto in = [&]<int D>() {
    const auto part = [&](const double* pose, std::size_t i, Derivatives<D>& sum) {
      const std::size_t first = i * kBlocksPerPart, last = std::min(first + kBlocksPerPart, blocks);
      visit_rows<D>(source_, target_, pose, rate_, radius_, first, last,
                    [&](std::size_t s, const double(&turned)[D], const Real* sums) {
                      add_row<D>(sums, source_.tree->weights()[s], rate_, turned, sum);
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
void PairObjective<Real>::forces(const double* pose, double* out) const {
  const BoxTree& tree = *source_.tree;
  const auto write = [&]<int D>() {
    constexpr std::size_t kWidth = static_cast<std::size_t>(force_numbers(D));
    std::fill_n(out, tree.size() * kWidth, 0.0);
    const double h = 2.0 * rate_;
    visit_rows<D>(source_, target_, pose, rate_, radius_, 0, tree.padded_size() / kBlock,
                  [&](std::size_t s, const double(&)[D], const Real* sums) {
                    const double factor = scale_ * h * tree.weights()[s];
                    double* row = out + tree.order()[s] * kWidth;
                    for (int k = 0; k < D; ++k) row[k] = factor * static_cast<double>(sums[1 + k]);
                    for (int k = 0, at = 1 + D, to = parameters(D); k < D; ++k)
                      for (int l = k; l < D; ++l, ++at, ++to)
                        row[to] = factor * (static_cast<double>(k == l ? sums[0] : Real(0)) - h * static_cast<double>(sums[at]));
                  });
  };
  if (dimension() == 2)
    write.template operator()<2>();
  else
    write.template operator()<3>();
}

template class PairObjective<double>;
template class PairObjective<float>;

}  // namespace svgm
