// Several numbers on which each operation works together: one vector register of the instruction set that this file is
// compiled for or, for the baseline, an array that the compiler may vectorise.
#pragma once
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#if defined(__AVX2__) || defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace svgm::SVGM_ISA {
namespace {

#if defined(__AVX512F__)

struct Doubles {
  static constexpr std::size_t size = 8;
  __m512d v;
  static Doubles all(double x) { return {_mm512_set1_pd(x)}; }
  static Doubles load(const double* p) { return {_mm512_loadu_pd(p)}; }
  void store(double* p) const { _mm512_storeu_pd(p, v); }
  friend Doubles operator-(Doubles a, Doubles b) { return {_mm512_sub_pd(a.v, b.v)}; }
  friend Doubles operator+(Doubles a, Doubles b) { return {_mm512_add_pd(a.v, b.v)}; }
  friend Doubles operator*(Doubles a, Doubles b) { return {_mm512_mul_pd(a.v, b.v)}; }
  friend Doubles operator/(Doubles a, Doubles b) { return {_mm512_div_pd(a.v, b.v)}; }
  friend Doubles multiply_add(Doubles a, Doubles b, Doubles c) { return {_mm512_fmadd_pd(a.v, b.v, c.v)}; }
  friend Doubles larger(Doubles a, Doubles b) { return {_mm512_max_pd(a.v, b.v)}; }
  friend Doubles smaller(Doubles a, Doubles b) { return {_mm512_min_pd(a.v, b.v)}; }
  friend Doubles root(Doubles a) { return {_mm512_sqrt_pd(a.v)}; }
  friend Doubles inverse_root(Doubles a) { return all(1.0) / root(a); }
  // a where `condition` is not negative, b elsewhere
  friend Doubles chosen(Doubles condition, Doubles a, Doubles b) {
    return {_mm512_mask_blend_pd(_mm512_cmp_pd_mask(condition.v, _mm512_setzero_pd(), _CMP_GE_OQ), b.v, a.v)};
  }
  // a * 2^n, with n in the low bits of `shifted`
  friend Doubles scaled(Doubles a, Doubles shifted) {
    const __m512i power = _mm512_slli_epi64(_mm512_castpd_si512(shifted.v), 52);
    return {_mm512_castsi512_pd(_mm512_add_epi64(_mm512_castpd_si512(a.v), power))};
  }
};

struct Floats {
  static constexpr std::size_t size = 16;
  __m512 v;
  static Floats all(float x) { return {_mm512_set1_ps(x)}; }
  static Floats load(const float* p) { return {_mm512_loadu_ps(p)}; }
  void store(float* p) const { _mm512_storeu_ps(p, v); }
  friend Floats operator-(Floats a, Floats b) { return {_mm512_sub_ps(a.v, b.v)}; }
  friend Floats operator+(Floats a, Floats b) { return {_mm512_add_ps(a.v, b.v)}; }
  friend Floats operator*(Floats a, Floats b) { return {_mm512_mul_ps(a.v, b.v)}; }
  friend Floats operator/(Floats a, Floats b) { return {_mm512_div_ps(a.v, b.v)}; }
  friend Floats multiply_add(Floats a, Floats b, Floats c) { return {_mm512_fmadd_ps(a.v, b.v, c.v)}; }
  friend Floats larger(Floats a, Floats b) { return {_mm512_max_ps(a.v, b.v)}; }
  friend Floats root(Floats a) { return {_mm512_sqrt_ps(a.v)}; }
  // An estimate of 14 bits and one step of Newton's iteration: a third of the time of a root and a division.
  friend Floats inverse_root(Floats a) {
    const Floats guess{_mm512_rsqrt14_ps(a.v)}, half = all(0.5f) * guess;
    return multiply_add(half, all(1.0f) - a * guess * guess, guess);
  }
  friend Floats chosen(Floats condition, Floats a, Floats b) {
    return {_mm512_mask_blend_ps(_mm512_cmp_ps_mask(condition.v, _mm512_setzero_ps(), _CMP_GE_OQ), b.v, a.v)};
  }
  friend Floats scaled(Floats a, Floats shifted) {
    const __m512i power = _mm512_slli_epi32(_mm512_castps_si512(shifted.v), 23);
    return {_mm512_castsi512_ps(_mm512_add_epi32(_mm512_castps_si512(a.v), power))};
  }
};

#elif defined(__AVX2__)

struct Doubles {
  static constexpr std::size_t size = 4;
  __m256d v;
  static Doubles all(double x) { return {_mm256_set1_pd(x)}; }
  static Doubles load(const double* p) { return {_mm256_loadu_pd(p)}; }
  void store(double* p) const { _mm256_storeu_pd(p, v); }
  friend Doubles operator-(Doubles a, Doubles b) { return {_mm256_sub_pd(a.v, b.v)}; }
  friend Doubles operator+(Doubles a, Doubles b) { return {_mm256_add_pd(a.v, b.v)}; }
  friend Doubles operator*(Doubles a, Doubles b) { return {_mm256_mul_pd(a.v, b.v)}; }
  friend Doubles operator/(Doubles a, Doubles b) { return {_mm256_div_pd(a.v, b.v)}; }
  friend Doubles multiply_add(Doubles a, Doubles b, Doubles c) { return {_mm256_fmadd_pd(a.v, b.v, c.v)}; }
  friend Doubles larger(Doubles a, Doubles b) { return {_mm256_max_pd(a.v, b.v)}; }
  friend Doubles smaller(Doubles a, Doubles b) { return {_mm256_min_pd(a.v, b.v)}; }
  friend Doubles root(Doubles a) { return {_mm256_sqrt_pd(a.v)}; }
  friend Doubles inverse_root(Doubles a) { return all(1.0) / root(a); }
  // a where `condition` is not negative, b elsewhere
  friend Doubles chosen(Doubles condition, Doubles a, Doubles b) {
    return {_mm256_blendv_pd(b.v, a.v, _mm256_cmp_pd(condition.v, _mm256_setzero_pd(), _CMP_GE_OQ))};
  }
  // a * 2^n, with n in the low bits of `shifted`
  friend Doubles scaled(Doubles a, Doubles shifted) {
    const __m256i power = _mm256_slli_epi64(_mm256_castpd_si256(shifted.v), 52);
    return {_mm256_castsi256_pd(_mm256_add_epi64(_mm256_castpd_si256(a.v), power))};
  }
};

struct Floats {
  static constexpr std::size_t size = 8;
  __m256 v;
  static Floats all(float x) { return {_mm256_set1_ps(x)}; }
  static Floats load(const float* p) { return {_mm256_loadu_ps(p)}; }
  void store(float* p) const { _mm256_storeu_ps(p, v); }
  friend Floats operator-(Floats a, Floats b) { return {_mm256_sub_ps(a.v, b.v)}; }
  friend Floats operator+(Floats a, Floats b) { return {_mm256_add_ps(a.v, b.v)}; }
  friend Floats operator*(Floats a, Floats b) { return {_mm256_mul_ps(a.v, b.v)}; }
  friend Floats operator/(Floats a, Floats b) { return {_mm256_div_ps(a.v, b.v)}; }
  friend Floats multiply_add(Floats a, Floats b, Floats c) { return {_mm256_fmadd_ps(a.v, b.v, c.v)}; }
  friend Floats larger(Floats a, Floats b) { return {_mm256_max_ps(a.v, b.v)}; }
  friend Floats root(Floats a) { return {_mm256_sqrt_ps(a.v)}; }
  // An estimate of 12 bits and one step of Newton's iteration: a third of the time of a root and a division.
  friend Floats inverse_root(Floats a) {
    const Floats guess{_mm256_rsqrt_ps(a.v)}, half = all(0.5f) * guess;
    return multiply_add(half, all(1.0f) - a * guess * guess, guess);
  }
  friend Floats chosen(Floats condition, Floats a, Floats b) {
    return {_mm256_blendv_ps(b.v, a.v, _mm256_cmp_ps(condition.v, _mm256_setzero_ps(), _CMP_GE_OQ))};
  }
  friend Floats scaled(Floats a, Floats shifted) {
    const __m256i power = _mm256_slli_epi32(_mm256_castps_si256(shifted.v), 23);
    return {_mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(a.v), power))};
  }
};

#else

template <class Real, class Bits, int kMantissa>
struct Array {
  static constexpr std::size_t size = 8;
  Real v[size];
  template <class Operation>
  static Array make(Operation operation) {
    Array made;
    for (std::size_t l = 0; l < size; ++l) made.v[l] = operation(l);
    return made;
  }
  static Array all(Real x) {
    return make([&](std::size_t) { return x; });
  }
  static Array load(const Real* p) {
    return make([&](std::size_t l) { return p[l]; });
  }
  void store(Real* p) const {
    for (std::size_t l = 0; l < size; ++l) p[l] = v[l];
  }
  friend Array operator-(const Array& a, const Array& b) {
    return make([&](std::size_t l) { return a.v[l] - b.v[l]; });
  }
  friend Array operator+(const Array& a, const Array& b) {
    return make([&](std::size_t l) { return a.v[l] + b.v[l]; });
  }
  friend Array operator*(const Array& a, const Array& b) {
    return make([&](std::size_t l) { return a.v[l] * b.v[l]; });
  }
  friend Array operator/(const Array& a, const Array& b) {
    return make([&](std::size_t l) { return a.v[l] / b.v[l]; });
  }
  friend Array multiply_add(const Array& a, const Array& b, const Array& c) {
    return make([&](std::size_t l) { return a.v[l] * b.v[l] + c.v[l]; });
  }
  friend Array larger(const Array& a, const Array& b) {
    return make([&](std::size_t l) { return a.v[l] < b.v[l] ? b.v[l] : a.v[l]; });
  }
  friend Array smaller(const Array& a, const Array& b) {
    return make([&](std::size_t l) { return b.v[l] < a.v[l] ? b.v[l] : a.v[l]; });
  }
  friend Array root(const Array& a) {
    return make([&](std::size_t l) { return std::sqrt(a.v[l]); });
  }
  friend Array inverse_root(const Array& a) {
    return make([&](std::size_t l) { return Real(1) / std::sqrt(a.v[l]); });
  }
  // a where `condition` is not negative, b elsewhere
  friend Array chosen(const Array& condition, const Array& a, const Array& b) {
    return make([&](std::size_t l) { return condition.v[l] >= 0 ? a.v[l] : b.v[l]; });
  }
  // a * 2^n, with n in the low bits of `shifted`
  friend Array scaled(const Array& a, const Array& shifted) {
    return make([&](std::size_t l) {
      return std::bit_cast<Real>(std::bit_cast<Bits>(a.v[l]) + (std::bit_cast<Bits>(shifted.v[l]) << kMantissa));
    });
  }
};

using Doubles = Array<double, std::uint64_t, 52>;
using Floats = Array<float, std::uint32_t, 23>;

#endif

template <class Real>
struct PackOf;
template <>
struct PackOf<double> {
  using type = Doubles;
};
template <>
struct PackOf<float> {
  using type = Floats;
};
template <class Real>
using Pack = typename PackOf<Real>::type;

}  // namespace
}  // namespace svgm::SVGM_ISA
