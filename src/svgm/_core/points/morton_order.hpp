// The order of points along a Morton curve: sorted by the interleaved bits of their coordinates, so that near points
// mostly follow each other.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace svgm {

// Sorts indices by keys, equal keys by index (radix sort: linear time).
std::vector<std::uint32_t> sorted_by_key(std::vector<std::uint64_t> keys);

// points: n rows of `dimension` doubles.
std::vector<std::uint32_t> morton_order(const double* points, std::size_t n, std::size_t dimension);

// The key of a cell given by `dimension` numbers of `bits` bits each, dimension * bits <= 64.
std::uint64_t morton_key(const std::uint64_t* cell, std::size_t dimension, int bits);

}  // namespace svgm
