#include "points/scatter.hpp"

#include <algorithm>
#include <vector>

#include "runtime/interrupt.hpp"

namespace svgm {
namespace {

constexpr std::size_t kBlockPoints = 1024;

// D is the dimension if it is 2 or 3, so that the sums stay in registers, and 0 for any other.
template <std::size_t D>
void scatter(const double* points, const double* weights, std::size_t n, std::size_t dimension, double* mean,
             double* out) {
  const std::size_t d = D ? D : dimension;
  std::vector<double> partial(d * d + d);
  double total = 0.0;
  std::fill(mean, mean + d, 0.0);
  for (std::size_t begin = 0; begin < n; begin += kBlockPoints) {
    check_interrupt();
    const std::size_t end = std::min(n, begin + kBlockPoints);
    double mass = 0.0, fixed[D ? D : 1] = {};
    double* sum = D ? fixed : partial.data();
    std::fill(sum, sum + d, 0.0);
    for (std::size_t i = begin; i < end; ++i) {
      mass += weights[i];
      for (std::size_t k = 0; k < d; ++k) sum[k] += weights[i] * points[i * d + k];
    }
    total += mass;
    for (std::size_t k = 0; k < d; ++k) mean[k] += sum[k];
  }
  for (std::size_t k = 0; k < d; ++k) mean[k] /= total;

  std::fill(out, out + d * d, 0.0);
  for (std::size_t begin = 0; begin < n; begin += kBlockPoints) {
    check_interrupt();
    const std::size_t end = std::min(n, begin + kBlockPoints);
    double fixed[D ? D * D + D : 1] = {};
    double* sum = D ? fixed : partial.data();
    double* centred = sum + d * d;
    std::fill(sum, sum + d * d, 0.0);
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t k = 0; k < d; ++k) centred[k] = points[i * d + k] - mean[k];
      for (std::size_t k = 0; k < d; ++k)
        for (std::size_t l = k; l < d; ++l) sum[k * d + l] += weights[i] * centred[k] * centred[l];
    }
    for (std::size_t k = 0; k < d * d; ++k) out[k] += sum[k];
  }
  for (std::size_t k = 0; k < d; ++k)
    for (std::size_t l = 0; l < k; ++l) out[k * d + l] = out[l * d + k];
}

}  // namespace

namespace {

template <std::size_t D>
void bounds(const double* points, std::size_t n, std::size_t dimension, double* low, double* high, double* sums) {
  const std::size_t d = D ? D : dimension;
  std::copy_n(points, d, low);
  std::copy_n(points, d, high);
  std::copy_n(points, d, sums);
  for (std::size_t i = 1; i < n; ++i) {
    check_interrupt(i);
    for (std::size_t k = 0; k < d; ++k) {
      const double x = points[i * d + k];
      // A NaN stays: in this order of arguments it is neither less nor more.
      low[k] = x < low[k] || x != x ? x : low[k];
      high[k] = high[k] < x || x != x ? x : high[k];
      sums[k] += x;
    }
  }
}

}  // namespace

void bounds_and_sums(const double* points, std::size_t n, std::size_t dimension, double* low, double* high,
                     double* sums) {
  const auto of = dimension == 3 ? bounds<3> : dimension == 2 ? bounds<2> : bounds<0>;
  of(points, n, dimension, low, high, sums);
}

void weighted_scatter(const double* points, const double* weights, std::size_t n, std::size_t dimension, double* mean,
                      double* out) {
  if (dimension == 3)
    scatter<3>(points, weights, n, dimension, mean, out);
  else if (dimension == 2)
    scatter<2>(points, weights, n, dimension, mean, out);
  else
    scatter<0>(points, weights, n, dimension, mean, out);
}

}  // namespace svgm
