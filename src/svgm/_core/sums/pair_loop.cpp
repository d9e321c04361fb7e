// Compiled once per instruction set; SVGM_ISA is its name.
#include "sums/pair_loop.hpp"

#include "simd/pack_functions.hpp"

namespace svgm::SVGM_ISA {
namespace {

template <class Real>
inline Pack<Real> exponential(const Real* q, const Real* const* coordinates, int dimension, Real rate, std::size_t j) {
  using P = Pack<Real>;
  P squared = P::all(0);
  for (int k = 0; k < dimension; ++k) {
    const P d = P::all(q[k]) - P::load(coordinates[k] + j);
    squared = multiply_add(d, d, squared);
  }
  return exp_nonpositive(P::all(-rate) * squared);
}

template <class Real>
void value(const Real* q, const Real* const* coordinates, int dimension, const Real* weights, Real rate,
           const Run* runs, std::size_t count, Real* sums) {
  using P = Pack<Real>;
  P sum = P::all(0);
  for (const Run* run = runs; run != runs + count; ++run)
    for (std::size_t j = run->begin; j < run->end; j += P::size)
      sum = multiply_add(P::load(weights + j), exponential(q, coordinates, dimension, rate, j), sum);
  sums[0] += total<Real>(sum);
}

template <int D, class Real>
void moments(const Real* q, const Real* const* coordinates, const Real* weights, Real rate, const Run* runs,
             std::size_t count, Real* sums) {
  using P = Pack<Real>;
  constexpr int kSums = 1 + D + D * (D + 1) / 2;
  P s[kSums];
  for (P& sum : s) sum = P::all(0);
  for (const Run* run = runs; run != runs + count; ++run)
    for (std::size_t j = run->begin; j < run->end; j += P::size) {
      P d[D], squared = P::all(0);
      for (int k = 0; k < D; ++k) {
        d[k] = P::all(q[k]) - P::load(coordinates[k] + j);
        squared = multiply_add(d[k], d[k], squared);
      }
      const P e = P::load(weights + j) * exp_nonpositive(P::all(-rate) * squared);
      s[0] = s[0] + e;
      int at = 1 + D;
      for (int k = 0; k < D; ++k) {
        const P ed = e * d[k];
        s[1 + k] = s[1 + k] + ed;
        for (int c = k; c < D; ++c, ++at) s[at] = multiply_add(ed, d[c], s[at]);
      }
    }
  for (int m = 0; m < kSums; ++m) sums[m] += total<Real>(s[m]);
}

template <class Real>
void box_distances(const Real* q, const Real* low, const Real* high, std::size_t stride, int dimension,
                   std::size_t count, Real* out) {
  using P = Pack<Real>;
  const P zero = P::all(0);
  for (std::size_t b = 0; b < count; b += P::size) {
    P squared = zero;
    for (int k = 0; k < dimension; ++k) {
      const std::size_t at = static_cast<std::size_t>(k) * stride + b;
      const P qk = P::all(q[k]);
      const P outside = larger(larger(P::load(low + at) - qk, qk - P::load(high + at)), zero);
      squared = multiply_add(outside, outside, squared);
    }
    squared.store(out + b);
  }
}

}  // namespace

extern const PairLoop kPairLoop;
const PairLoop kPairLoop{{value<double>, moments<2, double>, moments<3, double>, box_distances<double>},
                         {value<float>, moments<2, float>, moments<3, float>, box_distances<float>}};

}  // namespace svgm::SVGM_ISA
