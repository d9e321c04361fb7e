// Eigenvalues and eigenvectors of a small symmetric matrix by Jacobi's rotations: a 6 x 6 takes a few microseconds and
// no library.
#pragma once
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include "minimise/pose_function.hpp"

namespace svgm {

struct SymmetricEigen {
  using Vector = std::array<double, kMaxParameters>;
  Vector values{};                              // ascending
  std::array<Vector, kMaxParameters> vectors{};  // vectors[i] belongs to values[i]
};

inline SymmetricEigen symmetric_eigen(const double* matrix, std::size_t k) {
  std::array<SymmetricEigen::Vector, kMaxParameters> a{};
  SymmetricEigen result;
  double size = 0.0;
  for (std::size_t i = 0; i < k; ++i) {
    for (std::size_t j = 0; j < k; ++j) {
      a[i][j] = matrix[i * k + j];
      size += a[i][j] * a[i][j];
    }
    result.vectors[i][i] = 1.0;
  }
  for (int sweep = 0; sweep < 30; ++sweep) {
    double off = 0.0;
    for (std::size_t p = 0; p < k; ++p)
      for (std::size_t q = p + 1; q < k; ++q) off += a[p][q] * a[p][q];
    if (!(off > 1e-30 * size)) break;
    for (std::size_t p = 0; p < k; ++p) {
      for (std::size_t q = p + 1; q < k; ++q) {
        if (a[p][q] == 0.0) continue;
        // The rotation that zeroes a_pq (Golub & Van Loan, section 8.5).
        const double theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
        const double t = std::copysign(1.0, theta) / (std::abs(theta) + std::sqrt(1.0 + theta * theta));
        const double c = 1.0 / std::sqrt(1.0 + t * t), s = t * c;
        for (std::size_t i = 0; i < k; ++i) {
          const double ip = a[i][p], iq = a[i][q];
          a[i][p] = c * ip - s * iq;
          a[i][q] = s * ip + c * iq;
        }
        for (std::size_t i = 0; i < k; ++i) {
          const double pi = a[p][i], qi = a[q][i];
          a[p][i] = c * pi - s * qi;
          a[q][i] = s * pi + c * qi;
          const double vp = result.vectors[p][i], vq = result.vectors[q][i];
          result.vectors[p][i] = c * vp - s * vq;
          result.vectors[q][i] = s * vp + c * vq;
        }
      }
    }
  }
  for (std::size_t i = 0; i < k; ++i) result.values[i] = a[i][i];
  for (std::size_t i = 0; i < k; ++i)  // by insertion
    for (std::size_t j = i; j > 0 && result.values[j] < result.values[j - 1]; --j) {
      std::swap(result.values[j], result.values[j - 1]);
      std::swap(result.vectors[j], result.vectors[j - 1]);
    }
  return result;
}

}  // namespace svgm
