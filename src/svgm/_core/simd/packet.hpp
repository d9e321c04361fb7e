// kPacket numbers on which each operation works together: vector registers if the instruction set that this file is
// compiled for has AVX2, otherwise an array that the compiler may vectorise.  Training an SVM needs the same count on
// all.
#pragma once
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "simd/exponential.hpp"
#include "simd/widths.hpp"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace svgm::SVGM_ISA {
namespace {

template <class Real>
struct BitsOf;
template <>
struct BitsOf<float> {
  using type = std::uint32_t;
  static constexpr int mantissa = 23;
};
template <>
struct BitsOf<double> {
  using type = std::uint64_t;
  static constexpr int mantissa = 52;
};

#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
constexpr bool kFuses = true;
#else
constexpr bool kFuses = false;
#endif

// a * b + c, rounded once in single precision on all instruction sets, also on those without a fused instruction: so
// the training of an SVM takes the same steps on all.  In double precision the difference is far below the tolerance.
inline double fused(double a, double b, double c) { return kFuses ? std::fma(a, b, c) : a * b + c; }
inline float fused(float a, float b, float c) {
  if (kFuses) return std::fma(a, b, c);
  // The product is exact in double precision; the sum is rounded to odd, so that rounding it again to single is right.
  const double product = static_cast<double>(a) * static_cast<double>(b), sum = product + static_cast<double>(c);
  const double added = sum - product, lost = (product - (sum - added)) + (static_cast<double>(c) - added);
  const auto bits = std::bit_cast<std::int64_t>(sum);
  if (lost == 0.0 || (bits & 1) != 0) return static_cast<float>(sum);
  return static_cast<float>(std::bit_cast<double>(bits + ((lost > 0.0) == (sum > 0.0) ? 1 : -1)));
}

template <class Real>
struct Packet {
  Real v[kPacket];

  template <class Operation>
  static Packet make(Operation operation) {
    Packet made;
    for (std::size_t l = 0; l < kPacket; ++l) made.v[l] = operation(l);
    return made;
  }
  static Packet all(Real x) {
    return make([&](std::size_t) { return x; });
  }
  static Packet load(const Real* p) {
    return make([&](std::size_t l) { return p[l]; });
  }
  void store(Real* p) const {
    for (std::size_t l = 0; l < kPacket; ++l) p[l] = v[l];
  }
  friend Packet operator+(const Packet& a, const Packet& b) {
    return make([&](std::size_t l) { return a.v[l] + b.v[l]; });
  }
  friend Packet operator-(const Packet& a, const Packet& b) {
    return make([&](std::size_t l) { return a.v[l] - b.v[l]; });
  }
  friend Packet operator*(const Packet& a, const Packet& b) {
    return make([&](std::size_t l) { return a.v[l] * b.v[l]; });
  }
  friend Packet operator/(const Packet& a, const Packet& b) {
    return make([&](std::size_t l) { return a.v[l] / b.v[l]; });
  }
  friend Packet square_root(const Packet& a) {
    return make([&](std::size_t l) { return std::sqrt(a.v[l]); });
  }
  friend Packet multiply_add(const Packet& a, const Packet& b, const Packet& c) {
    if constexpr (std::is_same_v<Real, float> && !kFuses) {
      // Rounding twice is wrong only if the first sum lies in the middle between two floats, which is rare.
      double sums[kPacket];
      for (std::size_t l = 0; l < kPacket; ++l)
        sums[l] = static_cast<double>(a.v[l]) * static_cast<double>(b.v[l]) + static_cast<double>(c.v[l]);
      std::uint32_t middle = 0;
      for (const double sum : sums)
        middle |= (static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(sum)) & 0x1FFFFFFFu) == 0x10000000u;
      if (middle == 0) return make([&](std::size_t l) { return static_cast<float>(sums[l]); });
    }
    return make([&](std::size_t l) { return fused(a.v[l], b.v[l], c.v[l]); });
  }
  friend Packet larger(const Packet& a, const Packet& b) {
    return make([&](std::size_t l) { return a.v[l] < b.v[l] ? b.v[l] : a.v[l]; });
  }
  friend Packet smaller(const Packet& a, const Packet& b) {
    return make([&](std::size_t l) { return b.v[l] < a.v[l] ? b.v[l] : a.v[l]; });
  }
  // bit l: whether a_l < b_l
  friend unsigned less(const Packet& a, const Packet& b) {
    unsigned bits = 0;
    for (std::size_t l = 0; l < kPacket; ++l) bits |= static_cast<unsigned>(a.v[l] < b.v[l]) << l;
    return bits;
  }
  // c where a < b, otherwise 0
  friend Packet where_less(const Packet& a, const Packet& b, const Packet& c) {
    return make([&](std::size_t l) { return a.v[l] < b.v[l] ? c.v[l] : Real(0); });
  }
  // a * 2^n, with n in the low bits of `shifted`
  friend Packet scaled(const Packet& a, const Packet& shifted) {
    using Bits = typename BitsOf<Real>::type;
    return make([&](std::size_t l) {
      return std::bit_cast<Real>(std::bit_cast<Bits>(a.v[l]) +
                                 (std::bit_cast<Bits>(shifted.v[l]) << BitsOf<Real>::mantissa));
    });
  }
};

#if defined(__AVX2__)

template <>
struct Packet<float> {
  __m256 v;
  static Packet all(float x) { return {_mm256_set1_ps(x)}; }
  static Packet load(const float* p) { return {_mm256_loadu_ps(p)}; }
  void store(float* p) const { _mm256_storeu_ps(p, v); }
  friend Packet operator+(Packet a, Packet b) { return {_mm256_add_ps(a.v, b.v)}; }
  friend Packet operator-(Packet a, Packet b) { return {_mm256_sub_ps(a.v, b.v)}; }
  friend Packet operator*(Packet a, Packet b) { return {_mm256_mul_ps(a.v, b.v)}; }
  friend Packet operator/(Packet a, Packet b) { return {_mm256_div_ps(a.v, b.v)}; }
  friend Packet square_root(Packet a) { return {_mm256_sqrt_ps(a.v)}; }
  friend Packet multiply_add(Packet a, Packet b, Packet c) { return {_mm256_fmadd_ps(a.v, b.v, c.v)}; }
  friend Packet larger(Packet a, Packet b) { return {_mm256_max_ps(a.v, b.v)}; }
  friend Packet smaller(Packet a, Packet b) { return {_mm256_min_ps(a.v, b.v)}; }
  friend unsigned less(Packet a, Packet b) {
    return static_cast<unsigned>(_mm256_movemask_ps(_mm256_cmp_ps(a.v, b.v, _CMP_LT_OQ)));
  }
  friend Packet where_less(Packet a, Packet b, Packet c) {
    return {_mm256_and_ps(_mm256_cmp_ps(a.v, b.v, _CMP_LT_OQ), c.v)};
  }
  friend Packet scaled(Packet a, Packet shifted) {
    const __m256i power = _mm256_slli_epi32(_mm256_castps_si256(shifted.v), 23);
    return {_mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(a.v), power))};
  }
};

template <>
struct Packet<double> {
  __m256d a_, b_;
  static Packet all(double x) { return {_mm256_set1_pd(x), _mm256_set1_pd(x)}; }
  static Packet load(const double* p) { return {_mm256_loadu_pd(p), _mm256_loadu_pd(p + 4)}; }
  void store(double* p) const {
    _mm256_storeu_pd(p, a_);
    _mm256_storeu_pd(p + 4, b_);
  }
  friend Packet operator+(Packet x, Packet y) { return {_mm256_add_pd(x.a_, y.a_), _mm256_add_pd(x.b_, y.b_)}; }
  friend Packet operator-(Packet x, Packet y) { return {_mm256_sub_pd(x.a_, y.a_), _mm256_sub_pd(x.b_, y.b_)}; }
  friend Packet operator*(Packet x, Packet y) { return {_mm256_mul_pd(x.a_, y.a_), _mm256_mul_pd(x.b_, y.b_)}; }
  friend Packet operator/(Packet x, Packet y) { return {_mm256_div_pd(x.a_, y.a_), _mm256_div_pd(x.b_, y.b_)}; }
  friend Packet square_root(Packet x) { return {_mm256_sqrt_pd(x.a_), _mm256_sqrt_pd(x.b_)}; }
  friend Packet multiply_add(Packet x, Packet y, Packet z) {
    return {_mm256_fmadd_pd(x.a_, y.a_, z.a_), _mm256_fmadd_pd(x.b_, y.b_, z.b_)};
  }
  friend Packet larger(Packet x, Packet y) { return {_mm256_max_pd(x.a_, y.a_), _mm256_max_pd(x.b_, y.b_)}; }
  friend Packet smaller(Packet x, Packet y) { return {_mm256_min_pd(x.a_, y.a_), _mm256_min_pd(x.b_, y.b_)}; }
  friend unsigned less(Packet x, Packet y) {
    return static_cast<unsigned>(_mm256_movemask_pd(_mm256_cmp_pd(x.a_, y.a_, _CMP_LT_OQ)) |
                                 _mm256_movemask_pd(_mm256_cmp_pd(x.b_, y.b_, _CMP_LT_OQ)) << 4);
  }
  friend Packet where_less(Packet x, Packet y, Packet z) {
    return {_mm256_and_pd(_mm256_cmp_pd(x.a_, y.a_, _CMP_LT_OQ), z.a_),
            _mm256_and_pd(_mm256_cmp_pd(x.b_, y.b_, _CMP_LT_OQ), z.b_)};
  }
  static __m256d scaled_half(__m256d x, __m256d shifted) {
    const __m256i power = _mm256_slli_epi64(_mm256_castpd_si256(shifted), 52);
    return _mm256_castsi256_pd(_mm256_add_epi64(_mm256_castpd_si256(x), power));
  }
  friend Packet scaled(Packet x, Packet shifted) {
    return {scaled_half(x.a_, shifted.a_), scaled_half(x.b_, shifted.b_)};
  }
};

#endif

inline Packet<float> exp_nonpositive(const Packet<float>& x) { return exp_in_single(x); }
inline Packet<double> exp_nonpositive(const Packet<double>& x) { return exp_in_double(x); }

}  // namespace
}  // namespace svgm::SVGM_ISA
