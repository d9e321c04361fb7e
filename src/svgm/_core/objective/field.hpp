// The sum of Gaussians sum_j w_j exp(-rate |y - y_j|²) as a cubic spline on a grid.  If the Gaussians are wide, some
// thousands of knots are enough, and the time for value, gradient and Hessian does not depend on the number of
// Gaussians.
#pragma once
#include <cstddef>
#include <vector>

#include "minimise/pose_function.hpp"
#include "objective/field_loop.hpp"
#include "sums/box_tree.hpp"

namespace svgm {

// The largest number of knots.  A field with more takes more time to make than it saves.
inline constexpr double kMostKnots = 3e5;

template <int D>
class Field {
 public:
  // Accurate to 1e-3 of a component's peak; zero farther than sqrt(cutoff / rate) from all of them.
  Field(const BoxTree& points, double rate, double cutoff);
  Field(const Field&) = delete;  // the grid points at the coefficients

  // How many knots that takes.
  static double knots(const BoxTree& points, double rate, double cutoff);

  const SplineGrid<D>& grid() const { return grid_; }

 private:
  SplineGrid<D> grid_;
  std::vector<float> coefficients_;
};

// The objective of eq. (14) with the target as a field.
template <int D>
class FieldObjective final : public PoseFunction {
 public:
  // f(T) = -scale * sum_i w_i field(R x_i + t)
  FieldObjective(const BoxTree& source, const BoxTree& target, double rate, double cutoff, double scale,
                 unsigned threads);
  int dimension() const override { return D; }
  void evaluate(const double* poses, std::size_t count, double* values, double* gradients,
                double* hessians) const override;

 private:
  const BoxTree& source_;
  Field<D> field_;
  double scale_;
  unsigned threads_;
};

}  // namespace svgm
