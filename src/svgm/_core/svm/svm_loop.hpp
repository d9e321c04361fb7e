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

// Kernel values are exp(-|x - y|²) in the points' own unit, and 0 beyond the cutoff: the same function whichever way
// the points are packed, so rows are symmetric.
template <class Real>
struct SvmLoop {
  // Of `count` packets, those with a point nearer to q than the cutoff: their numbers and kernel values one after the
  // other.  Returns how many there are.
  std::size_t (*kernel_row)(const Real* q, const Real* const* coordinates, int dimension, Real squared_cutoff,
                            const std::uint32_t* packets, std::size_t count, std::uint32_t* kept, Real* values);
  // sum_j weights_j K(q, y_j) over the points of `count` packets
  Real (*kernel_sum)(const Real* q, const Real* const* coordinates, int dimension, Real squared_cutoff,
                     const std::uint32_t* packets, std::size_t count, const Real* weights);
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
