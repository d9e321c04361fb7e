// How many points the innermost loops take at a time, on all instruction sets.  Arrays of points are padded to a
// multiple.
#pragma once
#include <cstddef>

namespace svgm {

inline constexpr std::size_t kBlock = 16;  // sums over pairs of components
inline constexpr std::size_t kPacket = 8;  // training of an SVM

}  // namespace svgm
