// The innermost loops: one query point against a run of points stored by coordinate ("structure of arrays").
// Every run starts and ends on a multiple of kLanes, so the loops have no tail; padding carries weight zero.
#pragma once
#include <cstddef>

namespace svgm {

inline constexpr std::size_t kLanes = 8;

// coordinates[k] points at the k-th coordinate of all points.
struct PairLoop {
  // out[j - begin] = exp(-rate * |q - y_j|²)
  void (*kernel_row)(const double* q, const double* const* coordinates, int dimension, double rate, std::size_t begin,
                     std::size_t end, double* out);
  // sums[0] += sum_j w_j exp(-rate * |q - y_j|²)
  void (*value)(const double* q, const double* const* coordinates, int dimension, const double* weights, double rate,
                std::size_t begin, std::size_t end, double* sums);
  // With d_j = q - y_j and e_j = w_j exp(-rate |d_j|²): sums += (e, e d, upper triangle of e d dᵀ by rows).
  void (*moments_2d)(const double* q, const double* const* coordinates, const double* weights, double rate,
                     std::size_t begin, std::size_t end, double* sums);
  void (*moments_3d)(const double* q, const double* const* coordinates, const double* weights, double rate,
                     std::size_t begin, std::size_t end, double* sums);
};

const PairLoop& pair_loop();          // the best one this machine can run
const char* pair_loop_name();

}  // namespace svgm
