// Steps of a pose: R <- Exp(omega) R, t <- t + v, with (omega, v) a vector of `parameters(d)` numbers.
#pragma once
#include <cmath>

namespace svgm {

// How many parameters a rigid motion has in d dimensions (2 or 3): of the rotation, and in all.
inline constexpr int rotations(int d) { return d * (d - 1) / 2; }
inline constexpr int parameters(int d) { return rotations(d) + d; }

// The Euclidean length of k numbers.
inline double norm(const double* v, int k) {
  double squared = 0.0;
  for (int i = 0; i < k; ++i) squared += v[i] * v[i];
  return std::sqrt(squared);
}

// The pose (d+1, d+1) after a step.
void move(const double* pose, const double* step, int d, double* out);

// Angle between the rotations of two poses and distance between their translations, as one length.
double distance(const double* a, const double* b, int d);

}  // namespace svgm
