// Functions of whole packs: the exponential, and the sum of the lanes.
#pragma once
#include "simd/exponential.hpp"
#include "simd/pack.hpp"

namespace svgm::SVGM_ISA {
namespace {

inline Doubles exp_nonpositive(Doubles x) { return exp_in_double(x); }
inline Floats exp_nonpositive(Floats x) { return exp_in_single(x); }

// Lane by lane, so that the order, and with it the rounding, is fixed.
template <class Real>
Real total(Pack<Real> pack) {
  Real lanes[Pack<Real>::size], sum = 0;
  pack.store(lanes);
  for (const Real lane : lanes) sum += lane;
  return sum;
}

}  // namespace
}  // namespace svgm::SVGM_ISA
