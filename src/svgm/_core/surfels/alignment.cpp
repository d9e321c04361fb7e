#include "surfels/alignment.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "minimise/newton_step.hpp"
#include "minimise/pose_step.hpp"
#include "runtime/parallel.hpp"

namespace svgm {
namespace {

// Normals farther apart than this cosine belong to different faces.
constexpr float kSameFace = 0.7f;

// Weight of the squared distance itself beside that along the normal: keeps a plane from sliding along a plane.
constexpr float kSliding = 0.02f;

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

// Row i: the derivative of the moved place in parameter i, rotation first.
template <int D>
void jacobian(const float* turned, float (&rows)[D * (D + 1) / 2][D]) {
  for (auto& row : rows) std::fill_n(row, D, 0.0f);
  constexpr int kRotations = D * (D - 1) / 2;
  if constexpr (D == 2) {
    rows[0][0] = -turned[1];
    rows[0][1] = turned[0];
  } else {
    rows[0][1] = -turned[2], rows[0][2] = turned[1];
    rows[1][0] = turned[2], rows[1][2] = -turned[0];
    rows[2][0] = -turned[1], rows[2][1] = turned[0];
  }
  for (int i = 0; i < D; ++i) rows[kRotations + i][i] = 1.0f;
}

template <int D>
double align_one(const SurfaceTable& target, const float* means, const float* normals, std::size_t count,
                 const float* reaches, std::size_t steps, double* pose) {
  constexpr int kParameters = D * (D + 1) / 2, kEntries = kParameters * (kParameters + 1) / 2;
  for (std::size_t step = 0;; ++step) {
    const bool scoring = step == steps;
    const float reach = reaches[scoring ? steps - 1 : step], per_reach = 1.0f / (reach * reach);
    float rotation[D][D], shift[D];
    split<D>(pose, rotation, shift);
    double score = 0.0, gradient[kParameters] = {}, entries[kEntries] = {};
    Contact<D> at;
    for (std::size_t s = 0; s < count; ++s) {
      if (s % 64 == 0) check_interrupt();
      if (!contact<D>(target, rotation, shift, means + s * D, normals + s * D, at)) continue;
      const float near = 1.0f - at.squared * per_reach;
      if (near <= 0.0f || std::abs(at.cosine) < kSameFace) continue;
      const float weight = near * near * at.cosine * at.cosine;
      score += weight;
      if (scoring) continue;
      float rows[kParameters][D], levers[kParameters];
      jacobian<D>(at.turned, rows);
      for (int i = 0, entry = 0; i < kParameters; ++i) {
        float pull = 0.0f;
        levers[i] = 0.0f;
        for (int k = 0; k < D; ++k) {
          levers[i] += rows[i][k] * at.normal[k];
          pull += rows[i][k] * at.apart[k];
        }
        gradient[i] += weight * (levers[i] * at.along + kSliding * pull);
        for (int j = 0; j <= i; ++j) {
          float both = levers[i] * levers[j];
          for (int k = 0; k < D; ++k) both += kSliding * rows[i][k] * rows[j][k];
          entries[entry++] += weight * both;
        }
      }
    }
    if (scoring) return score / static_cast<double>(count);
    if (!(score > 0.0)) return 0.0;
    double hessian[kParameters * kParameters], change[kParameters];
    for (int i = 0, entry = 0; i < kParameters; ++i)
      for (int j = 0; j <= i; ++j) hessian[i * kParameters + j] = hessian[j * kParameters + i] = entries[entry++];
    trust_region_step(gradient, hessian, kParameters, 1.5 * static_cast<double>(reach), change);
    double moved[(D + 1) * (D + 1)];
    move(pose, change, D, moved);
    std::copy_n(moved, (D + 1) * (D + 1), pose);
  }
}

}  // namespace

void align_to_surface(const SurfaceTable& target, const float* means, const float* normals, std::size_t count,
                      const float* reaches, std::size_t steps, double* poses, std::size_t batch, unsigned threads,
                      double* scores) {
  const std::size_t n = static_cast<std::size_t>(target.dimension()) + 1;
  parallel_for(batch, threads, [&](std::size_t b) {
    const auto align = target.dimension() == 2 ? align_one<2> : align_one<3>;
    scores[b] = align(target, means, normals, count, reaches, steps, poses + b * n * n);
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
