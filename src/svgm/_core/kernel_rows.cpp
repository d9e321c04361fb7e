#include "kernel_rows.hpp"

#include <algorithm>
#include <cmath>

namespace svgm {
namespace {

constexpr double kCutoff = 18.4;                 // exp(-18.4) = 1e-8: farther kernel values count as zero
constexpr std::size_t kCacheBytes = 256u << 20;  // the least recently used rows go first

}  // namespace

void KernelRow::add_to(double* out, double factor) const {
  const double* value = values.data();
  for (const Run& run : runs) {
    double* at = out + run.begin;
    const std::size_t length = run.end - run.begin;
    for (std::size_t k = 0; k < length; ++k) at[k] += factor * value[k];
    value += length;
  }
}

void KernelRow::copy_to(double* out) const {
  const double* value = values.data();
  for (const Run& run : runs) {
    std::copy(value, value + (run.end - run.begin), out + run.begin);
    value += run.end - run.begin;
  }
}

void KernelRow::clear(double* out) const {
  for (const Run& run : runs) std::fill(out + run.begin, out + run.end, 0.0);
}

KernelRows::KernelRows(const BoxTree& tree, double gamma)
    : tree_(tree), gamma_(gamma), radius_(std::sqrt(kCutoff / gamma)) {}

std::shared_ptr<const KernelRow> KernelRows::row(std::size_t i) {
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

std::shared_ptr<const KernelRow> KernelRows::compute(std::size_t i) {
  auto row = std::make_shared<KernelRow>();
  std::vector<double> q(static_cast<std::size_t>(tree_.dimension()));
  for (std::size_t k = 0; k < q.size(); ++k) q[k] = tree_.coordinates()[k][i];
  tree_.near(q.data(), radius_, row->runs);
  std::size_t total = 0;
  for (const Run& run : row->runs) total += run.end - run.begin;
  row->values.resize(total);
  std::size_t at = 0;
  for (const Run& run : row->runs) {
    pair_loop().kernel_row(q.data(), tree_.coordinates(), tree_.dimension(), gamma_, run.begin, run.end,
                           row->values.data() + at);
    at += run.end - run.begin;
  }
  evaluations_ += total;
  return row;
}

}  // namespace svgm
