// Four floats on which each operation works together: a cubic spline has four coefficients per point and axis.
#pragma once
#if defined(__SSE__) || defined(_M_X64)
#include <immintrin.h>
#define SVGM_SSE
#endif

namespace svgm::SVGM_ISA {
namespace {

struct Quad {
#ifdef SVGM_SSE
  __m128 v;
  static Quad all(float x) { return {_mm_set1_ps(x)}; }
  static Quad load(const float* p) { return {_mm_loadu_ps(p)}; }
  friend Quad operator+(Quad a, Quad b) { return {_mm_add_ps(a.v, b.v)}; }
  friend Quad operator*(Quad a, Quad b) { return {_mm_mul_ps(a.v, b.v)}; }
  friend Quad multiply_add(Quad a, Quad b, Quad c) {
#if defined(__FMA__) || defined(__AVX2__)
    return {_mm_fmadd_ps(a.v, b.v, c.v)};
#else
    return a * b + c;
#endif
  }
  void store(float* p) const { _mm_storeu_ps(p, v); }
#else
  float v[4];
  static Quad all(float x) { return {{x, x, x, x}}; }
  static Quad load(const float* p) { return {{p[0], p[1], p[2], p[3]}}; }
  friend Quad operator+(const Quad& a, const Quad& b) {
    return {{a.v[0] + b.v[0], a.v[1] + b.v[1], a.v[2] + b.v[2], a.v[3] + b.v[3]}};
  }
  friend Quad operator*(const Quad& a, const Quad& b) {
    return {{a.v[0] * b.v[0], a.v[1] * b.v[1], a.v[2] * b.v[2], a.v[3] * b.v[3]}};
  }
  friend Quad multiply_add(const Quad& a, const Quad& b, const Quad& c) { return a * b + c; }
  void store(float* p) const {
    for (int l = 0; l < 4; ++l) p[l] = v[l];
  }
#endif
};

// The four sums over the lanes of a, b, c and d.
inline Quad totals(Quad a, Quad b, Quad c, Quad d) {
#ifdef SVGM_SSE
  _MM_TRANSPOSE4_PS(a.v, b.v, c.v, d.v);
  return (a + b) + (c + d);
#else
  const auto total = [](const Quad& x) { return (x.v[0] + x.v[1]) + (x.v[2] + x.v[3]); };
  return {{total(a), total(b), total(c), total(d)}};
#endif
}

}  // namespace
}  // namespace svgm::SVGM_ISA
