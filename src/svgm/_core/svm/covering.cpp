#include "svm/covering.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/interrupt.hpp"

namespace svgm {
namespace {

// A sweep skips points whose best step is less than this share of the largest one.  So steps go where they help most,
// and points that others are about to cover get neither weight nor a kernel row.
constexpr double kWorthwhile = 0.3;
constexpr double kFirstWorthwhile = 0.2;
constexpr double kSettled = 0.1;

// Over-relaxation: steps are longer than the best step by this factor, unless that meets a bound.  It saves a quarter
// of the steps.  It is not used where every point must meet its sum: there it would only be undone.
constexpr double kRelaxation = 1.3;

}  // namespace

template <class Real>
Covering<Real>::Covering(KernelRows<Real>& rows, const std::vector<double>& upper)
    : rows_(rows),
      size_(rows.points().size()),
      beta_(rows.points().padded_size(), Real(0)),
      sums_(beta_),
      upper_(beta_),
      exact_upper_(upper) {
  for (std::size_t s = 0; s < size_; ++s) upper_[s] = static_cast<Real>(upper[s]);
}

template <class Real>
void Covering<Real>::move(std::size_t s, Real step) {
  check_interrupt();
  svm_loop<Real>().add_row(sums_.data(), rows_.row(s), step);
  beta_[s] += step;
  total_ += static_cast<double>(step);
  ++work_.row_updates;
}

template <class Real>
void Covering<Real>::spread() {
  // The bounds depend on the total, which is not known yet: here they are left out.
  std::size_t stride = 1;
  while (stride * kPacket < size_) stride *= 2;
  for (; stride > 0; stride /= 2)
    for (std::size_t s = 0; s < size_; s += stride) {
      const Real step = Real(1) - sums_[s];
      if (upper_[s] > Real(0) && step > static_cast<Real>(kFirstWorthwhile)) move(s, step);
    }
}

template <class Real>
void Covering<Real>::begin(const std::vector<double>& beta) {
  for (std::size_t s = 0; s < size_; ++s)
    if (beta[s] > 0.0) move(s, static_cast<Real>(beta[s]));
  // The best multiple of these weights: the minimum of ½ c² βᵀKβ - c sum β.
  double energy = 0.0;
  for (std::size_t s = 0; s < size_; ++s) energy += static_cast<double>(beta_[s]) * static_cast<double>(sums_[s]);
  const double factor = energy > 0.0 ? total_ / energy : 1.0;
  for (std::size_t s = 0; s < beta_.size(); ++s) {
    beta_[s] *= static_cast<Real>(factor);
    sums_[s] *= static_cast<Real>(factor);
  }
  total_ *= factor;
}

// For any bias r, the objective ½ αᵀKα exceeds its minimum by at most the gap αᵀKα - r + sum upper max(0, r - Kα), here
// relative to αᵀKα and for the best of a few r at or below 1, the sum that points are held at.
template <class Real>
double Covering<Real>::assess() {
  Real biases[kBiases], under[kBiases], largest, energy;
  constexpr double kBelow[kBiases] = {0.0, 0.05, 0.2, 0.5};
  for (std::size_t k = 0; k < kBiases; ++k) biases[k] = static_cast<Real>(1.0 - kBelow[k] * std::min(largest_, 1.0));
  svm_loop<Real>().assess(beta_.data(), sums_.data(), upper_.data(), static_cast<Real>(bounding_total_),
                          rows_.points().packets(), biases, &largest, &energy, under);
  largest_ = static_cast<double>(largest);
  const double mean = static_cast<double>(energy) / total_;  // αᵀKα in units of the bias
  double gap = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < kBiases; ++k)
    gap = std::min(gap, mean - static_cast<double>(biases[k]) + static_cast<double>(under[k]));
  return gap / mean;
}

template <class Real>
void Covering<Real>::solve(Accuracy accuracy, std::size_t most_sweeps) {
  const SvmLoop<Real>& loop = svm_loop<Real>();
  const Real relaxation = static_cast<Real>(std::isfinite(accuracy.violation) ? 1.0 : kRelaxation);
  bounding_total_ = total_;
  for (std::size_t sweep = 0; sweep < most_sweeps; ++sweep) {
    check_interrupt();
    const double gap = assess();
    // If the total has changed since the bounds were set, the weights scaled to sum 1 would not fit the bounds.
    const bool bounds_hold = std::abs(total_ - bounding_total_) <= 0.1 * accuracy.gap * total_;
    if (largest_ <= accuracy.violation && gap <= accuracy.gap && bounds_hold) return;
    if (largest_ == 0.0) return;
    // The bounds follow the total only once the sums are about right: before, both could shrink to zero together.
    if (largest_ <= kSettled) bounding_total_ = total_;
    const Real bounding = static_cast<Real>(bounding_total_);
    const double least = kWorthwhile * largest_;
    const std::size_t last = rows_.points().padded_size();
    KernelRow<Real> row;
    for (std::size_t s = 0; s < last; row = s < last ? rows_.row(s) : row)
      s = loop.sweep(beta_.data(), sums_.data(), upper_.data(), bounding, static_cast<Real>(least), relaxation,
                     rows_.kept(), row, s, last, &total_, &work_.row_updates);
    ++work_.sweeps;
  }
}

template <class Real>
std::vector<double> Covering<Real>::normalised() const {
  const std::vector<double>& upper = exact_upper_;
  std::vector<double> alpha(size_, 0.0);
  // Rounding may leave weights slightly below zero.
  for (std::size_t s = 0; s < size_; ++s) alpha[s] = std::max(0.0, static_cast<double>(beta_[s]));
  // Points at their bounds stay there and the others share the rest.  That may bring more points to their bounds, so
  // repeat.
  for (int pass = 0; pass < 50; ++pass) {
    check_interrupt();
    double bound = 0.0, free = 0.0;
    for (std::size_t s = 0; s < size_; ++s)
      (pass > 0 && alpha[s] > 0.0 && alpha[s] >= upper[s] ? bound : free) += alpha[s];
    if (free <= 0.0 || bound > 1.0) break;
    const double factor = (1.0 - bound) / free;
    if (pass > 0 && std::abs(factor - 1.0) < 1e-15) break;
    for (std::size_t s = 0; s < size_; ++s)
      if (pass == 0 || alpha[s] < upper[s]) alpha[s] = std::min(alpha[s] * factor, upper[s]);
  }
  // What is still missing to the sum of 1, by rounding or because the bounds are tight, goes to the points with room.
  double missing = 1.0;
  for (const double a : alpha) missing -= a;
  for (std::size_t s = 0; s < size_ && missing != 0.0; ++s) {
    if (std::abs(missing) < 1e-12 && alpha[s] == 0.0) continue;
    const double change = std::clamp(missing, -alpha[s], upper[s] - alpha[s]);
    alpha[s] += change;
    missing -= change;
  }
  return alpha;
}

template <class Real>
double Covering<Real>::bias() const {
  double sum = 0.0;
  std::size_t free = 0;
  for (std::size_t s = 0; s < size_; ++s)
    if (beta_[s] > Real(0) && beta_[s] < upper_[s] * static_cast<Real>(bounding_total_)) {
      sum += static_cast<double>(sums_[s]);
      ++free;
    }
  return (free > 0 ? sum / static_cast<double>(free) : 1.0) / total_;
}

template class Covering<float>;
template class Covering<double>;

}  // namespace svgm
