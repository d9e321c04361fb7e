// What the minimiser minimises: a function of a transformation, with derivatives with respect to a step of it.  The
// step of a rigid motion is
//   R <- Exp(omega) R,  t <- t + v,   (omega, v) a vector of `parameters(d)` numbers.
// Functions of other transformations have their own step.
#pragma once
#include <cstddef>

#include "minimise/pose_step.hpp"

namespace svgm {

// Those of an affine map in 3D.
inline constexpr int kMaxParameters = 12;

class PoseFunction {
 public:
  virtual ~PoseFunction() = default;
  virtual int dimension() const = 0;
  // How many numbers make a step, k, and where a step (k) takes a transformation (d+1, d+1).
  virtual int step_size() const { return parameters(dimension()); }
  virtual void take(const double* pose, const double* step, double* out) const { move(pose, step, dimension(), out); }
  // Values (count), gradients (count, k) and Hessians (count, k, k) at poses (count, d+1, d+1), all row by row.
  virtual void evaluate(const double* poses, std::size_t count, double* values, double* gradients,
                        double* hessians) const = 0;
};

}  // namespace svgm
