// Derivatives by pose, eq. (16)-(17): value, gradient and Hessian of sum_i f(R x_i + t) with respect to the step
// R <- Exp(omega) R, t <- t + v.
#pragma once
#include "minimise/pose_function.hpp"

namespace svgm {

// Numbers of one component's share: its force (d), its torque about its own mean, second derivatives in its mean.
constexpr int force_numbers(int d) { return parameters(d) + d * (d + 1) / 2; }

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

namespace {  // so that each instruction set has a copy of its own

inline void cross(const double (&a)[3], const double (&b)[3], double (&out)[3]) {
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}

// Adds one component, which the rotation takes to q = R x: the value of the function there, its gradient f and its
// second derivatives S.  With L the matrix of d q / d omega, whose columns are e_a x q, the sums are
//   gradient: Lᵀf and f;  Hessian: LᵀSL + B, LᵀS and S,
// where B_ab = ½ (f_a q_b + f_b q_a) - [a = b] f·q comes from the bend of Exp(omega).
inline void add(Derivatives<3>& sum, double value, const double (&f)[3], const double (&S)[3][3],
                const double (&q)[3]) {
  double torque[3], swept[3][3];  // swept = (LᵀS)ᵀ = S L, row by row
  cross(q, f, torque);
  for (int i = 0; i < 3; ++i) cross(q, S[i], swept[i]);
  const double along = f[0] * q[0] + f[1] * q[1] + f[2] * q[2];
  sum.value += value;
  for (int b = 0; b < 3; ++b) {
    const double column[3] = {swept[0][b], swept[1][b], swept[2][b]};
    double rotation[3];
    cross(q, column, rotation);
    sum.gradient[b] += torque[b];
    sum.gradient[3 + b] += f[b];
    for (int a = 0; a <= b; ++a) {
      sum.hessian[a][b] += rotation[a] + 0.5 * (f[a] * q[b] + f[b] * q[a]) - (a == b ? along : 0.0);
      sum.hessian[3 + a][3 + b] += S[a][b];
    }
    for (int i = 0; i < 3; ++i) sum.hessian[b][3 + i] += column[i];
  }
}

// The same in the plane, where L is q turned by 90 degrees.
inline void add(Derivatives<2>& sum, double value, const double (&f)[2], const double (&S)[2][2],
                const double (&q)[2]) {
  const double lever[2] = {-q[1], q[0]};
  const double swept[2] = {S[0][0] * lever[0] + S[0][1] * lever[1], S[1][0] * lever[0] + S[1][1] * lever[1]};
  sum.value += value;
  sum.gradient[0] += f[0] * lever[0] + f[1] * lever[1];
  sum.hessian[0][0] += lever[0] * swept[0] + lever[1] * swept[1] - (f[0] * q[0] + f[1] * q[1]);
  for (int i = 0; i < 2; ++i) {
    sum.gradient[1 + i] += f[i];
    sum.hessian[0][1 + i] += swept[i];
    for (int j = i; j < 2; ++j) sum.hessian[1 + i][1 + j] += S[i][j];
  }
}

}  // namespace

}  // namespace svgm
