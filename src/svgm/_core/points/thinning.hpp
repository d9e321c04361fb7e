// Thinning: all points in a cell of a grid become one point, at their weighted mean and with the sum of their weights.
#pragma once
#include <cstddef>
#include <vector>

namespace svgm {

struct Thinned {
  std::vector<double> points;   // rows of `dimension` numbers
  std::vector<double> weights;
};

// The grid has its axes along the columns of `axes` (dimension x dimension, by rows) and the middle of a cell at
// `centre`. The result follows a Morton curve, so near points mostly follow each other; cells without weight are left
// out.  The order does not depend on the order of the input.
Thinned thin(const double* points, const double* weights, std::size_t n, std::size_t dimension, const double* centre,
             const double* axes, double cell);

}  // namespace svgm
