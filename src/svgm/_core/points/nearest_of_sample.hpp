// The nearest neighbours of a few points among many, in one pass over the many.
#pragma once
#include <cstddef>

namespace svgm {

// For each of m places (d): the distance to the nearest of the n points, each minus `centre`, that is farther away than
// `least`.  It must be known to be `at_most` so far.
void nearest_of_sample(const double* points, std::size_t n, int dimension, const double* centre, const double* sample,
                       std::size_t m, const double* at_most, double least, double* distances);

}  // namespace svgm
