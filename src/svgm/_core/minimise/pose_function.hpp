// What the minimiser minimises: a function of a pose, with derivatives with respect to the step
//   R <- Exp(omega) R,  t <- t + v,   (omega, v) a vector of `parameters(d)` numbers.
#pragma once
#include <cstddef>

namespace svgm {

inline constexpr int kMaxParameters = 6;

// How many parameters a rigid motion has in d dimensions (2 or 3): of the rotation, and in all.
inline constexpr int rotations(int d) { return d * (d - 1) / 2; }
inline constexpr int parameters(int d) { return rotations(d) + d; }

class PoseFunction {
 public:
  virtual ~PoseFunction() = default;
  virtual int dimension() const = 0;
  // Values (count), gradients (count, k) and Hessians (count, k, k) at poses (count, d+1, d+1), all row by row.
  virtual void evaluate(const double* poses, std::size_t count, double* values, double* gradients,
                        double* hessians) const = 0;
};

}  // namespace svgm
