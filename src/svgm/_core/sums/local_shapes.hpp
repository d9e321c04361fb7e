// The shape of the points around given places: how a component of a mixture becomes flat along a surface.
#pragma once
#include <cstddef>

#include "sums/box_tree.hpp"

namespace svgm {

// The least deviation across a surface, in sigmas.  Single precision can then invert the sum of two covariances, and a
// minimiser finds its way from a pose that is off by a tenth of a sigma.
inline constexpr double kFlattest = 0.05;

// For each of m places (2D or 3D), with e_j = w_j exp(-|y_j - q|² / 2 sigma²) over the tree's points, n = sum e - 1 the
// points beyond one, and C their scatter about their local mean:
//   covariance = (n C + prior sigma² I) / (n + prior), its eigenvalues at most sigma² and at least kFlattest² sigma²;
//   mean = q moved onto the plane through the local mean along the normal, by the share n / (n + prior).
// Pairs whose exponential is below exp(-cutoff) are left out.  means: (m, d); covariances: (m, d, d).
void local_shapes(const BoxTree& tree, const double* places, std::size_t m, double sigma, double prior, double cutoff,
                  unsigned threads, double* means, double* covariances);

}  // namespace svgm
