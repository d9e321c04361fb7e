#include "sums/full_transform.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "runtime/parallel.hpp"
#include "sums/box_tree.hpp"

namespace svgm {
namespace {

constexpr std::size_t kFan = 8;  // boxes under one box of the level above

// The lower triangle of a covariance by rows becomes its Cholesky factor L, and d becomes L⁻¹d.  D is the dimension if
// the compiler knows it, otherwise 0.  Returns the product of L's diagonal, |C|^½.
template <int D>
double factorise(double* lower, double* d, int dimension) {
  const int n = D ? D : dimension;
  double root = 1.0;
  double* row = lower;
  for (int i = 0; i < n; row += ++i) {
    const double* other = lower;
    for (int j = 0; j < i; other += ++j) {
      double sum = row[j];
      for (int k = 0; k < j; ++k) sum -= row[k] * other[k];
      row[j] = sum / other[j];
      d[i] -= row[j] * d[j];
    }
    double sum = row[i];
    for (int k = 0; k < i; ++k) sum -= row[k] * row[k];
    row[i] = std::sqrt(sum);
    d[i] /= row[i];
    root *= row[i];
  }
  return root;
}

// In place: L becomes L⁻¹.
void invert(double* lower, int n) {
  for (int i = 0; i < n; ++i) {
    double* row = lower + i * (i + 1) / 2;
    const double diagonal = 1.0 / row[i];
    for (int j = 0; j < i; ++j) {
      double sum = 0.0;
      for (int k = j; k < i; ++k) sum += row[k] * lower[k * (k + 1) / 2 + j];
      row[j] = -sum * diagonal;
    }
    row[i] = diagonal;
  }
}

// The Gaussians, near ones together, under levels of boxes.  The box of a Gaussian holds all places where it exceeds
// exp(-cutoff) of its peak: dᵀΣ⁻¹d <= r² is an ellipsoid, which along axis k reaches r sqrt(Σ_kk).
class FullTree {
 public:
  // With `whitened`, `matrices` holds the inverse Cholesky factors, and the weights include |Σ|^-½.
  FullTree(const FullGaussians& all, double cutoff, bool whitened)
      : dimension(all.dimension),
        triangle(static_cast<std::size_t>(all.dimension * (all.dimension + 1) / 2)),
        reach(std::sqrt(2.0 * cutoff)) {
    const std::size_t d = static_cast<std::size_t>(dimension);
    const BoxTree sorted(all.means, nullptr, all.size, all.dimension);
    means.resize(all.size * d);
    matrices.resize(all.size * triangle);
    weights.resize(all.size);
    Level leaves((all.size + kBlock - 1) / kBlock, d);
    std::vector<double> none(d, 0.0);
    for (std::size_t s = 0; s < all.size; ++s) {
      check_interrupt();
      const double* mean = all.means + sorted.order()[s] * d;
      const double* covariance = all.covariances + sorted.order()[s] * d * d;
      std::copy_n(mean, d, means.data() + s * d);
      double* to = matrices.data() + s * triangle;
      for (std::size_t i = 0; i < d; ++i) to = std::copy_n(covariance + i * d, i + 1, to);
      weights[s] = all.weights[sorted.order()[s]];
      for (std::size_t k = 0; k < d; ++k) {
        const double half = reach * std::sqrt(covariance[k * d + k]);
        leaves.include(s / kBlock, k, mean[k] - half, mean[k] + half);
      }
      if (!whitened) continue;
      weights[s] /= factorise<0>(matrices.data() + s * triangle, none.data(), dimension);
      invert(matrices.data() + s * triangle, dimension);
    }
    levels_.push_back(std::move(leaves));
    while (levels_.back().count > 1) {
      const Level& below = levels_.back();
      Level above((below.count + kFan - 1) / kFan, d);
      for (std::size_t b = 0; b < below.count; ++b)
        for (std::size_t k = 0; k < d; ++k) above.include(b / kFan, k, below.low(b)[k], below.high(b)[k]);
      levels_.push_back(std::move(above));
    }
  }

  std::size_t size() const { return weights.size(); }

  // Calls visit(s) for every Gaussian of the blocks whose box meets the box from `low` to `high`, in order.
  template <class Visit>
  void near(const double* low, const double* high, const Visit& visit) const {
    search(levels_.size() - 1, 0, levels_.back().count, low, high, visit);
  }

  const int dimension;
  const std::size_t triangle;  // entries of a matrix
  const double reach;  // in deviations
  std::vector<double> means, matrices, weights;

 private:
  struct Level {
    std::size_t count, d;
    std::vector<double> boxes;  // all minima, then all maxima, of each box

    Level(std::size_t boxes_, std::size_t dimension_) : count(boxes_), d(dimension_), boxes(2 * boxes_ * dimension_) {
      constexpr double far_away = std::numeric_limits<double>::infinity();
      for (std::size_t b = 0; b < count; ++b) {
        std::fill_n(boxes.data() + 2 * b * d, d, far_away);
        std::fill_n(boxes.data() + (2 * b + 1) * d, d, -far_away);
      }
    }
    const double* low(std::size_t b) const { return boxes.data() + 2 * b * d; }
    const double* high(std::size_t b) const { return low(b) + d; }
    void include(std::size_t b, std::size_t k, double from, double to) {
      double* box = boxes.data() + 2 * b * d;
      box[k] = std::min(box[k], from);
      box[d + k] = std::max(box[d + k], to);
    }
    bool meets(std::size_t b, const double* from, const double* to) const {
      for (std::size_t k = 0; k < d; ++k)
        if (!(low(b)[k] <= to[k] && from[k] <= high(b)[k])) return false;
      return true;
    }
  };

  template <class Visit>
  void search(std::size_t level, std::size_t first, std::size_t last, const double* low, const double* high,
              const Visit& visit) const {
    for (std::size_t b = first; b < last; ++b) {
      if (!levels_[level].meets(b, low, high)) continue;
      if (level > 0) {
        search(level - 1, b * kFan, std::min((b + 1) * kFan, levels_[level - 1].count), low, high, visit);
        continue;
      }
      check_interrupt();
      for (std::size_t s = b * kBlock; s < std::min((b + 1) * kBlock, size()); ++s) visit(s);
    }
  }

  std::vector<Level> levels_;  // blocks first, one box last
};

template <int D>
class Rows {
 public:
  Rows(const FullTree& tree, double cutoff)
      : tree_(tree),
        n_(D ? D : tree.dimension),
        cutoff_(cutoff),
        low_(static_cast<std::size_t>(n_)),
        high_(low_),
        d_(low_),
        matrix_(tree.triangle),
        own_(tree.triangle) {}

  double at_point(const double* q) {
    double sum = 0.0;
    tree_.near(q, q, [&](std::size_t s) {
      difference(q, s);
      const double* row = tree_.matrices.data() + s * tree_.triangle;  // L⁻¹
      double squared = 0.0;
      for (int i = 0; i < n_; row += ++i) {
        double y = 0.0;
        for (int j = 0; j <= i; ++j) y += row[j] * d_[static_cast<std::size_t>(j)];
        squared += y * y;
      }
      if (0.5 * squared <= cutoff_) sum += tree_.weights[s] * std::exp(-0.5 * squared);
    });
    return sum;
  }

  double at_gaussian(const double* q, const double* covariance) {
    double* to = own_.data();
    for (int i = 0; i < n_; ++i) {
      const std::size_t k = static_cast<std::size_t>(i);
      to = std::copy_n(covariance + i * n_, i + 1, to);
      // sqrt(a + b) <= sqrt(a) + sqrt(b): the pair is below the cutoff unless the boxes of the two Gaussians meet.
      const double half = tree_.reach * std::sqrt(covariance[i * n_ + i]);
      low_[k] = q[i] - half;
      high_[k] = q[i] + half;
    }
    double sum = 0.0;
    tree_.near(low_.data(), high_.data(), [&](std::size_t s) {
      difference(q, s);
      const double* other = tree_.matrices.data() + s * tree_.triangle;
      for (std::size_t k = 0; k < matrix_.size(); ++k) matrix_[k] = own_[k] + other[k];
      const double root = factorise<D>(matrix_.data(), d_.data(), n_);
      double squared = 0.0;
      for (const double y : d_) squared += y * y;
      if (0.5 * squared <= cutoff_) sum += tree_.weights[s] / root * std::exp(-0.5 * squared);
    });
    return sum;
  }

 private:
  void difference(const double* q, std::size_t s) {
    const double* mean = tree_.means.data() + s * d_.size();
    for (std::size_t k = 0; k < d_.size(); ++k) d_[k] = q[k] - mean[k];
  }

  const FullTree& tree_;
  const int n_;
  const double cutoff_;
  std::vector<double> low_, high_, d_, matrix_, own_;
};

template <int D>
void transform_rows(const FullTree& tree, const double* queries, const double* covariances, std::size_t first,
                    std::size_t last, double cutoff, double* sums) {
  Rows<D> rows(tree, cutoff);
  const std::size_t d = static_cast<std::size_t>(tree.dimension);
  for (std::size_t i = first; i < last; ++i) {
    check_interrupt();
    sums[i] = covariances ? rows.at_gaussian(queries + i * d, covariances + i * d * d) : rows.at_point(queries + i * d);
  }
}

}  // namespace

void full_transform(const FullGaussians& gaussians, const double* queries, const double* query_covariances,
                    std::size_t m, double cutoff, unsigned threads, double* sums) {
  const FullTree tree(gaussians, cutoff, query_covariances == nullptr);
  const auto rows = tree.dimension == 2   ? transform_rows<2>
                    : tree.dimension == 3 ? transform_rows<3>
                                          : transform_rows<0>;
  // Waking a thread takes as long as some hundred pairs, which cost more than those of equal covariances.
  constexpr std::size_t kRowsPerTask = 32;
  const std::size_t worthwhile = 1 + m * tree.size() / 10000;
  parallel_for((m + kRowsPerTask - 1) / kRowsPerTask, std::min<std::size_t>(threads, worthwhile), [&](std::size_t task) {
    const std::size_t first = task * kRowsPerTask;
    rows(tree, queries, query_covariances, first, std::min(first + kRowsPerTask, m), cutoff, sums);
  });
}

}  // namespace svgm
