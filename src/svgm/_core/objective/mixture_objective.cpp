#include "objective/mixture_objective.hpp"

#include <algorithm>
#include <cmath>

#include "objective/field.hpp"
#include "objective/full_objective.hpp"
#include "objective/pair_objective.hpp"

namespace svgm {
namespace {

// With at least this many components, a field saves more time than it takes to make.
constexpr std::size_t kFewestComponents = 150;

bool field_pays(const BoxTree& target, double rate, double cutoff) {
  const auto knots = target.dimension() == 2 ? Field<2>::knots : Field<3>::knots;
  return target.size() >= kFewestComponents && knots(target, rate, cutoff) <= kMostKnots;
}

}  // namespace

MixtureObjective::MixtureObjective(const BoxTree& source, const BoxTree& target, double source_variance,
                                   double target_variance, double norms, double cutoff, bool single,
                                   unsigned threads) {
  const int d = source.dimension();
  const double rate = 0.5 / (source_variance + target_variance);
  // The peaks of N(0, sigma_x² + sigma_y²) and of the two norms, (4 pi sigma²)^(-D/2) each.
  // A common power of two changes no bit of the ratio, and keeps the product of the variances from over- or underflow.
  int exponent = 0;
  std::frexp(std::max(source_variance, target_variance), &exponent);
  const double own = std::ldexp(source_variance, -exponent), other = std::ldexp(target_variance, -exponent);
  scale_ = std::pow(std::sqrt(4.0 * own * other) / (own + other), 0.5 * d) / norms;
  if (single && field_pays(target, rate, cutoff) && d == 2)
    function_ = std::make_unique<FieldObjective<2>>(source, target, rate, cutoff, scale_, threads);
  else if (single && field_pays(target, rate, cutoff))
    function_ = std::make_unique<FieldObjective<3>>(source, target, rate, cutoff, scale_, threads);
  else if (single)
    function_ = std::make_unique<PairObjective<float>>(Blocks<float>(source), Blocks<float>(target), rate, cutoff,
                                                       scale_, threads);
  else
    function_ = std::make_unique<PairObjective<double>>(Blocks<double>(source), Blocks<double>(target), rate, cutoff,
                                                        scale_, threads);
}

MixtureObjective::MixtureObjective(const BoxTree& source, const double* source_covariances, const BoxTree& target,
                                   const double* target_covariances, double norms, double cutoff, bool single,
                                   unsigned threads)
    : scale_(1.0 / norms) {
  if (single)
    function_ = std::make_unique<FullObjective<float>>(source, source_covariances, target, target_covariances, cutoff,
                                                       scale_, threads);
  else
    function_ = std::make_unique<FullObjective<double>>(source, source_covariances, target, target_covariances, cutoff,
                                                        scale_, threads);
}

}  // namespace svgm
