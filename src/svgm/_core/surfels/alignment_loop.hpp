// The innermost loop of the alignment: all surfels of the source against the nearest ones of the target, at one pose.
#pragma once
#include <cstddef>

#include "surfels/surface_table.hpp"

namespace svgm {

// Normals farther apart than this cosine belong to different faces.
inline constexpr float kSameFace = 0.7f;

// Weight of the squared distance itself beside that along the normal: keeps a plane from sliding along a plane.
inline constexpr float kSliding = 0.02f;

// The surfels of the source by coordinate: that of the mean of surfel s is means[k * padded + s].  Behind the first
// `count`, up to `padded`, a multiple of kBlock, are zeros.
struct SurfelRows {
  const float *means, *normals;
  std::size_t count, padded;
};

// Sums over the surfels, with r the vector from the nearest surfel, n that one's normal, c the cosine between the
// normals, and weights w = (1 - |r|²/reach²)² c², 0 beyond the reach and where |c| is below kSameFace.  With J the
// derivative of the moved place by the pose's parameters, rotation first:
//   weight = sum w,  gradient = sum w (Jᵀn n·r + kSliding Jᵀr),  hessian = sum w (Jᵀn nᵀJ + kSliding JᵀJ),
// the lower triangle by rows.
template <int D>
struct AlignmentSums {
  static constexpr int kParameters = D * (D + 1) / 2;
  double weight = 0.0, gradient[kParameters] = {}, hessian[kParameters * (kParameters + 1) / 2] = {};
};

// With `derivatives`, all of the sums, otherwise the weight alone.
template <int D>
using AlignmentFunction = void (*)(const SurfaceTable::View& target, const SurfelRows& source, const double* pose,
                                   float reach, bool derivatives, AlignmentSums<D>& sums);

// Gives those cells of a block to this surfel that are nearer to it than `nearest` (squared), what they have so far.
// `middles` are the coordinates of the cells, by axis; slices farther away than `furthest` (squared) stay as they are.
// A surfel is named by 32 bits, here those of a float.
using TakeNearer = void (*)(const float (&middles)[3][SurfaceTable::kBlockCells], const float* mean, float furthest,
                            float surfel, float* nearest, float* owners);

struct AlignmentLoop {
  AlignmentFunction<2> in_2d;
  AlignmentFunction<3> in_3d;
  TakeNearer take_nearer_2d, take_nearer_3d;
};

const AlignmentLoop& alignment_loop();  // that of the instruction set in use

}  // namespace svgm
