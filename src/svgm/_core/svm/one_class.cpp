// One class.  The covering problem is solved on a working set of points.  Then the other points are tested against the
// solution, and those that it does not cover join the set.  Most points of a dense set never join: such a point costs
// one kernel sum a round instead of a kernel row.
#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/interrupt.hpp"
#include "svm/smo.hpp"
#include "svm/sorted_points.hpp"
#include "svm/svm.hpp"

namespace svgm {
namespace {

constexpr std::size_t kMostSweeps = 2000;
constexpr std::size_t kSmall = 1024;         // up to this size, a set is solved without samples
constexpr std::size_t kShortRow = 512;       // so is a set whose kernel rows are this short,
constexpr std::size_t kShortRowOnce = 4096;  // or, if the gap alone counts and few sweeps are needed, this short
constexpr std::size_t kRefinement = 4;       // a sample has this many times the points of the one before
constexpr std::size_t kRounds = 100;
constexpr std::size_t kSpread = 64;  // first stride of the points that `with_room` adds
constexpr double kRoom = 3.0;        // their upper bounds must sum to at least this
// The accuracy on samples, whose solution is only the start for the next.
constexpr Accuracy kSketch{std::numeric_limits<double>::infinity(), 0.03};

template <class Real>
class OneClass {
 public:
  OneClass(const SortedPoints& points, std::vector<double> upper, Accuracy accuracy, SvmLimits limits, double cutoff)
      : points_(points),
        upper_(std::move(upper)),
        zeros_(points.size, 0.0),
        beta_(points.size, 0.0),
        inside_(points.size, 0),
        accuracy_(accuracy),
        limits_(limits),
        cutoff_(static_cast<Real>(cutoff)) {}

  Svm run(const double* start) {
    if (start) beta_ = points_.sorted(start);
    std::vector<std::uint32_t> set;
    if (points_.size <= (exact() ? kSmall : kShortRowOnce) || rows_are_short()) {
      set = every(1);
    } else if (start) {
      set = join({}, every(1), [&](std::size_t s) { return beta_[s] > 0.0; });
    } else {
      set = sampled();
    }
    Svm svm;
    bool pair_steps = false;  // in the last round only: each step looks at every point of the set
    for (std::size_t round = 0; round < kRounds; ++round) {
      set = with_room(set);
      if (set.size() == points_.size || round + 1 == kRounds) pair_steps = exact();
      finish(set, svm, pair_steps);
      if (set.size() == points_.size) break;
      const std::vector<std::uint32_t> missed = uncovered(every(1), {0.5 * accuracy_.violation, accuracy_.gap});
      if (missed.empty() && pair_steps == exact()) break;
      if (missed.empty()) pair_steps = true;
      set = join(active(set), missed, [](std::size_t) { return true; });
    }
    svm.beta = points_.in_callers_order(alpha_);
    svm.work = work_;
    return svm;
  }

 private:
  // Nested samples, coarse to fine.  The solution on one is the start for the next, which only uncovered points join.
  std::vector<std::uint32_t> sampled() {
    std::size_t stride = 1;
    while (points_.size / stride > kSmall) stride *= kRefinement;
    std::vector<std::uint32_t> set = every(stride);
    for (;;) {
      solve(set, kSketch, static_cast<double>(stride));
      stride /= kRefinement;
      const std::vector<std::uint32_t> missed = uncovered(every(stride), {kSketch.gap, kSketch.gap});
      set = join(active(set), missed, [](std::size_t) { return true; });
      if (stride == 1) return set;
    }
  }

  // Solves the covering problem on a sample, from beta_ if it has weight there.  Each point stands for `each` points.
  void solve(const std::vector<std::uint32_t>& set, Accuracy accuracy, double each) {
    const PointPackets<Real> packets(points_, set);
    KernelRows<Real> rows(packets, cutoff_, limits_.row_bytes);
    std::vector<double> upper = gathered(upper_, set);
    for (double& u : upper) u *= each;
    Covering<Real> covering(rows, upper);
    cover(covering, set, accuracy);
    keep(covering, rows, set);
  }

  // If the upper bounds of a set sum to less than kRoom, evenly spread points join it.
  std::vector<std::uint32_t> with_room(const std::vector<std::uint32_t>& set) const {
    const auto room = [&](const std::vector<std::uint32_t>& points) {
      double sum = 0.0;
      for (const std::uint32_t s : points) sum += upper_[s];
      return sum;
    };
    std::vector<std::uint32_t> larger = set;
    for (std::size_t stride = kSpread; room(larger) < kRoom && larger.size() < points_.size; stride /= 2)
      larger = join(set, every(std::max<std::size_t>(1, stride)), [](std::size_t) { return true; });
    return larger;
  }

  // Solves it on the working set to full accuracy, scaled to sum 1.
  void finish(const std::vector<std::uint32_t>& set, Svm& svm, bool pair_steps) {
    const PointPackets<Real> packets(points_, set);
    KernelRows<Real> rows(packets, cutoff_, limits_.row_bytes);
    const std::vector<double> upper = gathered(upper_, set), lower(set.size(), 0.0);
    Covering<Real> covering(rows, upper);
    cover(covering, set, accuracy_);
    std::vector<double> alpha = covering.normalised();
    keep(covering, rows, set);
    if (pair_steps) {
      Smo<Real> smo{rows, lower, upper, std::move(alpha), {}};
      smo.run(accuracy_.violation, limits_.pair_steps);
      svm.converged = smo.converged;
      svm.rho = smo.rho;
      alpha = std::move(smo.beta);
      work_.pair_steps += smo.steps;
      for (std::size_t k = 0; k < set.size(); ++k) beta_[set[k]] = alpha[k] * covering.total();
    } else {
      svm.converged = true;
      svm.rho = covering.bias();
    }
    alpha_ = zeros_;
    for (std::size_t k = 0; k < set.size(); ++k) alpha_[set[k]] = alpha[k];
  }

  void cover(Covering<Real>& covering, const std::vector<std::uint32_t>& set, Accuracy accuracy) {
    const std::vector<double> start = gathered(beta_, set);
    if (std::any_of(start.begin(), start.end(), [](double b) { return b > 0.0; }))
      covering.begin(start);
    else
      covering.spread();
    covering.solve(accuracy, kMostSweeps);
  }

  void keep(const Covering<Real>& covering, const KernelRows<Real>& rows, const std::vector<std::uint32_t>& set) {
    beta_ = zeros_;
    for (std::size_t k = 0; k < set.size(); ++k) beta_[set[k]] = static_cast<double>(covering.beta()[k]);
    sums_.assign(covering.sums().begin(), covering.sums().begin() + static_cast<std::ptrdiff_t>(set.size()));
    work_.kernel_evaluations += rows.evaluations();
    work_.sweeps += covering.work().sweeps;
    work_.row_updates += covering.work().row_updates;
    std::fill(inside_.begin(), inside_.end(), char{0});
    for (const std::uint32_t s : set) inside_[s] = 1;
  }

  // Of the candidates outside the set, those whose kernel sum falls short of 1 by more than the accuracy's violation,
  // or by more than its gap as long as together they widen the gap by more.
  std::vector<std::uint32_t> uncovered(const std::vector<std::uint32_t>& candidates, Accuracy accuracy) {
    std::vector<std::uint32_t> outside;
    for (const std::uint32_t s : candidates)
      if (!inside_[s] && upper_[s] > 0.0) outside.push_back(s);
    std::vector<std::uint32_t> support;
    for (std::uint32_t s = 0; s < points_.size; ++s)
      if (beta_[s] > 0.0) support.push_back(s);
    const PointPackets<Real> sources(points_, support);
    const PointPackets<Real> queries(points_, outside);
    std::vector<Real> weights(sources.padded_size(), Real(0)), q(points_.columns), box(2 * points_.dimension);
    std::vector<Real> scratch((points_.columns + points_.dimension) * kPacket);
    for (std::size_t k = 0; k < support.size(); ++k) weights[k] = static_cast<Real>(beta_[support[k]]);
    std::vector<std::uint32_t> near, missed;
    std::vector<double> short_by(outside.size());
    double gap = 0.0;
    for (std::size_t k = 0; k < outside.size(); ++k) {
      if (k % kPacket == 0) {
        check_interrupt();
        near.clear();
        queries.box(k / kPacket, box.data());
        sources.near(box.data(), cutoff_, near);
      }
      queries.copy(k, q.data());
      short_by[k] = 1.0 - static_cast<double>(svm_loop<Real>().kernel_sum(
                              sources.query(q.data(), cutoff_, scratch.data()), near.data(), near.size(),
                              weights.data()));
      work_.kernel_evaluations += near.size() * kPacket;
      gap += upper_[outside[k]] * std::max(0.0, short_by[k] - accuracy.gap);
    }
    const double allowed = gap <= accuracy.gap ? accuracy.violation : std::min(accuracy.violation, accuracy.gap);
    for (std::size_t k = 0; k < outside.size(); ++k)
      if (short_by[k] > allowed) missed.push_back(outside[k]);
    return missed;
  }

  // The points of a set that have weight, or whose kernel sum is below 1.
  std::vector<std::uint32_t> active(const std::vector<std::uint32_t>& set) const {
    std::vector<std::uint32_t> kept;
    for (std::size_t k = 0; k < set.size(); ++k)
      if (beta_[set[k]] > 0.0 || static_cast<double>(sums_[k]) < 1.0) kept.push_back(set[k]);
    return kept;
  }

  bool exact() const { return std::isfinite(accuracy_.violation); }

  bool rows_are_short() const {
    const PointPackets<Real> packets(points_, every(1));
    std::vector<std::uint32_t> near;
    const std::size_t step = std::max<std::size_t>(1, packets.packets() / 16);
    std::size_t searched = 0;
    std::vector<Real> box(2 * points_.dimension);
    for (std::size_t p = 0; p < packets.packets(); p += step, ++searched) {
      packets.box(p, box.data());
      packets.near(box.data(), cutoff_, near);
    }
    return near.size() * kPacket <= (exact() ? kShortRow : kShortRowOnce) * searched;
  }

  std::vector<std::uint32_t> every(std::size_t stride) const {
    std::vector<std::uint32_t> all;
    all.reserve(points_.size / stride + 1);
    for (std::size_t s = 0; s < points_.size; s += stride) all.push_back(static_cast<std::uint32_t>(s));
    return all;
  }

  template <class Wanted>
  static std::vector<std::uint32_t> join(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b,
                                         Wanted wanted) {
    std::vector<std::uint32_t> extra, all;
    std::copy_if(b.begin(), b.end(), std::back_inserter(extra), wanted);
    std::set_union(a.begin(), a.end(), extra.begin(), extra.end(), std::back_inserter(all));
    return all;
  }

  static std::vector<double> gathered(const std::vector<double>& values, const std::vector<std::uint32_t>& set) {
    std::vector<double> out(set.size());
    for (std::size_t k = 0; k < set.size(); ++k) out[k] = values[set[k]];
    return out;
  }

  const SortedPoints& points_;
  std::vector<double> upper_, zeros_, beta_, alpha_;  // beta_: of the covering problem; alpha_: scaled to sum 1
  std::vector<char> inside_;                          // whether a point is in the working set
  std::vector<Real> sums_;                            // kernel sums on the working set
  Accuracy accuracy_;
  SvmLimits limits_;
  Real cutoff_;
  Work work_;
};

}  // namespace

Svm train_one_class(const SvmProblem& problem, const double* upper, const double* start, Accuracy accuracy,
                    SvmLimits limits) {
  const SortedPoints points(problem);
  // Kernel values that are left out together stay below the accuracy asked for: at any point, however the points fill
  // their space, or, where the gap alone counts, on surfaces.
  const bool exact = std::isfinite(accuracy.violation);
  const double finest = std::min(accuracy.violation, accuracy.gap);
  const double cutoff = exact ? squared_cutoff(problem.dimension, std::min(0.1 * accuracy.violation, accuracy.gap))
                              : squared_cutoff(std::max<std::size_t>(2, problem.dimension - 1), accuracy.gap);
  // Single precision has 6e-8 of the sums and of the coordinates, whose error shows in an exponent 2 |x - y| times.
  // Covariances that are thin in some direction magnify both.
  const double thin = points.thinnest;
  const double rounding =
      6e-8 * (thin < 1.0 ? (10.0 + cutoff) / thin + 2.0 * points.reach * std::sqrt(cutoff / thin)
                         : 10.0 + 2.0 * points.reach * std::sqrt(cutoff));
  if (rounding < 0.1 * finest)
    return OneClass<float>(points, points.sorted(upper), accuracy, limits, cutoff).run(start);
  return OneClass<double>(points, points.sorted(upper), accuracy, limits, cutoff).run(start);
}

}  // namespace svgm
