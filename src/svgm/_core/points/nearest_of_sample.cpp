#include "points/nearest_of_sample.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "runtime/interrupt.hpp"

namespace svgm {
namespace {

// A grid over the box around all balls of radius `at_most`; each cell lists the balls that reach into it.
template <int D>
class BallGrid {
 public:
  BallGrid(const double* sample, std::size_t m, const double* at_most) {
    std::array<double, D> high;
    low_.fill(INFINITY);
    high.fill(-INFINITY);
    for (std::size_t s = 0; s < m; ++s)
      for (std::size_t k = 0; k < D; ++k) {
        low_[k] = std::min(low_[k], sample[s * D + k] - reach(at_most[s]));
        high[k] = std::max(high[k], sample[s * D + k] + reach(at_most[s]));
      }
    for (std::size_t k = 0; k < D; ++k) per_cell_[k] = high[k] > low_[k] ? kCells / (high[k] - low_[k]) : 0.0;
    const auto each_cell = [&](const auto& visit) {
      for (std::size_t s = 0; s < m; ++s) {
        std::array<std::uint32_t, 3> begin{0, 0, 0}, end{0, 0, 0};
        for (std::size_t k = 0; k < D; ++k) {
          begin[k] = cell(sample[s * D + k] - reach(at_most[s]), k);
          end[k] = cell(sample[s * D + k] + reach(at_most[s]), k);
        }
        for (std::uint32_t x = begin[0]; x <= end[0]; ++x)
          for (std::uint32_t y = begin[1]; y <= end[1]; ++y) {
            check_interrupt();
            for (std::uint32_t z = begin[2]; z <= end[2]; ++z)
              visit(D == 2 ? x * kCells + y : (x * kCells + y) * kCells + z, static_cast<std::uint32_t>(s));
          }
      }
    };
    first_.assign((D == 2 ? kCells * kCells : kCells * kCells * kCells) + 1, 0);
    each_cell([&](std::uint32_t at, std::uint32_t) { ++first_[at + 1]; });
    for (std::size_t c = 1; c < first_.size(); ++c) first_[c] += first_[c - 1];
    balls_.resize(first_.back());
    std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
    each_cell([&](std::uint32_t at, std::uint32_t s) { balls_[next[at]++] = s; });
  }

  // Calls visit(s) for each ball that reaches into the cell of a place.
  template <class Visit>
  void near(const double* place, const Visit& visit) const {
    std::uint32_t at = 0;
    for (std::size_t k = 0; k < D; ++k) {
      const double offset = (place[k] - low_[k]) * per_cell_[k];
      if (!(offset >= 0.0 && offset <= kCells)) return;
      at = at * kCells + std::min(static_cast<std::uint32_t>(offset), kCells - 1);
    }
    for (std::uint32_t b = first_[at]; b < first_[at + 1]; ++b) visit(balls_[b]);
  }

 private:
  static constexpr std::uint32_t kCells = D == 2 ? 256 : 48;  // along each axis

  static double reach(double radius) { return radius * (1.0 + 1e-9); }

  std::uint32_t cell(double x, std::size_t k) const {
    const double offset = std::max((x - low_[k]) * per_cell_[k], 0.0);
    return static_cast<std::uint32_t>(std::min(offset, static_cast<double>(kCells - 1)));
  }

  std::array<double, D> low_, per_cell_;
  std::vector<std::uint32_t> first_, balls_;
};

template <int D>
void nearest(const double* points, std::size_t n, const double* centre, const double* sample, std::size_t m,
             const double* at_most, double least, double* distances) {
  const BallGrid<D> grid(sample, m, at_most);
  std::vector<double> best(m, INFINITY);
  for (std::size_t i = 0; i < n; ++i) {
    check_interrupt(i);
    double place[D];
    for (std::size_t k = 0; k < D; ++k) place[k] = points[i * D + k] - centre[k];
    grid.near(place, [&](std::uint32_t s) {
      double squared = 0.0;
      for (std::size_t k = 0; k < D; ++k)
        squared += (sample[s * D + k] - place[k]) * (sample[s * D + k] - place[k]);
      if (squared > least * least && squared < best[s]) best[s] = squared;
    });
  }
  for (std::size_t s = 0; s < m; ++s) distances[s] = std::min(at_most[s], std::sqrt(best[s]));
}

}  // namespace

void nearest_of_sample(const double* points, std::size_t n, int dimension, const double* centre, const double* sample,
                       std::size_t m, const double* at_most, double least, double* distances) {
  (dimension == 2 ? nearest<2> : nearest<3>)(points, n, centre, sample, m, at_most, least, distances);
}

}  // namespace svgm
