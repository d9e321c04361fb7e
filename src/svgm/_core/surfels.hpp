// A point set as a surface: one oriented place ("surfel") for every occupied cell of a grid.
#pragma once
#include <cstddef>
#include <vector>

namespace svgm {

// Means and unit normals (n, d) of the occupied cells, in the order of the grid.  A normal is the direction in which the
// points of a cell and its neighbours spread least; cells too lonely to have one are left out.
struct Surfels {
  std::vector<float> means, normals;
};

Surfels surfels(const double* points, std::size_t count, int dimension, double cell);

// How many of the cells around an occupied cell are occupied, in the mean: about 8 or more on a surface, 2 on a line.
double occupied_neighbours(const double* points, std::size_t count, int dimension, double cell);

}  // namespace svgm
