// The discrete Gauss transform of a weighted point set and its derivatives, row by row (eq. 14 and 15).
#pragma once
#include <cstddef>

#include "sums/box_tree.hpp"

namespace svgm {

// For each of m query rows: sums of (e), (e, e d, upper triangle of e d dᵀ) over the tree's points, with d = q - y and
// e = w exp(-rate |d|²).  Pairs whose exponential is below exp(-cutoff) are left out.  `sums` is m rows of 1 (order 0)
// or 1 + D + D(D+1)/2 (order 2).  Rows are independent: the result does not depend on `threads`.
void gauss_transform(const BoxTree& tree, const double* queries, std::size_t m, double rate, double cutoff, int order,
                     unsigned threads, double* sums);

}  // namespace svgm
