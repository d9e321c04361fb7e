// Rigid alignment of surfels to other surfels, by the distance along their normals.
#pragma once
#include <cstddef>

#include "surfels/surface_table.hpp"

namespace svgm {

// Moves each pose (d+1, d+1) so that the surfels (m, d) come to lie on the target, by one step for every reach.  A step
// minimises the squared distances along the normals of the nearest surfels.  Their weights are (1 - |r|²/reach²)² cos²,
// and 0 if the normals disagree.  The scores are the mean weights after the last step.
void align_to_surface(const SurfaceTable& target, const float* means, const float* normals, std::size_t count,
                      const float* reaches, std::size_t steps, double* poses, std::size_t batch, unsigned threads,
                      double* scores);

// For every surfel of the source under a pose: distance from the nearest surfel of the target, distance along that
// one's normal, both positive, the cosine between the normals, and its index; infinite, infinite, 0 and -1 far from the
// target.
void surface_residuals(const SurfaceTable& target, const float* means, const float* normals, std::size_t count,
                       const double* pose, double* out);

}  // namespace svgm
