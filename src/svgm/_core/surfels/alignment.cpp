#include "surfels/alignment.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "minimise/newton_step.hpp"
#include "minimise/pose_step.hpp"
#include "runtime/parallel.hpp"
#include "simd/widths.hpp"
#include "surfels/alignment_loop.hpp"

namespace svgm {
namespace {

// A surfel of the source and the target's surfel nearest to it: the vector from that one, its length squared and its
// component along that one's normal, and the cosine between the normals.
template <int D>
struct Contact {
  float turned[D], apart[D], squared, along, cosine;
  const float* normal;
  std::int32_t nearest;
};

template <int D>
bool contact(const SurfaceTable& target, const float (&rotation)[D][D], const float (&shift)[D], const float* mean,
             const float* normal, Contact<D>& out) {
  float place[D];
  for (int i = 0; i < D; ++i) {
    out.turned[i] = 0.0f;
    for (int j = 0; j < D; ++j) out.turned[i] += rotation[i][j] * mean[j];
    place[i] = out.turned[i] + shift[i];
  }
  out.nearest = target.nearest<D>(place);
  if (out.nearest < 0) return false;
  const float* other = target.mean(out.nearest);
  out.normal = target.normal(out.nearest);
  out.squared = out.along = out.cosine = 0.0f;
  for (int i = 0; i < D; ++i) {
    float facing = 0.0f;
    for (int j = 0; j < D; ++j) facing += rotation[i][j] * normal[j];
    out.apart[i] = place[i] - other[i];
    out.squared += out.apart[i] * out.apart[i];
    out.along += out.apart[i] * out.normal[i];
    out.cosine += facing * out.normal[i];
  }
  return true;
}

template <int D>
void split(const double* pose, float (&rotation)[D][D], float (&shift)[D]) {
  for (int i = 0; i < D; ++i) {
    for (int j = 0; j < D; ++j) rotation[i][j] = static_cast<float>(pose[i * (D + 1) + j]);
    shift[i] = static_cast<float>(pose[i * (D + 1) + D]);
  }
}

template <int D>
double align_one(const SurfaceTable::View& target, const SurfelRows& source, const float* reaches, std::size_t steps,
                 AlignmentFunction<D> sum, double* pose) {
  constexpr int kParameters = AlignmentSums<D>::kParameters;
  AlignmentSums<D> sums;
  for (std::size_t step = 0; step < steps; ++step) {
    check_interrupt();
    sum(target, source, pose, reaches[step], true, sums);
    if (!(sums.weight > 0.0)) return 0.0;
    double hessian[kParameters * kParameters], change[kParameters];
    for (int i = 0, entry = 0; i < kParameters; ++i)
      for (int j = 0; j <= i; ++j) hessian[i * kParameters + j] = hessian[j * kParameters + i] = sums.hessian[entry++];
    trust_region_step(sums.gradient, hessian, kParameters, 1.5 * static_cast<double>(reaches[step]), change);
    double moved[(D + 1) * (D + 1)];
    move(pose, change, D, moved);
    std::copy_n(moved, (D + 1) * (D + 1), pose);
  }
  sum(target, source, pose, reaches[steps - 1], false, sums);
  return sums.weight / static_cast<double>(source.count);
}

}  // namespace

void align_to_surface(const SurfaceTable& target, const float* means, const float* normals, std::size_t count,
                      const float* reaches, std::size_t steps, double* poses, std::size_t batch, unsigned threads,
                      double* scores) {
  const std::size_t n = static_cast<std::size_t>(target.dimension()) + 1;
  const std::size_t d = static_cast<std::size_t>(target.dimension()), padded = (count + kBlock - 1) / kBlock * kBlock;
  std::vector<float> rows(2 * d * padded, 0.0f);
  for (std::size_t s = 0; s < count; ++s) {
    check_interrupt(s);
    for (std::size_t k = 0; k < d; ++k) {
      rows[k * padded + s] = means[s * d + k];
      rows[(d + k) * padded + s] = normals[s * d + k];
    }
  }
  const SurfelRows source{rows.data(), rows.data() + d * padded, count, padded};
  const SurfaceTable::View view = target.view();
  parallel_for(batch, threads, [&](std::size_t b) {
    double* pose = poses + b * n * n;
    scores[b] = target.dimension() == 2
                    ? align_one<2>(view, source, reaches, steps, alignment_loop().in_2d, pose)
                    : align_one<3>(view, source, reaches, steps, alignment_loop().in_3d, pose);
  });
}

void surface_residuals(const SurfaceTable& target, const float* means, const float* normals, std::size_t count,
                       const double* pose, double* out) {
  const auto in = [&]<int D>() {
    float rotation[D][D], shift[D];
    split<D>(pose, rotation, shift);
    Contact<D> at;
    for (std::size_t s = 0; s < count; ++s) {
      if (s % 64 == 0) check_interrupt();
      const bool near = contact<D>(target, rotation, shift, means + s * D, normals + s * D, at);
      out[s * 4] = near ? std::sqrt(static_cast<double>(at.squared)) : std::numeric_limits<double>::infinity();
      out[s * 4 + 1] = near ? std::abs(static_cast<double>(at.along)) : std::numeric_limits<double>::infinity();
      out[s * 4 + 2] = near ? static_cast<double>(at.cosine) : 0.0;
      out[s * 4 + 3] = near ? static_cast<double>(at.nearest) : -1.0;
    }
  };
  if (target.dimension() == 2)
    in.template operator()<2>();
  else
    in.template operator()<3>();
}

}  // namespace svgm
