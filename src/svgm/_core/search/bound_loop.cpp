// Compiled once per instruction set; SVGM_ISA is its name.
#include "search/bound_loop.hpp"

#include <algorithm>

#include "simd/exponential.hpp"
#include "simd/pack.hpp"

namespace svgm::SVGM_ISA {
namespace {

using P = Doubles;

double total(P pack) {
  double lanes[P::size], sum = 0.0;
  pack.store(lanes);
  for (const double lane : lanes) sum += lane;
  return sum;
}

// How much, per |delta|², a Gaussian exceeds its Taylor polynomial of second order at distance a from its middle.  With
// r = |delta| <= reach, y = d·delta and e = exp(-½ a²), that is
//   e (exp(-y - ½ r²) - 1 + y - ½ y² + ½ r²) / r²,   |y| <= a r.
// Above y = -½ r² it is concave in y; its maximum, where exp(-y - ½ r²) = 1 - y, is ½ e (1 - y²/r²), rises with r and
// lies at some y >= r (1 - r/6)² (r <= 6): hence `beside`.  Below it is convex, so the other candidate is y = -a r,
// straight at the middle.  Along that line it is the mean of G''(x) - G''(a) over x from a to a - r with weights 1 -
// s, where G = exp(-½ x²) has G'' rising with |x| up to √3 and falling beyond: nothing up to a = √3; then it rises
// with r up to at least min(1.75 (a - √3), a - 1.08), and is at most min(0.0898, (G''(√3) - G''(a)) / 3) for all r.
// (The last two by tabulation; tests/registration/search/test_branch_and_bound.py repeats it.)
struct Excess {
  explicit Excess(double reach) : r(P::all(reach)), inverse_squared(P::all(1.0 / (reach * reach))) {
    const double y = 1.0 - std::min(reach, 6.0) / 6.0;
    beside = P::all(0.5 * (1.0 - y * y * y * y));
  }

  // `peak` is exp(-½ (a - r)²).
  P operator()(P a, P squared, P e, P peak) const {
    const P one = P::all(1.0), half = P::all(0.5), bend = squared - one, root3 = P::all(1.7320508);
    const P taylor = multiply_add(r, multiply_add(half * r, bend, a), one);
    const P straight = (peak - e * taylor) * inverse_squared;
    const P any = smaller(P::all(0.0898), (P::all(0.44627) - bend * e) * P::all(1.0 / 3.0));
    const P outward = a - root3, rising = smaller(P::all(1.75) * outward, a - P::all(1.08)) - r;
    return larger(beside * e, chosen(larger(rising, P::all(0.0) - outward), straight, any));
  }

  P r, inverse_squared, beside;
};

template <int D>
void sum(const double* q, double reach, const double* const* coordinates, const double* weights, const Run* runs,
         std::size_t count, BoundSums<D>& sums) {
  constexpr int kMoments = 1 + D + D * (D + 1) / 2;
  const P zero = P::all(0.0), one = P::all(1.0), minus_half = P::all(-0.5);
  const Excess excess(reach);
  P s[kMoments], largest = zero, exceeding = zero;
  for (P& moment : s) moment = zero;
  for (const Run* run = runs; run != runs + count; ++run)
    for (std::size_t j = run->begin; j < run->end; j += P::size) {
      P d[D], squared = zero;
      for (int k = 0; k < D; ++k) {
        d[k] = P::all(q[k]) - P::load(coordinates[k] + j);
        squared = multiply_add(d[k], d[k], squared);
      }
      const P w = P::load(weights + j), gaussian = exp_in_double(minus_half * squared), e = w * gaussian;
      const P a = root(squared), nearest = a - excess.r, peak = exp_in_double(minus_half * (nearest * nearest));
      largest = multiply_add(w, chosen(nearest, peak, one), largest);
      exceeding = multiply_add(w, excess(a, squared, gaussian, peak), exceeding);
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
  sums.excess += total(exceeding);
}

}  // namespace

extern const BoundLoop kBoundLoop;
const BoundLoop kBoundLoop{sum<2>, sum<3>};

}  // namespace svgm::SVGM_ISA
