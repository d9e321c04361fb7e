// The innermost loops of the SVM solver.  Points are stored by coordinate in packets of kPacket; a row of the kernel
// matrix is a list of packets with their values, so that every loop has a fixed length and vectorises.
#pragma once
#include <cstddef>
#include <cstdint>

namespace svgm {

inline constexpr std::size_t kPacket = 8;
inline constexpr std::size_t kBiases = 4;

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
  void (*add_row)(Real* sums, const std::uint32_t* packets, const Real* values, std::size_t count, Real factor);
  // The first point from `first` on, `last` if none, that wants to move by more than `least` (see below).
  std::size_t (*find_step)(const Real* beta, const Real* sums, const Real* upper, Real total, Real least,
                           std::size_t first, std::size_t last);
  // The largest step any point wants, and what the duality gap is made of: energy = sum β sums, and for each of kBiases
  // biases under = sum upper max(0, bias - sums).
  void (*assess)(const Real* beta, const Real* sums, const Real* upper, Real total, std::size_t packets,
                 const Real* biases, Real* largest, Real* energy, Real* under);
};

// What a point wants in the covering problem min ½ βᵀKβ - sum β, 0 <= β <= upper * total, where sums = Kβ.
template <class Real>
inline Real wanted_step(Real beta, Real sum, Real upper, Real total) {
  const Real most = upper * total, free = beta + (Real(1) - sum);
  const Real above = free < Real(0) ? Real(0) : free;
  return (above > most ? most : above) - beta;
}

template <class Real>
const SvmLoop<Real>& svm_loop();  // the best one this machine can run

}  // namespace svgm
