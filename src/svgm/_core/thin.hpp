// Points that share a cell of a grid become one, at their weighted mean, with their weight together.
#pragma once
#include <cstddef>
#include <vector>

namespace svgm {

struct Thinned {
  std::vector<double> points;   // rows of `dimension` numbers
  std::vector<double> weights;
};

// The grid has its axes along the columns of `axes` (dimension x dimension, by rows) and the middle of a cell at
// `centre`.  Cells come out along a Morton curve, so near ones mostly lie together; cells without weight are left out.
// The order is a function of the cells alone, not of the points' order.
Thinned thin(const double* points, const double* weights, std::size_t n, std::size_t dimension, const double* centre,
             const double* axes, double cell);

}  // namespace svgm
