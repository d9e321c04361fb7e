#include "search/correlation_grid.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/parallel.hpp"

namespace svgm {

void splat(const double* points, const double* weights, std::size_t count, int dimension, const double* rotations,
           std::size_t batch, const std::size_t* sizes, unsigned threads, float* grids) {
  const std::size_t d = static_cast<std::size_t>(dimension), cells = sizes[0] * sizes[1] * sizes[2];
  parallel_for(batch, threads, [&](std::size_t b) {
    float* grid = grids + b * cells;
    std::fill_n(grid, cells, 0.0f);
    const double* rotation = rotations + b * d * d;
    for (std::size_t i = 0; i < count; ++i) {
      if (i % 64 == 0) check_interrupt();
      std::size_t cell[3][2] = {};
      double share[3][2] = {{1.0, 0.0}, {1.0, 0.0}, {1.0, 0.0}};
      for (std::size_t k = 0; k < d; ++k) {
        double place = 0.0;
        for (std::size_t j = 0; j < d; ++j) place += rotation[k * d + j] * points[i * d + j];
        const double size = static_cast<double>(sizes[k]);
        place -= size * std::floor(place / size);
        if (!(place >= 0.0 && place < size)) place = 0.0;  // the end of the grid, or NaN, or too far away
        const double floor = std::floor(place);
        cell[k][0] = static_cast<std::size_t>(floor);
        cell[k][1] = (cell[k][0] + 1) % sizes[k];
        share[k][1] = place - floor;
        share[k][0] = 1.0 - share[k][1];
      }
      for (std::size_t x = 0; x < 2; ++x)
        for (std::size_t y = 0; y < 2; ++y)
          for (std::size_t z = 0; z < (d == 3 ? 2u : 1u); ++z)
            grid[(cell[0][x] * sizes[1] + cell[1][y]) * sizes[2] + cell[2][z]] +=
                static_cast<float>(weights[i] * share[0][x] * share[1][y] * share[2][z]);
    }
  });
}

void highest_peaks(const float* grids, std::size_t batch, const std::size_t* sizes, std::size_t most, unsigned threads,
                   float* values, std::int32_t* places) {
  const std::size_t nx = sizes[0], ny = sizes[1], nz = sizes[2], cells = nx * ny * nz;
  parallel_for(batch, threads, [&](std::size_t b) {
    const float* grid = grids + b * cells;
    float* best = values + b * most;
    std::int32_t* where = places + b * most;
    std::fill_n(best, most, -std::numeric_limits<float>::infinity());
    std::fill_n(where, most, -1);
    for (std::size_t x = 0; x < nx; ++x) {
      check_interrupt();
      for (std::size_t y = 0; y < ny; ++y)
        for (std::size_t z = 0; z < nz; ++z) {
          const std::size_t at = (x * ny + y) * nz + z;
          const float value = grid[at];
          if (!(value > best[most - 1])) continue;
          bool peak = true;
          for (std::size_t dx = 0; dx < 3 && peak; ++dx)
            for (std::size_t dy = 0; dy < 3 && peak; ++dy)
              for (std::size_t dz = 0; dz < 3 && peak; ++dz) {
                const std::size_t other =
                    (((x + nx + dx - 1) % nx) * ny + (y + ny + dy - 1) % ny) * nz + (z + nz + dz - 1) % nz;
                // Of equal neighbours the first is the peak.
                peak = other == at || grid[other] < value || (grid[other] == value && other > at);
              }
          if (!peak) continue;
          std::size_t place = most - 1;
          for (; place > 0 && best[place - 1] < value; --place) {
            best[place] = best[place - 1];
            where[place] = where[place - 1];
          }
          best[place] = value;
          where[place] = static_cast<std::int32_t>(at);
        }
    }
  });
}

}  // namespace svgm
