// A sum over source components, split into parts that several threads compute.
#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

#include "objective/derivatives.hpp"
#include "runtime/parallel.hpp"

namespace svgm {

// Value, gradient and Hessian of -scale * sum at each of `count` poses; `part(pose, i, sum)` adds part i of `parts`.
// `Sum` is what the parts add up to.  Parts are added up in their order, so the result does not depend on the number of threads.
template <int D, class Sum = Derivatives<D>, class Part>
void evaluate_in_parts(const double* poses, std::size_t count, std::size_t parts, double scale, unsigned threads,
                       const Part& part, double* values, double* gradients, double* hessians) {
  constexpr std::size_t k = static_cast<std::size_t>(Sum::kP), entries = (D + 1) * (D + 1);
  // Poses are taken so many at a time that their sums need at most about 40 MB.
  constexpr std::size_t kMostSums = std::size_t{1} << 17;
  const std::size_t together = std::max<std::size_t>(1, kMostSums / std::max<std::size_t>(1, parts));
  for (std::size_t first = 0; first < count; first += together) {
    std::vector<Sum> sums(std::min(together, count - first) * parts);
    // Below a few parts, waking a thread costs more than it saves.
    parallel_for(sums.size(), std::min<std::size_t>(threads, 1 + sums.size() / 4),
                 [&](std::size_t i) { part(poses + (first + i / parts) * entries, i % parts, sums[i]); });
    for (std::size_t p = 0; p < sums.size() / parts; ++p) {
      Sum total;
      for (std::size_t i = 0; i < parts; ++i) total += sums[p * parts + i];
      total.write(-scale, values + first + p, gradients + (first + p) * k, hessians + (first + p) * k * k);
    }
  }
}

}  // namespace svgm
