// A point set as a surface: one surfel (a point with a normal) for every occupied cell of a grid.
#pragma once
#include <cstddef>
#include <vector>

namespace svgm {

// Means and unit normals (n, d) of the occupied cells, in the order of the grid.  A normal is the direction in which
// the points of a cell and its neighbours spread least; cells with too few points around them are left out.  A point of
// weight w stands for w points; without weights, for one.
struct Surfels {
  std::vector<float> means, normals;
};

Surfels surfels(const double* points, const double* weights, std::size_t count, int dimension, double cell);

// The mean number of occupied cells around an occupied cell: about 8 or more on a surface, 2 on a line.
double occupied_neighbours(const double* points, std::size_t count, int dimension, double cell);

}  // namespace svgm
