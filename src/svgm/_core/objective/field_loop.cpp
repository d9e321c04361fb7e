// Compiled once per instruction set; SVGM_ISA is its name.
#include "objective/field_loop.hpp"

#include <cstdint>

#include "simd/quad.hpp"

namespace svgm::SVGM_ISA {
namespace {

// The four cubic B-splines that reach a place `t` in [0, 1) between two knots, with their derivatives.
struct Splines {
  float value[4], first[4], second[4];
};

inline Splines splines(float t) {
  constexpr float kSixth = 1.0f / 6.0f;
  const float u = 1.0f - t;
  return {{u * u * u * kSixth, 2.0f / 3.0f - 0.5f * t * t * (2.0f - t), 2.0f / 3.0f - 0.5f * u * u * (2.0f - u),
           t * t * t * kSixth},
          {-0.5f * u * u, 0.5f * t * (3.0f * t - 4.0f), -0.5f * u * (3.0f * u - 4.0f), 0.5f * t * t},
          {u, 3.0f * t - 2.0f, 3.0f * u - 2.0f, t}};
}

// Value, gradient and Hessian at q; false where the spline is zero.
template <int D>
inline bool spline_at(const SplineGrid<D>& grid, const double (&q)[D], double& value, double (&first)[D],
                      double (&second)[D][D]) {
  Splines b[D];
  std::size_t corner = 0;
  for (int k = 0; k < D; ++k) {
    const double x = (q[k] - grid.origin[k]) * grid.inverse_spacing;
    if (!(x >= 1.0 && x < grid.last[k])) return false;
    const auto cell = static_cast<std::int64_t>(x);
    b[k] = splines(static_cast<float>(x - static_cast<double>(cell)));
    corner += (static_cast<std::size_t>(cell) - 1) * grid.stride[k];
  }
  // Sums along all axes but the last, four neighbours along the last axis at a time; `sums[m][n]` has m derivatives
  // along the first axis (of 3D) and n along the one before the last.
  Quad sums[3][3];
  for (auto& row : sums)
    for (Quad& sum : row) sum = Quad::all(0.0f);
  const float* base = grid.coefficients + corner;
  constexpr int kPlanes = D == 3 ? 4 : 1;
  for (int i = 0; i < kPlanes; ++i) {
    const float* plane = base + static_cast<std::size_t>(i) * grid.stride[0];
    Quad rows[3] = {Quad::all(0.0f), Quad::all(0.0f), Quad::all(0.0f)};
    for (int j = 0; j < 4; ++j) {
      const Quad c = Quad::load(plane + static_cast<std::size_t>(j) * grid.stride[D - 2]);
      const Splines& w = b[D - 2];
      rows[0] = multiply_add(Quad::all(w.value[j]), c, rows[0]);
      rows[1] = multiply_add(Quad::all(w.first[j]), c, rows[1]);
      rows[2] = multiply_add(Quad::all(w.second[j]), c, rows[2]);
    }
    if constexpr (D == 2) {
      for (int n = 0; n < 3; ++n) sums[0][n] = rows[n];
    } else {
      for (int n = 0; n < 3; ++n) sums[0][n] = multiply_add(Quad::all(b[0].value[i]), rows[n], sums[0][n]);
      for (int n = 0; n < 2; ++n) sums[1][n] = multiply_add(Quad::all(b[0].first[i]), rows[n], sums[1][n]);
      sums[2][0] = multiply_add(Quad::all(b[0].second[i]), rows[0], sums[2][0]);
    }
  }
  const Splines& last = b[D - 1];
  const Quad plain = Quad::load(last.value), sloped = Quad::load(last.first), bent = Quad::load(last.second);
  const double slope = grid.inverse_spacing, bend = slope * slope;
  float out[12];
  // No derivative along the last axis, then one, then two; the others along the axes before it.
  totals(plain * sums[0][0], sloped * sums[0][0], bent * sums[0][0], plain * sums[0][1]).store(out);
  totals(sloped * sums[0][1], plain * sums[0][2], plain * sums[1][0], sloped * sums[1][0]).store(out + 4);
  value = static_cast<double>(out[0]);
  first[D - 1] = slope * static_cast<double>(out[1]);
  second[D - 1][D - 1] = bend * static_cast<double>(out[2]);
  first[D - 2] = slope * static_cast<double>(out[3]);
  second[D - 2][D - 1] = second[D - 1][D - 2] = bend * static_cast<double>(out[4]);
  second[D - 2][D - 2] = bend * static_cast<double>(out[5]);
  if constexpr (D == 3) {
    totals(plain * sums[1][1], plain * sums[2][0], plain, plain).store(out + 8);
    first[0] = slope * static_cast<double>(out[6]);
    second[0][2] = second[2][0] = bend * static_cast<double>(out[7]);
    second[0][1] = second[1][0] = bend * static_cast<double>(out[8]);
    second[0][0] = bend * static_cast<double>(out[9]);
  }
  return true;
}

template <int D>
void rows(const SplineGrid<D>& grid, const double* const* coordinates, const double* weights, const double* pose,
          std::size_t begin, std::size_t end, Derivatives<D>& sum) {
  for (std::size_t s = begin; s < end; ++s) {
    double turned[D], q[D], value, first[D], second[D][D];
    for (int i = 0; i < D; ++i) {
      turned[i] = 0.0;
      for (int j = 0; j < D; ++j) turned[i] += pose[i * (D + 1) + j] * coordinates[j][s];
      q[i] = turned[i] + pose[i * (D + 1) + D];
    }
    if (!spline_at(grid, q, value, first, second)) continue;
    for (int i = 0; i < D; ++i) {
      first[i] *= weights[s];
      for (int j = 0; j < D; ++j) second[i][j] *= weights[s];
    }
    add(sum, weights[s] * value, first, second, turned);
  }
}

template <int D>
void spread(const Separable<D>& separable, float weight, const std::size_t* stride, float* coefficients) {
  const auto add_row = [&](float factor, float* row) {
    const Quad factors = Quad::all(factor);
    for (std::size_t i = 0; i < separable.count[D - 1]; i += 4)
      multiply_add(factors, Quad::load(separable.profile[D - 1] + i), Quad::load(row + i)).store(row + i);
  };
  float* corner = coefficients + separable.first[D - 1];
  for (std::size_t i = 0; i < separable.count[0]; ++i) {
    float* plane = corner + (separable.first[0] + i) * stride[0];
    const float factor = weight * separable.profile[0][i];
    if constexpr (D == 2) {
      add_row(factor, plane);
    } else {
      for (std::size_t j = 0; j < separable.count[1]; ++j)
        add_row(factor * separable.profile[1][j], plane + (separable.first[1] + j) * stride[1]);
    }
  }
}

}  // namespace

extern const FieldLoop kFieldLoop;
const FieldLoop kFieldLoop{spread<2>, spread<3>, rows<2>, rows<3>};

}  // namespace svgm::SVGM_ISA
