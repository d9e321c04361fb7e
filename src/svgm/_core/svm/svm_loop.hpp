// The innermost loops of the SVM solver.  Points are stored by coordinate in packets of kPacket; a row of the kernel
// matrix is a list of packets with their values, so that every loop has a fixed length and vectorises.
#pragma once
#include <cstddef>
#include <cstdint>

#include "simd/widths.hpp"

namespace svgm {

inline constexpr std::size_t kBiases = 4;

// One row: the packets near enough to matter and their values, one after the other.
template <class Real>
struct KernelRow {
  const std::uint32_t* packets = nullptr;
  const Real* values = nullptr;
  std::size_t count = 0;
};

// The kernel of one point with many, which are stored by column: coordinates first.  With e the exponent, values are
// exp(-e), and 0 where e exceeds the cutoff: the same function whichever way the points are packed, so rows are
// symmetric.  Lengths are in units of sqrt(2) sigma.  Without covariances e = |x - y|².
//
// With covariances S <= 1 (in units of sigma²), the kernel is the normalised product of two Gaussians in L2:
//   K = |S_x|^¼ |S_y|^¼ / |M|^½ exp(-e),   e = (x - y)ᵀ M⁻¹ (x - y),   M = (S_x + S_y) / 2.
// M <= 1, so e >= |x - y|²: what is near without covariances includes what is near with them.  Behind the coordinates
// lie the lower triangle of S / 2 by rows, and |S|^(1/2D).
inline constexpr std::size_t shaped_columns(std::size_t dimension) {
  return dimension + dimension * (dimension + 1) / 2 + 1;
}

template <class Real>
struct KernelQuery {
  const Real* q;  // the columns of the one point
  const Real* const* columns;
  int dimension;
  bool shaped;  // whether there are covariances
  Real cutoff;
  Real* scratch;  // for shaped points, shaped_columns(dimension) + dimension packets
};

template <class Real>
struct SvmLoop {
  // Of `count` packets, those with a point nearer to q than the cutoff: their numbers and kernel values one after the
  // other.  Returns how many there are.
  std::size_t (*kernel_row)(const KernelQuery<Real>& query, const std::uint32_t* packets, std::size_t count,
                            std::uint32_t* kept, Real* values);
  // sum_j weights_j K(q, y_j) over the points of `count` packets
  Real (*kernel_sum)(const KernelQuery<Real>& query, const std::uint32_t* packets, std::size_t count,
                     const Real* weights);
  // Which of kPacket boxes (their minima by coordinate, then their maxima) come nearer to a box than the cutoff: bits.
  unsigned (*near_boxes)(const Real* box, const Real* boxes, int dimension, Real squared_cutoff);
  // sums += factor * row
  void (*add_row)(Real* sums, const KernelRow<Real>& row, Real factor);
  // One sweep of Gauss-Seidel over the points from `first` up to `last`.  Each point whose best step is longer than
  // `least` moves by it, or by `relaxation` times it if that meets no bound.  Returns `last` or, earlier, a point whose
  // row is missing: then it is to be called again from that point with the row.
  std::size_t (*sweep)(Real* beta, Real* sums, const Real* upper, Real total, Real least, Real relaxation,
                       const KernelRow<Real>* rows, const KernelRow<Real>& first_row, std::size_t first,
                       std::size_t last, double* moved, std::size_t* updates);
  // The largest best step of any point, and the terms of the duality gap: energy = sum β sums, and for each of kBiases
  // biases under = sum upper max(0, bias - sums).
  void (*assess)(const Real* beta, const Real* sums, const Real* upper, Real total, std::size_t packets,
                 const Real* biases, Real* largest, Real* energy, Real* under);
};

template <class Real>
const SvmLoop<Real>& svm_loop();  // that of the instruction set in use

}  // namespace svgm
