// What each component contributes to the derivatives of the objective by the pose.
#pragma once
#include <cstddef>

namespace svgm {

// rows: (n, force_numbers(d)), for each component its force, its torque about its own mean and the upper triangle of the
// second derivatives in its mean, as `forces` writes them; turn: the rotation (d, d) that takes their axes to those of
// the result; levers: (n, d), the components' places from the centre of rotation, in the axes of the result.  Gradients
// (n, k) and the upper triangles of the Hessians (n, k (k + 1) / 2) with respect to (omega, v), k = parameters(d): of the
// places, not of the turning of covariances.
void pose_shares(const double* rows, std::size_t n, int dimension, const double* turn, const double* levers,
                 double* gradients, double* hessians);

}  // namespace svgm
