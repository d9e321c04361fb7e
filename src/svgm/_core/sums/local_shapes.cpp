#include "sums/local_shapes.hpp"

#include <algorithm>
#include <vector>

#include "minimise/symmetric_eigen.hpp"
#include "runtime/parallel.hpp"
#include "sums/gauss_transform.hpp"

namespace svgm {
namespace {

template <int D>
void shape(const double* sums, const double* place, double variance, double prior, double* mean, double* covariance) {
  const double mass = sums[0], count = std::max(mass - 1.0, 0.0), share = count / (count + prior);
  double shift[D], blended[D * D];  // shift: from the local mean to the place
  for (int k = 0; k < D; ++k) shift[k] = mass > 0.0 ? sums[1 + k] / mass : 0.0;
  for (int k = 0, at = 1 + D; k < D; ++k)
    for (int l = k; l < D; ++l, ++at) {
      const double scatter = mass > 0.0 ? sums[at] / mass - shift[k] * shift[l] : 0.0;
      blended[k * D + l] = blended[l * D + k] = share * scatter + (k == l ? (1.0 - share) * variance : 0.0);
    }
  const SymmetricEigen eigen = symmetric_eigen(blended, D);
  const auto& normal = eigen.vectors[0];
  double across = 0.0;
  for (std::size_t k = 0; k < D; ++k) across += share * shift[k] * normal[k];
  for (std::size_t k = 0; k < D; ++k) mean[k] = place[k] - across * normal[k];
  // Flat as far as the points are flatter than they are wide in every direction along the surface.
  const double flatness = std::clamp(eigen.values[0] / eigen.values[1], kFlattest * kFlattest, 1.0);
  for (std::size_t k = 0; k < D; ++k)
    for (std::size_t l = 0; l < D; ++l)
      // The product of the normal's numbers first: so the matrix is symmetric to the bit.
      covariance[k * D + l] = variance * ((k == l ? 1.0 : 0.0) - (1.0 - flatness) * (normal[k] * normal[l]));
}

}  // namespace

void local_shapes(const BoxTree& tree, const double* places, std::size_t m, double sigma, double prior, double cutoff,
                  unsigned threads, double* means, double* covariances) {
  const std::size_t d = static_cast<std::size_t>(tree.dimension()), columns = 1 + d + d * (d + 1) / 2;
  constexpr std::size_t kTogether = 4096;  // rows of sums that are held in memory
  std::vector<double> sums(std::min(m, kTogether) * columns);
  for (std::size_t first = 0; first < m; first += kTogether) {
    const std::size_t count = std::min(kTogether, m - first);
    gauss_transform(tree, places + first * d, count, 0.5 / (sigma * sigma), cutoff, 2, threads, sums.data());
    constexpr std::size_t kRowsPerTask = 256;
    parallel_for((count + kRowsPerTask - 1) / kRowsPerTask, threads, [&](std::size_t task) {
      for (std::size_t i = task * kRowsPerTask; i < std::min(count, (task + 1) * kRowsPerTask); ++i) {
        check_interrupt(i);
        const auto row = d == 2 ? shape<2> : shape<3>;
        row(sums.data() + i * columns, places + (first + i) * d, sigma * sigma, prior, means + (first + i) * d,
            covariances + (first + i) * d * d);
      }
    });
  }
}

}  // namespace svgm
