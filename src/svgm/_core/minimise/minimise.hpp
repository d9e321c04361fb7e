// Newton's method with a trust region on SE(d), for many starts at the same time.
#pragma once
#include <cstddef>
#include <vector>

#include "minimise/pose_function.hpp"

namespace svgm {

struct TrustRegion {
  double radius, max_radius;   // first and largest, in the norm of the tangent vector
  double step_tolerance;       // a start is done when its next step, or its radius, is shorter
  double same;                 // of two poses closer than this, the one with the larger value is given up; 0: never
  std::size_t max_iterations;  // per start
};

enum class Outcome : unsigned char { running, converged, given_up };

struct Minimum {
  std::vector<double> poses, values, hessians;
  std::vector<std::size_t> iterations;
  std::vector<Outcome> outcomes;
};

Minimum minimise(const PoseFunction& function, const double* starts, std::size_t count, const TrustRegion& trust);

}  // namespace svgm
