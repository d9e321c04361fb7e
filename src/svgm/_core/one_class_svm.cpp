#include "one_class_svm.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <list>
#include <memory>
#include <unordered_map>

#include "box_tree.hpp"

namespace svgm {
namespace {

constexpr double kCutoff = 27.6;                       // exp(-27.6) = 1e-12: farther kernel values count as zero
constexpr std::size_t kCacheBytes = 256u << 20;        // rows kept; the least recently used goes first

struct KernelRow {
  std::vector<Run> runs;
  std::vector<double> values;  // of the runs, one after the other
};

// Rows of K on demand.  A row holds only the runs of points near enough to matter.
class KernelRows {
 public:
  KernelRows(const BoxTree& tree, double gamma) : tree_(tree), gamma_(gamma), radius_(std::sqrt(kCutoff / gamma)) {}

  std::shared_ptr<const KernelRow> row(std::size_t i) {
    const auto found = rows_.find(i);
    if (found != rows_.end()) {
      recent_.splice(recent_.begin(), recent_, found->second.second);
      return found->second.first;
    }
    auto made = compute(i);
    bytes_ += made->values.size() * sizeof(double);
    recent_.push_front(i);
    rows_[i] = {made, recent_.begin()};
    while (bytes_ > kCacheBytes && recent_.size() > 2) {
      const auto last = rows_.find(recent_.back());
      bytes_ -= last->second.first->values.size() * sizeof(double);
      rows_.erase(last);
      recent_.pop_back();
    }
    return made;
  }

  std::size_t evaluations() const { return evaluations_; }

 private:
  std::shared_ptr<KernelRow> compute(std::size_t i) {
    auto row = std::make_shared<KernelRow>();
    std::vector<double> q(static_cast<std::size_t>(tree_.dimension()));
    for (std::size_t k = 0; k < q.size(); ++k) q[k] = tree_.coordinates()[k][i];
    tree_.near(q.data(), radius_, row->runs);
    std::size_t total = 0;
    for (const Run& run : row->runs) total += run.end - run.begin;
    row->values.resize(total);
    double* out = row->values.data();
    for (const Run& run : row->runs) {
      // kernel_row writes at its points' own positions; shift so that the run lands at `out`.
      pair_loop().kernel_row(q.data(), tree_.coordinates(), tree_.dimension(), gamma_, run.begin, run.end,
                             out - run.begin);
      out += run.end - run.begin;
    }
    evaluations_ += total;
    return row;
  }

  const BoxTree& tree_;
  double gamma_, radius_;
  std::size_t bytes_ = 0, evaluations_ = 0;
  std::list<std::size_t> recent_;
  std::unordered_map<std::size_t, std::pair<std::shared_ptr<const KernelRow>, std::list<std::size_t>::iterator>> rows_;
};

void add_scaled(const KernelRow& row, double factor, std::vector<double>& gradient) {
  const double* value = row.values.data();
  for (const Run& run : row.runs) {
    double* g = gradient.data() + run.begin;
    const std::size_t length = run.end - run.begin;
    for (std::size_t k = 0; k < length; ++k) g[k] += factor * value[k];
    value += length;
  }
}

}  // namespace

OneClassSvm train_one_class_svm(const double* points, const double* bounds, const double* start, std::size_t n,
                                int dimension, double gamma, double tolerance, std::size_t max_iterations) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const BoxTree tree(points, nullptr, n, dimension);
  const std::vector<std::size_t>& order = tree.order();
  const std::size_t padded = tree.padded_size();
  KernelRows rows(tree, gamma);

  // Everything below is in the tree's order.  Padding has bound 0 and alpha 0, so it is never chosen.
  std::vector<double> alpha(padded, 0.0), bound(padded, 0.0), gradient(padded, 0.0), near_i(padded, 0.0);
  for (std::size_t s = 0; s < n; ++s) {
    alpha[s] = start[order[s]];
    bound[s] = bounds[order[s]];
  }
  for (std::size_t s = 0; s < n; ++s)
    if (alpha[s] > 0.0) add_scaled(*rows.row(s), alpha[s], gradient);

  OneClassSvm result;
  double lowest = 0.0, highest = 0.0;
  for (;; ++result.iterations) {
    // i: the point that most wants more weight; `highest`: the one that most wants less.
    std::size_t i = padded;
    lowest = kInfinity;
    highest = -kInfinity;
    for (std::size_t s = 0; s < n; ++s) {
      if (alpha[s] < bound[s] && gradient[s] < lowest) {
        lowest = gradient[s];
        i = s;
      }
      if (alpha[s] > 0.0 && gradient[s] > highest) highest = gradient[s];
    }
    result.converged = i == padded || highest - lowest <= tolerance * highest;
    if (result.converged || result.iterations == max_iterations) break;

    // j: the largest second-order decrease, (G_j - G_i)² / (2 - 2 K_ij)  (Fan, Chen & Lin 2005).
    const auto row_i = rows.row(i);
    const double* value = row_i->values.data();
    for (const Run& run : row_i->runs) {
      std::copy(value, value + (run.end - run.begin), near_i.begin() + static_cast<std::ptrdiff_t>(run.begin));
      value += run.end - run.begin;
    }
    std::size_t j = padded;
    double best = -1.0;
    for (std::size_t s = 0; s < n; ++s) {
      const double difference = gradient[s] - lowest;
      if (alpha[s] <= 0.0 || difference <= 0.0) continue;
      const double curvature = std::max(2.0 - 2.0 * near_i[s], 1e-12);
      if (difference * difference > best * curvature) {
        best = difference * difference / curvature;
        j = s;
      }
    }
    const double curvature = std::max(2.0 - 2.0 * near_i[j], 1e-12);
    for (const Run& run : row_i->runs)
      std::fill(near_i.begin() + static_cast<std::ptrdiff_t>(run.begin),
                near_i.begin() + static_cast<std::ptrdiff_t>(run.end), 0.0);

    double step = (gradient[j] - lowest) / curvature;
    const double room_i = bound[i] - alpha[i], room_j = alpha[j];
    step = std::min({step, room_i, room_j});
    alpha[i] = step == room_i ? bound[i] : alpha[i] + step;
    alpha[j] = step == room_j ? 0.0 : alpha[j] - step;
    add_scaled(*row_i, step, gradient);
    add_scaled(*rows.row(j), -step, gradient);
  }

  // rho: the mean over the margin (0 < alpha < bound); without such points, the middle of the admissible interval.
  double margin = 0.0;
  std::size_t free_points = 0;
  for (std::size_t s = 0; s < n; ++s)
    if (alpha[s] > 0.0 && alpha[s] < bound[s]) {
      margin += gradient[s];
      ++free_points;
    }
  result.rho = free_points > 0 ? margin / static_cast<double>(free_points)
                               : (std::isfinite(lowest) ? 0.5 * (lowest + highest) : highest);
  result.alpha.assign(n, 0.0);
  for (std::size_t s = 0; s < n; ++s) result.alpha[order[s]] = alpha[s];
  result.kernel_evaluations = rows.evaluations();
  return result;
}

}  // namespace svgm
