// Steps of a pose: R <- Exp(omega) R, t <- t + v, with (omega, v) a vector of `parameters(d)` numbers.
#pragma once
#include <cmath>

namespace svgm {

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
