// Value, gradient and Hessian of a sum over source components of a function of where the motion puts them, with respect
// to the step R <- Exp(omega) R, t <- t + v.
#pragma once
#include <array>
#include <cstddef>

#include "function.hpp"

namespace svgm {

template <int D>
struct Derivatives {
  static constexpr int kR = rotations(D), kP = parameters(D);
  double value = 0.0;
  double gradient[kP] = {};
  double hessian[kP][kP] = {};  // upper triangle

  void operator+=(const Derivatives& other) {
    value += other.value;
    for (int a = 0; a < kP; ++a) {
      gradient[a] += other.gradient[a];
      for (int b = a; b < kP; ++b) hessian[a][b] += other.hessian[a][b];
    }
  }

  // Writes all of it times a factor, the Hessian in full.
  void write(double factor, double* value_out, double* gradient_out, double* hessian_out) const {
    *value_out = factor * value;
    for (int a = 0; a < kP; ++a) {
      gradient_out[a] = factor * gradient[a];
      for (int b = a; b < kP; ++b) hessian_out[a * kP + b] = hessian_out[b * kP + a] = factor * hessian[a][b];
    }
  }
};

namespace {  // each instruction set's loops have a copy of their own

// Adds a component that has been turned to R x and has, where it lies, this value and these first and second
// derivatives of the function.
template <int D>
inline void add(Derivatives<D>& sum, double at, const double (&first)[D], const double (&second)[D][D],
                const double (&turned)[D]) {
  constexpr int kR = rotations(D);
  // The columns of `lever` are d(R x)/d omega_a = E_a R x: the cross products e_a x (R x) in 3D.
  double lever[D][kR] = {};
  if constexpr (D == 2) {
    lever[0][0] = -turned[1];
    lever[1][0] = turned[0];
  } else {
    lever[1][0] = -turned[2];
    lever[2][0] = turned[1];
    lever[0][1] = turned[2];
    lever[2][1] = -turned[0];
    lever[0][2] = -turned[1];
    lever[1][2] = turned[0];
  }
  double swept[D][kR] = {}, along = 0.0;
  for (int i = 0; i < D; ++i) {
    along += first[i] * turned[i];
    for (int a = 0; a < kR; ++a)
      for (int j = 0; j < D; ++j) swept[i][a] += second[i][j] * lever[j][a];
  }
  sum.value += at;
  for (int a = 0; a < kR; ++a) {
    for (int k = 0; k < D; ++k) sum.gradient[a] += first[k] * lever[k][a];
    for (int b = a; b < kR; ++b) {
      double entry = a == b ? -along : 0.0;
      for (int k = 0; k < D; ++k) entry += lever[k][a] * swept[k][b];
      // The bend of Exp(omega): ½ (E_a E_b + E_b E_a) R x, along the force.
      if constexpr (D == 3) entry += 0.5 * (first[a] * turned[b] + first[b] * turned[a]);
      sum.hessian[a][b] += entry;
    }
    for (int k = 0; k < D; ++k) sum.hessian[a][kR + k] += swept[k][a];
  }
  for (int k = 0; k < D; ++k) {
    sum.gradient[kR + k] += first[k];
    for (int c = k; c < D; ++c) sum.hessian[kR + k][kR + c] += second[k][c];
  }
}

}  // namespace
}  // namespace svgm
