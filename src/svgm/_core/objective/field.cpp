#include "objective/field.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "objective/evaluate_in_parts.hpp"

namespace svgm {
namespace {

constexpr double kSpacing = 0.8;  // of the Gaussians' standard deviation
constexpr std::size_t kRowsPerPart = 512;

struct Extent {
  double low, high;
};

Extent extent(const BoxTree& points, int axis) {
  const double* x = points.coordinates()[axis];
  const auto [low, high] = std::minmax_element(x, x + points.size());
  return {*low, *high};
}

}  // namespace

template <int D>
double Field<D>::knots(const BoxTree& points, double rate, double cutoff) {
  const double spacing = kSpacing / std::sqrt(2.0 * rate), reach = std::sqrt(cutoff / rate);
  double count = 1.0;
  for (int k = 0; k < D; ++k) {
    const auto [low, high] = extent(points, k);
    count *= (high - low + 2.0 * reach) / spacing + 4.0;
  }
  return count;
}

// A spline on knots h apart whose coefficients are samples of a function is that function smoothed by the B-spline:
// variance h²/3, fourth cumulant -h⁴/30.  So the samples are taken of the Gaussian that is narrower by this variance,
// times the polynomial that makes up for the cumulant; what is left is of sixth order in h over the deviation.
template <int D>
Field<D>::Field(const BoxTree& points, double rate, double cutoff) {
  const double variance = 0.5 / rate, reach = std::sqrt(cutoff / rate);
  const double spacing = kSpacing * std::sqrt(variance);
  const double narrow = variance - spacing * spacing / 3.0;
  const double amplitude = std::sqrt(variance / narrow), fourth = std::pow(spacing * spacing / narrow, 2) / 720.0;
  if (!(knots(points, rate, cutoff) <= kMostKnots)) throw std::length_error("too many knots for a field");
  std::size_t size[D];
  for (int k = 0; k < D; ++k) {
    const auto [low, high] = extent(points, k);
    grid_.origin[k] = low - reach - spacing;
    size[k] = static_cast<std::size_t>((high + reach - grid_.origin[k]) / spacing) + 4;
  }
  grid_.inverse_spacing = 1.0 / spacing;
  for (int k = 0; k < D; ++k) grid_.last[k] = static_cast<double>(size[k] - 2);
  grid_.stride[D - 1] = 1;
  for (int k = D - 1; k > 0; --k) grid_.stride[k - 1] = grid_.stride[k] * size[k];
  coefficients_.assign(grid_.stride[0] * size[0] + 3, 0.0f);  // values are added to four knots at a time
  grid_.coefficients = coefficients_.data();

  const std::size_t most = static_cast<std::size_t>(2.0 * reach / spacing) + 5;
  std::vector<float> profiles[D];
  Separable<D> gaussian;
  for (int k = 0; k < D; ++k) {
    profiles[k].resize(most);
    gaussian.profile[k] = profiles[k].data();
  }
  const double half = reach / spacing, step = spacing * spacing / narrow, ratio_of_ratios = std::exp(-step);
  for (std::size_t s = 0; s < points.size(); ++s) {
    check_interrupt();
    for (int k = 0; k < D; ++k) {
      const double x = (points.coordinates()[k][s] - grid_.origin[k]) / spacing;
      gaussian.first[k] = static_cast<std::size_t>(std::max(0.0, std::ceil(x - half)));
      gaussian.count[k] = std::min(static_cast<std::size_t>(x + half), size[k] - 1) + 1 - gaussian.first[k];
      // exp(-z² / 2) at equal steps of z: the ratio of two neighbours changes by a constant ratio.
      const double z = static_cast<double>(gaussian.first[k]) - x;
      double value = amplitude * std::exp(-0.5 * step * z * z), ratio = std::exp(-step * (z + 0.5));
      for (std::size_t i = 0; i < gaussian.count[k]; ++i) {
        const double zz = step * (z + static_cast<double>(i)) * (z + static_cast<double>(i));
        profiles[k][i] = static_cast<float>(value * (1.0 + fourth * (zz * zz - 6.0 * zz + 3.0)));
        value *= ratio;
        ratio *= ratio_of_ratios;
      }
    }
    std::fill_n(profiles[D - 1].begin() + static_cast<std::ptrdiff_t>(gaussian.count[D - 1]), 3, 0.0f);
    const float weight = static_cast<float>(points.weights()[s]);
    if constexpr (D == 2)
      field_loop().spread_2d(gaussian, weight, grid_.stride, coefficients_.data());
    else
      field_loop().spread_3d(gaussian, weight, grid_.stride, coefficients_.data());
  }
}

template class Field<2>;
template class Field<3>;

template <int D>
FieldObjective<D>::FieldObjective(const BoxTree& source, const BoxTree& target, double rate, double cutoff,
                                  double scale, unsigned threads)
    : source_(source), field_(target, rate, cutoff), scale_(scale), threads_(threads) {}

template <int D>
void FieldObjective<D>::evaluate(const double* poses, std::size_t count, double* values, double* gradients,
                                 double* hessians) const {
  const std::size_t n = source_.size();
  const auto part = [&](const double* pose, std::size_t i, Derivatives<D>& sum) {
    const std::size_t begin = i * kRowsPerPart, end = std::min(begin + kRowsPerPart, n);
    if constexpr (D == 2)
      field_loop().rows_2d(field_.grid(), source_.coordinates(), source_.weights(), pose, begin, end, sum);
    else
      field_loop().rows_3d(field_.grid(), source_.coordinates(), source_.weights(), pose, begin, end, sum);
  };
  evaluate_in_parts<D>(poses, count, (n + kRowsPerPart - 1) / kRowsPerPart, scale_, threads_, part, values, gradients,
                       hessians);
}

template class FieldObjective<2>;
template class FieldObjective<3>;

}  // namespace svgm
