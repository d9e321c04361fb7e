// Compiled once per instruction set; SVGM_ISA is its name.
#include "surfels/alignment_loop.hpp"

#include <limits>

#include "simd/pack_functions.hpp"

namespace svgm::SVGM_ISA {
namespace {

using P = Floats;

// Row by row of a matrix times a vector, plus a shift.
template <int D>
inline void turn(const P (&rotation)[D][D], const P (&vector)[D], P (&out)[D]) {
  for (int i = 0; i < D; ++i) {
    out[i] = rotation[i][0] * vector[0];
    for (int j = 1; j < D; ++j) out[i] = multiply_add(rotation[i][j], vector[j], out[i]);
  }
}

// a x b; in the plane its one number.
inline void cross(const P (&a)[3], const P (&b)[3], P (&out)[3]) {
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}

inline void cross(const P (&a)[2], const P (&b)[2], P (&out)[1]) { out[0] = a[0] * b[1] - a[1] * b[0]; }

// The index of the nearest surfel, or -1 if all are far away.
template <int D>
inline std::int32_t nearest_to(const SurfaceTable::View& target, const float (&places)[D][P::size], std::size_t lane) {
  constexpr std::size_t kSide = SurfaceTable::kBlockCells;
  std::size_t block = 0, within = 0;
  for (int k = 0; k < D; ++k) {
    const float offset = (places[k][lane] - target.low[k]) * target.per_cell;
    if (!(offset >= 0.0f && offset < target.limit[k])) return -1;
    const auto cell = static_cast<std::size_t>(offset);
    block = block * target.blocks[k] + cell / kSide;
    within = within * kSide + cell % kSide;
  }
  const std::int32_t first = target.first[block];
  return first < 0 ? -1 : target.table[static_cast<std::size_t>(first) + within];
}

template <int D>
void sum(const SurfaceTable::View& target, const SurfelRows& source, const double* pose, float reach, bool derivatives,
         AlignmentSums<D>& sums) {
  constexpr int kParameters = D * (D + 1) / 2, kRotations = D * (D - 1) / 2;
  const P zero = P::all(0.0f), one = P::all(1.0f), per_reach = P::all(1.0f / (reach * reach));
  const P same_face = P::all(kSameFace * kSameFace), sliding = P::all(kSliding);
  P rotation[D][D], shift[D];
  for (int i = 0; i < D; ++i) {
    for (int j = 0; j < D; ++j) rotation[i][j] = P::all(static_cast<float>(pose[i * (D + 1) + j]));
    shift[i] = P::all(static_cast<float>(pose[i * (D + 1) + D]));
  }
  P weights = zero, gradient[kParameters], products[kParameters * (kParameters + 1) / 2], first[D];
  P second[D * (D + 1) / 2];
  for (P& each : gradient) each = zero;
  for (P& each : products) each = zero;
  for (P& each : first) each = zero;
  for (P& each : second) each = zero;
  // The lanes one by one, where the table says which surfel is nearest.
  float places[D][P::size], apart[D][P::size], normals[D][P::size];
  for (std::size_t begin = 0; begin < source.padded; begin += P::size) {
    P mean[D], turned[D], facing[D], r[D], n[D];
    for (int k = 0; k < D; ++k) mean[k] = P::load(source.means + static_cast<std::size_t>(k) * source.padded + begin);
    turn<D>(rotation, mean, turned);
    for (int k = 0; k < D; ++k) (turned[k] + shift[k]).store(places[k]);
    bool any = false;
    for (std::size_t l = 0; l < P::size; ++l) {
      const std::int32_t nearest = begin + l < source.count ? nearest_to<D>(target, places, l) : -1;
      for (int k = 0; k < D; ++k) {
        apart[k][l] = nearest >= 0 ? places[k][l] - target.means[nearest * D + k] : reach;  // there the weight is 0
        normals[k][l] = nearest >= 0 ? target.normals[nearest * D + k] : 0.0f;
      }
      any = any || nearest >= 0;
    }
    if (!any) continue;
    for (int k = 0; k < D; ++k) {
      mean[k] = P::load(source.normals + static_cast<std::size_t>(k) * source.padded + begin);
      r[k] = P::load(apart[k]);
      n[k] = P::load(normals[k]);
    }
    turn<D>(rotation, mean, facing);
    P squared = r[0] * r[0], along = r[0] * n[0], cosine = facing[0] * n[0];
    for (int k = 1; k < D; ++k) {
      squared = multiply_add(r[k], r[k], squared);
      along = multiply_add(r[k], n[k], along);
      cosine = multiply_add(facing[k], n[k], cosine);
    }
    const P near = larger(one - squared * per_reach, zero), alike = cosine * cosine;
    const P w = chosen(alike - same_face, near * near * alike, zero);
    weights = weights + w;
    if (!derivatives) continue;
    P lever[kParameters], pull[kParameters], turning[kRotations];
    cross(turned, n, turning);
    for (int k = 0; k < kRotations; ++k) lever[k] = turning[k];
    cross(turned, r, turning);
    for (int k = 0; k < kRotations; ++k) pull[k] = turning[k];
    for (int k = 0; k < D; ++k) {
      lever[kRotations + k] = n[k];
      pull[kRotations + k] = r[k];
    }
    for (int i = 0, entry = 0; i < kParameters; ++i) {
      gradient[i] = multiply_add(w, multiply_add(lever[i], along, sliding * pull[i]), gradient[i]);
      const P weighted = w * lever[i];
      for (int j = 0; j <= i; ++j, ++entry) products[entry] = multiply_add(weighted, lever[j], products[entry]);
    }
    for (int i = 0, entry = 0; i < D; ++i) {
      const P weighted = w * turned[i];
      first[i] = first[i] + weighted;
      for (int j = 0; j <= i; ++j, ++entry) second[entry] = multiply_add(weighted, turned[j], second[entry]);
    }
  }
  sums.weight = static_cast<double>(total<float>(weights));
  if (!derivatives) return;
  for (int i = 0; i < kParameters; ++i) sums.gradient[i] = static_cast<double>(total<float>(gradient[i]));
  // JᵀJ of a place x: |x|² I - x xᵀ for the rotations, I for the translations, and x as a cross product between them.
  double x[D], xx[D][D], both[kParameters][kParameters] = {};
  for (int i = 0, entry = 0; i < D; ++i) {
    x[i] = static_cast<double>(total<float>(first[i]));
    for (int j = 0; j <= i; ++j, ++entry) xx[i][j] = xx[j][i] = static_cast<double>(total<float>(second[entry]));
  }
  double trace = 0.0;
  for (int k = 0; k < D; ++k) trace += xx[k][k];
  if constexpr (D == 2) {
    both[0][0] = trace;
    both[1][0] = -x[1];
    both[2][0] = x[0];
  } else {
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j <= i; ++j) both[i][j] = (i == j ? trace : 0.0) - xx[i][j];
      const int next = (i + 1) % 3, last = (i + 2) % 3;
      both[3 + last][i] = x[next];   // rotation i moves the place by e_i x place
      both[3 + next][i] = -x[last];
    }
  }
  for (int k = kRotations; k < kParameters; ++k) both[k][k] = sums.weight;
  for (int i = 0, entry = 0; i < kParameters; ++i)
    for (int j = 0; j <= i; ++j, ++entry)
      sums.hessian[entry] =
          static_cast<double>(total<float>(products[entry])) + static_cast<double>(kSliding) * both[i][j];
}

template <int D>
void take_nearer(const float (&middles)[3][SurfaceTable::kBlockCells], const float* mean, float furthest, float surfel,
                 float* nearest, float* owners) {
  constexpr std::size_t kSide = SurfaceTable::kBlockCells, kSlice = D == 2 ? kSide : kSide * kSide;
  float squared[D][kSide];
  for (int k = 0; k < D; ++k)
    for (std::size_t c = 0; c < kSide; ++c) squared[k][c] = (middles[k][c] - mean[k]) * (middles[k][c] - mean[k]);
  // By the cells of a slice, padded to the width of a pack: the parts along the second axis and along the third.
  float second[kSide * kSide] = {}, third[kSide * kSide];
  for (float& each : third) each = std::numeric_limits<float>::infinity();
  for (std::size_t y = 0; y < kSlice / kSide; ++y)
    for (std::size_t z = 0; z < kSide; ++z) {
      second[y * kSide + z] = D == 2 ? 0.0f : squared[1][y];
      third[y * kSide + z] = squared[D - 1][z];
    }
  const P own = P::all(surfel);
  for (std::size_t x = 0; x < kSide; ++x) {
    if (!(squared[0][x] < furthest)) continue;
    const P first = P::all(squared[0][x]);
    for (std::size_t c = 0; c < kSlice; c += P::size) {
      float *near = nearest + x * kSlice + c, *owner = owners + x * kSlice + c;
      const P distance = first + P::load(second + c) + P::load(third + c), before = P::load(near);
      const P apart = distance - before;
      chosen(apart, before, distance).store(near);
      chosen(apart, P::load(owner), own).store(owner);
    }
  }
}

}  // namespace

extern const AlignmentLoop kAlignmentLoop;
const AlignmentLoop kAlignmentLoop{sum<2>, sum<3>, take_nearer<2>, take_nearer<3>};

}  // namespace svgm::SVGM_ISA
