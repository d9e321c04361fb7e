// The shape of the points around given places: how a component of a mixture becomes flat along a surface.
#pragma once
#include <cstddef>

#include "sums/box_tree.hpp"

namespace svgm {

// The least deviation across a surface, in sigmas, so that single precision can invert the sum of two covariances.
inline constexpr double kFlattest = 0.05;

// For each of m places (2D or 3D), with e_j = w_j exp(-|y_j - q|² / 2 sigma²) over the tree's points, n = sum e - 1 the
// points beyond one, C their scatter about their local mean, and B = (n C + prior sigma² I) / (n + prior):
//   covariance = sigma² (I - (1 - r) v vᵀ), with v the direction of the least eigenvalue of B and r its ratio to the next
//   one, at least kFlattest²;
//   mean = q moved along v onto the plane through the local mean, by the share n / (n + prior).
// So a component is flat where the points spread along a surface and hardly across it.  It is a ball where they are a
// single point, a cloud, or in 3D a line, such as one ring of a laser scanner: a line does not show its plane.
// Pairs whose exponential is below exp(-cutoff) are left out.  In single precision it is accurate to about 1e-5 if the
// coordinates are at most some hundred sigmas.  means: (m, d); covariances: (m, d, d).
void local_shapes(const BoxTree& tree, const double* places, std::size_t m, double sigma, double prior, double cutoff,
                  bool single, unsigned threads, double* means, double* covariances);

}  // namespace svgm
