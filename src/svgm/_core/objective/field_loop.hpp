// The innermost loop over a field: value, gradient and Hessian of a cubic spline at many moved points.
#pragma once
#include <cstddef>

#include "objective/derivatives.hpp"

namespace svgm {

// Coefficients of a cubic spline on a regular grid, the last axis fastest.
template <int D>
struct SplineGrid {
  double inverse_spacing;
  double origin[D];  // of the first knot
  double last[D];    // in units of the spacing: the spline is zero below 1 and from here on
  std::size_t stride[D];
  const float* coefficients;
};

// A product of one function an axis, on some knots: `profile[k]` holds `count[k]` values from knot `first[k]` on.  The
// last one is followed by zeros up to a multiple of four.
template <int D>
struct Separable {
  const float* profile[D];
  std::size_t first[D], count[D];
};

struct FieldLoop {
  // coefficients += weight * separable
  void (*spread_2d)(const Separable<2>& separable, float weight, const std::size_t* stride, float* coefficients);
  void (*spread_3d)(const Separable<3>& separable, float weight, const std::size_t* stride, float* coefficients);
  // sum += weights_s * spline(R x_s + t) with its derivatives, over the points [begin, end)
  void (*rows_2d)(const SplineGrid<2>& grid, const double* const* coordinates, const double* weights,
                  const double* pose, std::size_t begin, std::size_t end, Derivatives<2>& sum);
  void (*rows_3d)(const SplineGrid<3>& grid, const double* const* coordinates, const double* weights,
                  const double* pose, std::size_t begin, std::size_t end, Derivatives<3>& sum);
};

const FieldLoop& field_loop();  // that of the instruction set in use

}  // namespace svgm
