// Value, gradient and Hessian of a sum over source components of a function of where the motion puts them, with respect
// to the step R <- Exp(omega) R, t <- t + v.
#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

#include "function.hpp"
#include "parallel.hpp"

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

inline void cross(const double (&a)[3], const double (&b)[3], double (&out)[3]) {
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}

// Adds a component that has been turned to q = R x and has, where it lies, this value and these first and second
// derivatives f and S of the function.  With L the matrix of d q / d omega, whose columns are e_a x q, the sums are
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
// Value, gradient and Hessian of -scale * sum at each of `count` poses, where `part(pose, i, sum)` adds the i-th of `parts`
// parts.  Parts are added up in their order, so the result does not depend on the threads.
template <int D, class Part>
void evaluate_in_parts(const double* poses, std::size_t count, std::size_t parts, double scale, unsigned threads,
                       const Part& part, double* values, double* gradients, double* hessians) {
  constexpr std::size_t k = static_cast<std::size_t>(parameters(D)), entries = (D + 1) * (D + 1);
  // Of all poses together, the sums could take any amount of memory; these take some 40 MB, or those of one pose.
  constexpr std::size_t kMostSums = std::size_t{1} << 17;
  const std::size_t together = std::max<std::size_t>(1, kMostSums / std::max<std::size_t>(1, parts));
  for (std::size_t first = 0; first < count; first += together) {
    std::vector<Derivatives<D>> sums(std::min(together, count - first) * parts);
    // Below a few parts, waking a thread costs more than it saves.
    parallel_for(sums.size(), std::min<std::size_t>(threads, 1 + sums.size() / 4),
                 [&](std::size_t i) { part(poses + (first + i / parts) * entries, i % parts, sums[i]); });
    for (std::size_t p = 0; p < sums.size() / parts; ++p) {
      Derivatives<D> total;
      for (std::size_t i = 0; i < parts; ++i) total += sums[p * parts + i];
      total.write(-scale, values + first + p, gradients + (first + p) * k, hessians + (first + p) * k * k);
    }
  }
}

}  // namespace svgm
