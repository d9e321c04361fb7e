// exp(x) of several numbers x <= 0 together, for any type P of `pack.hpp` or `packet.hpp`.  x is clamped to -708 (-87
// in single precision), where exp(x) is near the smallest normal number.
//
// x = n ln 2 + r with |r| <= ln 2 / 2; adding 1.5 * 2^52 (2^23) rounds to the nearest integer and leaves n in the low
// bits, ready to be shifted into the exponent.
#pragma once

namespace svgm::SVGM_ISA {
namespace {

// To 1e-15 relative.
template <class P>
inline P exp_in_double(P x) {
  const P magic = P::all(6755399441055744.0), clamped = larger(x, P::all(-708.0));
  const P shifted = multiply_add(clamped, P::all(1.4426950408889634), magic), n = shifted - magic;
  const P r = multiply_add(n, P::all(-1.90821492927058770002e-10),
                           multiply_add(n, P::all(-0.693147180369123816490), clamped));
  constexpr double kTaylor[] = {1.0 / 39916800.0, 1.0 / 3628800.0, 1.0 / 362880.0, 1.0 / 40320.0, 1.0 / 5040.0,
                                1.0 / 720.0,      1.0 / 120.0,     1.0 / 24.0,     1.0 / 6.0,     0.5,
                                1.0,              1.0};
  P p = P::all(1.0 / 479001600.0);
  for (const double coefficient : kTaylor) p = multiply_add(p, r, P::all(coefficient));
  return scaled(p, shifted);
}

// To 2e-7 relative.
template <class P>
inline P exp_in_single(P x) {
  const P magic = P::all(12582912.0f), clamped = larger(x, P::all(-87.0f));
  const P shifted = multiply_add(clamped, P::all(1.44269504f), magic), n = shifted - magic;
  const P r = multiply_add(n, P::all(2.12194440e-4f), multiply_add(n, P::all(-0.693359375f), clamped));
  constexpr float kTaylor[] = {1.0f / 120.0f, 1.0f / 24.0f, 1.0f / 6.0f, 0.5f, 1.0f, 1.0f};
  P p = P::all(1.0f / 720.0f);
  for (const float coefficient : kTaylor) p = multiply_add(p, r, P::all(coefficient));
  return scaled(p, shifted);
}

}  // namespace
}  // namespace svgm::SVGM_ISA
