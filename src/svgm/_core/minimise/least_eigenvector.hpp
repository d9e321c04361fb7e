// Eigenvalues of a symmetric 3 x 3 matrix in closed form: ten times faster than by rotations.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>

#include "minimise/symmetric_eigen.hpp"

namespace svgm {

// Eigenvalues of a symmetric 3 x 3 matrix, ascending, and the eigenvector of the first (Smith 1961).  False where that
// would lose digits: the two least eigenvalues nearly equal.
inline bool least_eigenvector(const double* a, double (&values)[3], double (&vector)[3]) {
  const double mean = (a[0] + a[4] + a[8]) / 3.0, off = a[1] * a[1] + a[2] * a[2] + a[5] * a[5];
  const double x = a[0] - mean, y = a[4] - mean, z = a[8] - mean;
  const double size = std::sqrt((x * x + y * y + z * z + 2.0 * off) / 6.0);
  if (!(size > 0.0)) return false;
  const double determinant =
      x * (y * z - a[5] * a[5]) - a[1] * (a[1] * z - a[5] * a[2]) + a[2] * (a[1] * a[5] - y * a[2]);
  const double angle = std::acos(std::clamp(0.5 * determinant / (size * size * size), -1.0, 1.0)) / 3.0;
  values[2] = mean + 2.0 * size * std::cos(angle);
  values[0] = mean + 2.0 * size * std::cos(angle + 2.0943951023931953);  // 2 pi / 3
  values[1] = 3.0 * mean - values[0] - values[2];
  if (values[1] - values[0] < 1e-4 * values[2]) return false;
  // Rows of A - lambda I are orthogonal to the vector: the longest product of two of them is the safest.
  const double r[3][3] = {
      {a[0] - values[0], a[1], a[2]}, {a[1], a[4] - values[0], a[5]}, {a[2], a[5], a[8] - values[0]}};
  double longest = 0.0;
  for (int i = 0; i < 3; ++i) {
    const double *u = r[i], *v = r[(i + 1) % 3];
    const double product[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
    const double squared = product[0] * product[0] + product[1] * product[1] + product[2] * product[2];
    if (squared <= longest) continue;
    longest = squared;
    std::copy_n(product, 3, vector);
  }
  if (!(longest > 0.0)) return false;
  for (double& component : vector) component /= std::sqrt(longest);
  return true;
}

// An upper bound of the largest eigenvalue of a covariance, above it by rounding alone.
inline double largest_eigenvalue(const double* a, std::size_t d) {
  constexpr double kAbove = 1.0 + 1e-12;
  if (d == 2) {
    const double half = 0.5 * (a[0] - a[3]);
    return kAbove * (0.5 * (a[0] + a[3]) + std::sqrt(half * half + a[1] * a[1]));
  }
  if (d != 3) return kAbove * symmetric_eigen(a, d).values[d - 1];
  const double mean = (a[0] + a[4] + a[8]) / 3.0, off = a[1] * a[1] + a[2] * a[2] + a[5] * a[5];
  const double x = a[0] - mean, y = a[4] - mean, z = a[8] - mean;
  const double size = std::sqrt((x * x + y * y + z * z + 2.0 * off) / 6.0);
  if (!(size * size * size > 0.0)) return kAbove * mean;
  const double determinant =
      x * (y * z - a[5] * a[5]) - a[1] * (a[1] * z - a[5] * a[2]) + a[2] * (a[1] * a[5] - y * a[2]);
  const double angle = std::acos(std::clamp(0.5 * determinant / (size * size * size), -1.0, 1.0)) / 3.0;
  return kAbove * (mean + 2.0 * size * std::cos(angle));
}

}  // namespace svgm
