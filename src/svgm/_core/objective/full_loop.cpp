// Compiled once per instruction set; SVGM_ISA is its name.
#include "objective/full_loop.hpp"

#include "simd/pack_functions.hpp"

namespace svgm::SVGM_ISA {
namespace {

// The adjugate of a symmetric matrix, by the upper triangles of both; returns the determinant.
template <class P>
inline P adjugate(const P (&c)[3], P (&out)[3]) {
  out[0] = c[2];
  out[1] = P::all(0) - c[1];
  out[2] = c[0];
  return c[0] * c[2] - c[1] * c[1];
}

template <class P>
inline P adjugate(const P (&c)[6], P (&out)[6]) {
  out[0] = c[3] * c[5] - c[4] * c[4];
  out[1] = c[2] * c[4] - c[1] * c[5];
  out[2] = c[1] * c[4] - c[2] * c[3];
  out[3] = c[0] * c[5] - c[2] * c[2];
  out[4] = c[1] * c[2] - c[0] * c[4];
  out[5] = c[0] * c[3] - c[1] * c[1];
  return multiply_add(c[0], out[0], multiply_add(c[1], out[1], c[2] * out[2]));
}

template <int D, bool kValueOnly, class Real>
void sum_pairs(const Real* q, const Real* a, const Real* const* coordinates, const Real* const* covariances,
               const Real* weights, const Run* runs, std::size_t count, Real* sums) {
  using P = Pack<Real>;
  constexpr int kEntries = D * (D + 1) / 2, kSums = kValueOnly ? 1 : 1 + D + kEntries;
  P s[kSums];
  for (P& sum : s) sum = P::all(0);
  for (const Run* run = runs; run != runs + count; ++run)
    for (std::size_t j = run->begin; j < run->end; j += P::size) {
      P e[D], c[kEntries], inverse[kEntries], u[D];
      for (int k = 0; k < D; ++k) {
        e[k] = P::all(q[k]) - P::load(coordinates[k] + j);
        u[k] = P::all(0);
      }
      for (int k = 0; k < kEntries; ++k) c[k] = P::all(a[k]) + P::load(covariances[k] + j);
      const P narrow = inverse_root(adjugate(c, inverse)), reciprocal = narrow * narrow;  // |C|^-½ and |C|^-1
      for (P& entry : inverse) entry = entry * reciprocal;
      for (int k = 0, at = 0; k < D; ++k)
        for (int l = k; l < D; ++l, ++at) {
          u[k] = multiply_add(inverse[at], e[l], u[k]);
          if (l > k) u[l] = multiply_add(inverse[at], e[k], u[l]);
        }
      P squared = P::all(0);
      for (int k = 0; k < D; ++k) squared = multiply_add(e[k], u[k], squared);
      const P n = P::load(weights + j) * narrow * exp_nonpositive(P::all(Real(-0.5)) * squared);
      s[0] = s[0] + n;
      if constexpr (!kValueOnly) {
        int at = 1 + D;
        for (int k = 0; k < D; ++k) {
          s[1 + k] = multiply_add(n, u[k], s[1 + k]);
          for (int l = k; l < D; ++l, ++at) s[at] = multiply_add(n, inverse[at - 1 - D] - u[k] * u[l], s[at]);
        }
      }
    }
  for (int m = 0; m < kSums; ++m) sums[m] += total<Real>(s[m]);
}

template <class Real>
constexpr FullSums<Real> kSums{sum_pairs<2, true, Real>, sum_pairs<3, true, Real>, sum_pairs<2, false, Real>,
                               sum_pairs<3, false, Real>};

}  // namespace

extern const FullLoop kFullLoop;
const FullLoop kFullLoop{kSums<double>, kSums<float>};

}  // namespace svgm::SVGM_ISA
