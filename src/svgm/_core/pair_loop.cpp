// Compiled once per instruction set (SVGM_ISA names the copy).  The loops over lanes are plain C++ that the compiler
// turns into vector instructions; nothing here depends on a compiler's extensions.
#include "pair_loop.hpp"

#include <bit>
#include <cmath>
#include <cstdint>

namespace svgm::SVGM_ISA {
namespace {

// exp(x) for x <= 0 to 1e-15 relative, 0 below the range of doubles.  x = n ln 2 + r with |r| <= ln 2 / 2; adding
// 1.5 * 2^52 rounds to the nearest integer and leaves n in the low bits, ready to be shifted into the exponent.
inline double exp_nonpositive(double x) {
  constexpr double kMagic = 6755399441055744.0;
  const double clamped = x < -708.0 ? -708.0 : x;
  const double shifted = clamped * 1.4426950408889634 + kMagic;
  const double n = shifted - kMagic;
  const double r = (clamped - n * 0.693147180369123816490) - n * 1.90821492927058770002e-10;
  double p = 1.0 / 479001600.0;
  p = p * r + 1.0 / 39916800.0;
  p = p * r + 1.0 / 3628800.0;
  p = p * r + 1.0 / 362880.0;
  p = p * r + 1.0 / 40320.0;
  p = p * r + 1.0 / 5040.0;
  p = p * r + 1.0 / 720.0;
  p = p * r + 1.0 / 120.0;
  p = p * r + 1.0 / 24.0;
  p = p * r + 1.0 / 6.0;
  p = p * r + 0.5;
  p = p * r + 1.0;
  p = p * r + 1.0;
  const std::int64_t bits = std::bit_cast<std::int64_t>(p) + (std::bit_cast<std::int64_t>(shifted) << 52);
  return std::bit_cast<double>(bits);
}

void kernel_row(const double* q, const double* const* coordinates, int dimension, double rate, std::size_t begin,
                std::size_t end, double* out) {
  for (std::size_t j = begin; j < end; j += kLanes) {
    double squared[kLanes] = {};
    for (int k = 0; k < dimension; ++k) {
      const double* y = coordinates[k] + j;
      const double qk = q[k];
      for (std::size_t l = 0; l < kLanes; ++l) squared[l] += (qk - y[l]) * (qk - y[l]);
    }
    double* at = out + (j - begin);
    for (std::size_t l = 0; l < kLanes; ++l) at[l] = exp_nonpositive(-rate * squared[l]);
  }
}

void value(const double* q, const double* const* coordinates, int dimension, const double* weights, double rate,
           std::size_t begin, std::size_t end, double* sums) {
  double total[kLanes] = {};
  for (std::size_t j = begin; j < end; j += kLanes) {
    double squared[kLanes] = {};
    for (int k = 0; k < dimension; ++k) {
      const double* y = coordinates[k] + j;
      const double qk = q[k];
      for (std::size_t l = 0; l < kLanes; ++l) squared[l] += (qk - y[l]) * (qk - y[l]);
    }
    const double* w = weights + j;
    for (std::size_t l = 0; l < kLanes; ++l) total[l] += w[l] * exp_nonpositive(-rate * squared[l]);
  }
  for (std::size_t l = 0; l < kLanes; ++l) sums[0] += total[l];
}

// Two passes a group of lanes, weights first and moments after: each is short enough to stay in registers.
template <int D>
void moments(const double* q, const double* const* coordinates, const double* weights, double rate, std::size_t begin,
             std::size_t end, double* sums) {
  constexpr int kSums = 1 + D + D * (D + 1) / 2;
  double s[kSums][kLanes] = {};
  for (std::size_t j = begin; j < end; j += kLanes) {
    double d[D][kLanes], e[kLanes], squared[kLanes] = {};
    for (int k = 0; k < D; ++k) {
      const double* y = coordinates[k] + j;
      for (std::size_t l = 0; l < kLanes; ++l) d[k][l] = q[k] - y[l];
      for (std::size_t l = 0; l < kLanes; ++l) squared[l] += d[k][l] * d[k][l];
    }
    const double* w = weights + j;
    for (std::size_t l = 0; l < kLanes; ++l) e[l] = w[l] * exp_nonpositive(-rate * squared[l]);
    for (std::size_t l = 0; l < kLanes; ++l) s[0][l] += e[l];
    int at = 1 + D;
    for (int k = 0; k < D; ++k) {
      double ed[kLanes];
      for (std::size_t l = 0; l < kLanes; ++l) ed[l] = e[l] * d[k][l];
      for (std::size_t l = 0; l < kLanes; ++l) s[1 + k][l] += ed[l];
      for (int c = k; c < D; ++c, ++at)
        for (std::size_t l = 0; l < kLanes; ++l) s[at][l] += ed[l] * d[c][l];
    }
  }
  for (int m = 0; m < kSums; ++m)
    for (std::size_t l = 0; l < kLanes; ++l) sums[m] += s[m][l];
}

}  // namespace

extern const PairLoop kPairLoop;
const PairLoop kPairLoop{kernel_row, value, moments<2>, moments<3>};

}  // namespace svgm::SVGM_ISA
