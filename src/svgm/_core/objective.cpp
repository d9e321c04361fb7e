#include "objective.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "derivatives.hpp"

namespace svgm {
namespace {

constexpr int kMostAxes = 3;
constexpr std::size_t kBlocksPerPart = 16;

// The runs of target blocks within `radius` of q, out of those of `candidates`.
template <class Real>
void refine(const Blocks<Real>& target, const Real* q, int d, Real squared_radius, const Run* candidates,
            std::size_t candidate_count, std::vector<Real>& distances, std::vector<Run>& runs) {
  runs.clear();
  for (const Run* candidate = candidates; candidate != candidates + candidate_count; ++candidate) {
    const std::size_t first = candidate->begin / kBlock, count = candidate->end / kBlock - first;
    if (distances.size() < count + kBlock) distances.resize(count + kBlock);
    pair_loop().sums<Real>().box_distances(q, target.low.data() + first, target.high.data() + first, target.stride, d,
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

// The runs of target blocks within `radius` of a place.  Of up to some hundreds, a look at every block's box is faster
// than a walk down the tree.
template <class Real>
void near_blocks(const Blocks<Real>& target, const double* place, int d, double radius, std::vector<Real>& distances,
                 std::vector<Run>& runs) {
  constexpr std::size_t kFewBlocks = 512;
  if (d > kMostAxes || target.tree->padded_size() > kFewBlocks * kBlock) {
    target.tree->near(place, radius, runs);
    return;
  }
  Real q[kMostAxes];
  std::copy_n(place, d, q);
  const Run all{0, target.tree->padded_size()};
  refine(target, q, d, static_cast<Real>(radius * radius), &all, 1, distances, runs);
}

// Adds what one source component contributes: its row sums (value, first and second moments of the differences) turned
// into derivatives of the Gaussians.
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
    // A pair of blocks is looked at from the first of the two and counts twice.
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

template <class Real>
Objective<Real>::Objective(Blocks<Real> source, Blocks<Real> target, double rate, double cutoff, double scale,
                           unsigned threads)
    : source_(std::move(source)), target_(std::move(target)), rate_(rate), radius_(std::sqrt(cutoff / rate)),
      scale_(scale), threads_(threads) {}

template <class Real>
void Objective<Real>::evaluate(const double* poses, std::size_t count, double* values, double* gradients,
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
void Objective<Real>::forces(const double* pose, double* out) const {
  const BoxTree& tree = *source_.tree;
  const auto write = [&]<int D>() {
    std::fill_n(out, tree.size() * D, 0.0);
    visit_rows<D>(source_, target_, pose, rate_, radius_, 0, tree.padded_size() / kBlock,
                  [&](std::size_t s, const double(&)[D], const Real* sums) {
                    for (std::size_t k = 0; k < D; ++k)
                      out[tree.order()[s] * D + k] =
                          scale_ * 2.0 * rate_ * tree.weights()[s] * static_cast<double>(sums[1 + k]);
                  });
  };
  if (dimension() == 2)
    write.template operator()<2>();
  else
    write.template operator()<3>();
}

template struct Blocks<double>;
template struct Blocks<float>;
template double self_overlap(const Blocks<double>&, double, double);
template double self_overlap(const Blocks<float>&, double, double);
template class Objective<double>;
template class Objective<float>;

}  // namespace svgm
