// Compiled once per instruction set; SVGM_ISA names the copy.
#include "bound_loop.hpp"

#include "exponential.hpp"
#include "pack.hpp"

namespace svgm::SVGM_ISA {
namespace {

using P = Doubles;

double total(P pack) {
  double lanes[P::size], sum = 0.0;
  pack.store(lanes);
  for (const double lane : lanes) sum += lane;
  return sum;
}

// The third derivative of exp(-½ |x|²) along a line is (3c - c³) exp(-½ a²) at distance a = |x|, with c the part of x
// along the line, |c| <= a.  Its largest size is m(a) = p(a) exp(-½ a²), where p is 3a - a³ up to 1, 2 up to 2 and
// a³ - 3a beyond: it rises to 1.3802 at a² = 3 - √6, and falls from 0.3749 at a² = 3 + √6 on, where p is 5.718.  The
// following falls throughout and is nowhere below m, so at the least distance it bounds m at all greater ones.
inline P third_derivative(P least, P e) {
  const P cubed = least * multiply_add(least, least, P::all(-3.0));
  const P bump = smaller(P::all(0.375), P::all(5.73) * e);
  return smaller(P::all(1.3803), larger(larger(P::all(2.0) * e, cubed * e), bump));
}

template <int D>
void sum(const double* q, double reach, const double* const* coordinates, const double* weights, const Run* runs,
         std::size_t count, BoundSums<D>& sums) {
  constexpr int kMoments = 1 + D + D * (D + 1) / 2;
  const P zero = P::all(0.0), minus_half = P::all(-0.5), stray = P::all(reach);
  P s[kMoments], largest = zero, third = zero;
  for (P& moment : s) moment = zero;
  for (const Run* run = runs; run != runs + count; ++run)
    for (std::size_t j = run->begin; j < run->end; j += P::size) {
      P d[D], squared = zero;
      for (int k = 0; k < D; ++k) {
        d[k] = P::all(q[k]) - P::load(coordinates[k] + j);
        squared = multiply_add(d[k], d[k], squared);
      }
      const P w = P::load(weights + j), e = w * exp_in_double(minus_half * squared);
      const P a = root(squared), least = larger(a - stray, zero);
      const P peak = exp_in_double(minus_half * (least * least));
      largest = multiply_add(w, peak, largest);
      // Near the middle m(a) <= 3a is less.
      third = multiply_add(w, smaller(third_derivative(least, peak), P::all(3.0) * (a + stray)), third);
      s[0] = s[0] + e;
      int at = 1 + D;
      for (int k = 0; k < D; ++k) {
        const P ed = e * d[k];
        s[1 + k] = s[1 + k] + ed;
        for (int c = k; c < D; ++c, ++at) s[at] = multiply_add(ed, d[c], s[at]);
      }
    }
  for (int m = 0; m < kMoments; ++m) sums.moments[m] += total(s[m]);
  sums.largest += total(largest);
  sums.third += total(third);
}

}  // namespace

extern const BoundLoop kBoundLoop;
const BoundLoop kBoundLoop{sum<2>, sum<3>};

}  // namespace svgm::SVGM_ISA
