// The sum of Gaussians over all pairs of one point set: the squared L2 norm of a mixture, up to a factor.
#pragma once
#include "sums/blocks.hpp"

namespace svgm {

// sum_ij w_i w_j exp(-rate |x_i - x_j|²) of a set with itself; pairs below exp(-cutoff) may be left out.
template <class Real>
double self_overlap(const Blocks<Real>& blocks, double rate, double cutoff);

}  // namespace svgm
