// Trust-region Newton on SE(d) for a batch of starts, in step with each other.
#pragma once
#include <cstddef>
#include <vector>

#include "function.hpp"

namespace svgm {

struct TrustRegion {
  double radius, max_radius;   // first and largest, in the norm of the tangent vector
  double step_tolerance;       // a start is done when its next step, or its radius, is shorter
  double same;                 // of two poses closer than this the worse is given up; 0: never
  std::size_t max_iterations;  // per start
};

enum class Outcome : unsigned char { running, converged, given_up };

struct Minimum {
  std::vector<double> poses, values, hessians;
  std::vector<std::size_t> iterations;
  std::vector<Outcome> outcomes;
};

Minimum minimise(const Function& function, const double* starts, std::size_t count, const TrustRegion& trust);

// R <- Exp(omega) R, t <- t + v
void move(const double* pose, const double* step, int d, double* out);

// Minimiser of g·s + ½ s·H s over |s| <= radius for k parameters; returns the decrease it predicts.
double trust_region_step(const double* gradient, const double* hessian, int k, double radius, double* step);

}  // namespace svgm
