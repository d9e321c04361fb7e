#include "surface.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "minimise.hpp"
#include "parallel.hpp"
#include "symmetric_eigen.hpp"

namespace svgm {
namespace {

// Normals farther apart than this cosine belong to different faces.
constexpr float kSameFace = 0.7f;

// Share of the whole distance beside the one along the normal: holds a plane from sliding on a plane.
constexpr float kSliding = 0.02f;

// A table has at most so many cells; a larger surface gets coarser ones.
constexpr double kMostCells = 6e6;

// Count, sums and upper triangle of products of the points of a cell, relative to the grid's corner.
template <int D>
struct Moments {
  static constexpr int kProducts = D * (D + 1) / 2;
  double count = 0.0;
  std::array<double, D> sums{};
  std::array<double, kProducts> products{};

  void add(const Moments& other) {
    count += other.count;
    for (int k = 0; k < D; ++k) sums[k] += other.sums[k];
    for (int k = 0; k < kProducts; ++k) products[k] += other.products[k];
  }
};

// The occupied cells of a grid, in its order, and how many of the cells around them are occupied, in the mean.
template <int D>
struct Grid {
  Grid(const double* points, std::size_t count, double cell);

  // Calls visit(n) for each occupied cell n around the c-th and itself; c must not go back.
  template <class Visit>
  void around(std::size_t c, const Visit& visit) {
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const std::int64_t least = keys[c] + rows[r] - 1;
      std::size_t& at = ahead[r];
      while (at < keys.size() && keys[at] < least) ++at;
      for (std::size_t n = at; n < keys.size() && keys[n] <= least + 2; ++n) visit(n);
    }
  }

  std::vector<std::int64_t> keys;
  std::vector<Moments<D>> cells;
  // Neighbours along the last axis follow each other, so a cell looks into 3 (in 2D) or 9 runs of three; each run's place
  // moves on as the cells do.
  std::vector<std::int64_t> rows;
  std::vector<std::size_t> ahead;
};

template <int D>
Grid<D>::Grid(const double* points, std::size_t count, double cell) {
  std::array<double, D> low;
  low.fill(std::numeric_limits<double>::infinity());
  std::array<double, D> high;
  high.fill(-std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < count; ++i)
    for (int k = 0; k < D; ++k) {
      low[k] = std::min(low[k], points[i * D + k]);
      high[k] = std::max(high[k], points[i * D + k]);
    }
  // Cell 0 has its middle at the origin, so that the grid turns with a set given along its principal axes.
  std::array<std::int64_t, D> first, sizes;
  for (int k = 0; k < D; ++k) {
    first[k] = static_cast<std::int64_t>(std::floor(low[k] / cell + 0.5)) - 1;
    sizes[k] = static_cast<std::int64_t>(std::floor(high[k] / cell + 0.5)) - first[k] + 2;
  }
  std::vector<std::pair<std::int64_t, std::size_t>> order(count);
  for (std::size_t i = 0; i < count; ++i) {
    std::int64_t key = 0;
    for (int k = 0; k < D; ++k)
      key = key * sizes[k] + static_cast<std::int64_t>(std::floor(points[i * D + k] / cell + 0.5)) - first[k];
    order[i] = {key, i};
  }
  std::sort(order.begin(), order.end());
  for (const auto& [key, i] : order) {
    if (keys.empty() || keys.back() != key) {
      keys.push_back(key);
      cells.emplace_back();
    }
    Moments<D>& moments = cells.back();
    moments.count += 1.0;
    for (int k = 0, at = 0; k < D; ++k) {
      moments.sums[k] += points[i * D + k];
      for (int c = k; c < D; ++c) moments.products[at++] += points[i * D + k] * points[i * D + c];
    }
  }
  for (std::int64_t x = -1; x <= 1; ++x) {
    if constexpr (D == 2) {
      rows.push_back(x * sizes[1]);
    } else {
      for (std::int64_t y = -1; y <= 1; ++y) rows.push_back((x * sizes[1] + y) * sizes[2]);
    }
  }
  ahead.assign(rows.size(), 0);
}

// Eigenvalues of a symmetric 3 x 3 matrix, ascending, and the eigenvector of the first: in closed form (Smith 1961), ten
// times faster than by rotations.  False where that would lose digits: the two least eigenvalues nearly equal.
bool least_eigenvector(const double* a, double (&values)[3], double (&vector)[3]) {
  const double mean = (a[0] + a[4] + a[8]) / 3.0, off = a[1] * a[1] + a[2] * a[2] + a[5] * a[5];
  const double x = a[0] - mean, y = a[4] - mean, z = a[8] - mean;
  const double size = std::sqrt((x * x + y * y + z * z + 2.0 * off) / 6.0);
  if (!(size > 0.0)) return false;
  const double determinant =
      x * (y * z - a[5] * a[5]) - a[1] * (a[1] * z - a[5] * a[2]) + a[2] * (a[1] * a[5] - y * a[2]);
  const double angle = std::acos(std::clamp(0.5 * determinant / (size * size * size), -1.0, 1.0)) / 3.0;
  values[2] = mean + 2.0 * size * std::cos(angle);
  values[0] = mean + 2.0 * size * std::cos(angle + 2.0943951023931953);  // 2 pi / 3
  values[1] = 3.0 * mean - values[0] - values[2];
  if (values[1] - values[0] < 1e-4 * values[2]) return false;
  // Rows of A - lambda I are orthogonal to the vector: the longest product of two of them is the safest.
  const double r[3][3] = {
      {a[0] - values[0], a[1], a[2]}, {a[1], a[4] - values[0], a[5]}, {a[2], a[5], a[8] - values[0]}};
  double longest = 0.0;
  for (int i = 0; i < 3; ++i) {
    const double *u = r[i], *v = r[(i + 1) % 3];
    const double product[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
    const double squared = product[0] * product[0] + product[1] * product[1] + product[2] * product[2];
    if (squared <= longest) continue;
    longest = squared;
    std::copy_n(product, 3, vector);
  }
  if (!(longest > 0.0)) return false;
  for (double& component : vector) component /= std::sqrt(longest);
  return true;
}

// The direction of least spread, or false for points on a line (in 3D) or in one place.
template <int D>
bool least_spread(const Moments<D>& moments, float (&normal)[D]) {
  if (moments.count < D) return false;
  double covariance[D * D];
  for (int k = 0, at = 0; k < D; ++k)
    for (int b = k; b < D; ++b, ++at)
      covariance[k * D + b] = covariance[b * D + k] =
          moments.products[at] / moments.count - moments.sums[k] * moments.sums[b] / (moments.count * moments.count);
  if constexpr (D == 3) {
    double values[3], vector[3];
    if (least_eigenvector(covariance, values, vector)) {
      for (int k = 0; k < D; ++k) normal[k] = static_cast<float>(vector[k]);
      return values[1] > 1e-3 * values[2];
    }
  }
  const SymmetricEigen eigen = symmetric_eigen(covariance, D);
  if (D == 3 ? !(eigen.values[1] > 1e-3 * eigen.values[2]) : !(eigen.values[1] > 0.0)) return false;
  for (int k = 0; k < D; ++k) normal[k] = static_cast<float>(eigen.vectors[0][k]);
  return true;
}

template <int D>
Surfels surfels_in(const double* points, std::size_t count, double cell) {
  Grid<D> grid(points, count, cell);
  Surfels found;
  for (std::size_t c = 0; c < grid.keys.size(); ++c) {
    Moments<D> around;
    grid.around(c, [&](std::size_t n) { around.add(grid.cells[n]); });
    float normal[D];
    if (!least_spread<D>(around, normal)) continue;
    for (int k = 0; k < D; ++k)
      found.means.push_back(static_cast<float>(grid.cells[c].sums[k] / grid.cells[c].count));
    found.normals.insert(found.normals.end(), normal, normal + D);
  }
  return found;
}

template <int D>
double occupied_neighbours_in(const double* points, std::size_t count, double cell) {
  Grid<D> grid(points, count, cell);
  double neighbours = 0.0;
  for (std::size_t c = 0; c < grid.keys.size(); ++c)
    grid.around(c, [&](std::size_t n) { neighbours += n == c ? 0.0 : 1.0; });
  return neighbours / static_cast<double>(grid.keys.size());
}

// A surfel of the source as it lies on the target: the vector from the target's surfel, that one's normal, and the
// cosine between the normals.
template <int D>
struct Contact {
  float turned[D], apart[D], squared, along, cosine;
  const float* normal;
};

template <int D>
bool contact(const SurfaceTable& target, const float (&rotation)[D][D], const float (&shift)[D], const float* mean,
             const float* normal, Contact<D>& out) {
  float place[D];
  for (int i = 0; i < D; ++i) {
    out.turned[i] = 0.0f;
    for (int j = 0; j < D; ++j) out.turned[i] += rotation[i][j] * mean[j];
    place[i] = out.turned[i] + shift[i];
  }
  const std::int32_t nearest = target.nearest<D>(place);
  if (nearest < 0) return false;
  const float* other = target.mean(nearest);
  out.normal = target.normal(nearest);
  out.squared = out.along = out.cosine = 0.0f;
  for (int i = 0; i < D; ++i) {
    float facing = 0.0f;
    for (int j = 0; j < D; ++j) facing += rotation[i][j] * normal[j];
    out.apart[i] = place[i] - other[i];
    out.squared += out.apart[i] * out.apart[i];
    out.along += out.apart[i] * out.normal[i];
    out.cosine += facing * out.normal[i];
  }
  out.cosine = std::abs(out.cosine);
  return true;
}

template <int D>
void split(const double* pose, float (&rotation)[D][D], float (&shift)[D]) {
  for (int i = 0; i < D; ++i) {
    for (int j = 0; j < D; ++j) rotation[i][j] = static_cast<float>(pose[i * (D + 1) + j]);
    shift[i] = static_cast<float>(pose[i * (D + 1) + D]);
  }
}

// The lever of a torque: row i is what a step of parameter i, rotation first, moves the turned place by.
template <int D>
void jacobian(const float* turned, float (&rows)[D * (D + 1) / 2][D]) {
  for (auto& row : rows) std::fill_n(row, D, 0.0f);
  constexpr int kRotations = D * (D - 1) / 2;
  if constexpr (D == 2) {
    rows[0][0] = -turned[1];
    rows[0][1] = turned[0];
  } else {
    rows[0][1] = -turned[2], rows[0][2] = turned[1];
    rows[1][0] = turned[2], rows[1][2] = -turned[0];
    rows[2][0] = -turned[1], rows[2][1] = turned[0];
  }
  for (int i = 0; i < D; ++i) rows[kRotations + i][i] = 1.0f;
}

template <int D>
double align_one(const SurfaceTable& target, const float* means, const float* normals, std::size_t count,
                 const float* reaches, std::size_t steps, double* pose) {
  constexpr int kParameters = D * (D + 1) / 2, kEntries = kParameters * (kParameters + 1) / 2;
  for (std::size_t step = 0;; ++step) {
    const bool scoring = step == steps;
    const float reach = reaches[scoring ? steps - 1 : step], per_reach = 1.0f / (reach * reach);
    float rotation[D][D], shift[D];
    split<D>(pose, rotation, shift);
    double score = 0.0, gradient[kParameters] = {}, entries[kEntries] = {};
    Contact<D> at;
    for (std::size_t s = 0; s < count; ++s) {
      if (!contact<D>(target, rotation, shift, means + s * D, normals + s * D, at)) continue;
      const float near = 1.0f - at.squared * per_reach;
      if (near <= 0.0f || at.cosine < kSameFace) continue;
      const float weight = near * near * at.cosine * at.cosine;
      score += weight;
      if (scoring) continue;
      float rows[kParameters][D], levers[kParameters];
      jacobian<D>(at.turned, rows);
      for (int i = 0, entry = 0; i < kParameters; ++i) {
        float pull = 0.0f;
        levers[i] = 0.0f;
        for (int k = 0; k < D; ++k) {
          levers[i] += rows[i][k] * at.normal[k];
          pull += rows[i][k] * at.apart[k];
        }
        gradient[i] += weight * (levers[i] * at.along + kSliding * pull);
        for (int j = 0; j <= i; ++j) {
          float both = levers[i] * levers[j];
          for (int k = 0; k < D; ++k) both += kSliding * rows[i][k] * rows[j][k];
          entries[entry++] += weight * both;
        }
      }
    }
    if (scoring) return score / static_cast<double>(count);
    if (!(score > 0.0)) return 0.0;
    double hessian[kParameters * kParameters], change[kParameters];
    for (int i = 0, entry = 0; i < kParameters; ++i)
      for (int j = 0; j <= i; ++j) hessian[i * kParameters + j] = hessian[j * kParameters + i] = entries[entry++];
    trust_region_step(gradient, hessian, kParameters, 1.5 * static_cast<double>(reach), change);
    double moved[(D + 1) * (D + 1)];
    move(pose, change, D, moved);
    std::copy_n(moved, (D + 1) * (D + 1), pose);
  }
}

}  // namespace

Surfels surfels(const double* points, std::size_t count, int dimension, double cell) {
  return dimension == 2 ? surfels_in<2>(points, count, cell) : surfels_in<3>(points, count, cell);
}

double occupied_neighbours(const double* points, std::size_t count, int dimension, double cell) {
  return dimension == 2 ? occupied_neighbours_in<2>(points, count, cell)
                        : occupied_neighbours_in<3>(points, count, cell);
}

SurfaceTable::SurfaceTable(const float* means, const float* normals, std::size_t count, int dimension, double cell,
                           double reach)
    : dimension_(dimension), means_(means, means + count * static_cast<std::size_t>(dimension)),
      normals_(normals, normals + count * static_cast<std::size_t>(dimension)) {
  const std::size_t d = static_cast<std::size_t>(dimension);
  std::array<float, 3> low{}, high{};
  for (std::size_t k = 0; k < d; ++k) {
    low[k] = high[k] = means_[k];
    for (std::size_t s = 0; s < count; ++s) {
      low[k] = std::min(low[k], means_[s * d + k]);
      high[k] = std::max(high[k], means_[s * d + k]);
    }
  }
  for (double cells = kMostCells + 1.0; cells > kMostCells; cell *= 1.25) {
    cells = 1.0;
    for (std::size_t k = 0; k < d; ++k) {
      low_[k] = low[k] - static_cast<float>(reach);
      const double size = std::ceil((static_cast<double>(high[k] - low[k]) + 2.0 * reach) / cell);
      sizes_[k] = static_cast<std::size_t>(size) + 1;
      limit_[k] = static_cast<float>(sizes_[k]);
      cells *= static_cast<double>(sizes_[k]);
    }
    per_cell_ = static_cast<float>(1.0 / cell);
  }
  const float width = 1.0f / per_cell_, furthest = static_cast<float>(reach) + width;
  table_.assign(sizes_[0] * sizes_[1] * sizes_[2], -1);
  const auto ring = static_cast<std::int64_t>(std::ceil(furthest / width));
  // Every surfel claims the cells around it whose middle it is nearest to.
  for (std::size_t s = 0; s < count; ++s) {
    std::int64_t begin[3] = {0, 0, 0}, end[3] = {1, 1, 1};
    for (std::size_t k = 0; k < d; ++k) {
      const auto home = static_cast<std::int64_t>((means_[s * d + k] - low_[k]) * per_cell_);
      begin[k] = std::max<std::int64_t>(0, home - ring);
      end[k] = std::min<std::int64_t>(static_cast<std::int64_t>(sizes_[k]), home + ring + 1);
    }
    const auto squared = [&](std::size_t surfel, std::size_t k, std::int64_t index) {
      if (k >= d) return 0.0f;
      const float apart = low_[k] + (static_cast<float>(index) + 0.5f) * width - means_[surfel * d + k];
      return apart * apart;
    };
    for (std::int64_t x = begin[0]; x < end[0]; ++x) {
      const float from_x = squared(s, 0, x);
      for (std::int64_t y = begin[1]; y < end[1]; ++y) {
        const float from_y = from_x + squared(s, 1, y);
        if (from_y >= furthest * furthest) continue;
        std::size_t at = (static_cast<std::size_t>(x) * sizes_[1] + static_cast<std::size_t>(y)) * sizes_[2] +
                         static_cast<std::size_t>(begin[2]);
        for (std::int64_t z = begin[2]; z < end[2]; ++z, ++at) {
          const float distance = from_y + squared(s, 2, z);
          if (distance >= furthest * furthest) continue;
          const std::int32_t held = table_[at];
          if (held >= 0) {
            const auto other = static_cast<std::size_t>(held);
            if (distance >= squared(other, 0, x) + squared(other, 1, y) + squared(other, 2, z)) continue;
          }
          table_[at] = static_cast<std::int32_t>(s);
        }
      }
    }
  }
}

void align_to_surface(const SurfaceTable& target, const float* means, const float* normals, std::size_t count,
                      const float* reaches, std::size_t steps, double* poses, std::size_t batch, unsigned threads,
                      double* scores) {
  const std::size_t n = static_cast<std::size_t>(target.dimension()) + 1;
  parallel_for(batch, threads, [&](std::size_t b) {
    const auto align = target.dimension() == 2 ? align_one<2> : align_one<3>;
    scores[b] = align(target, means, normals, count, reaches, steps, poses + b * n * n);
  });
}

void surface_residuals(const SurfaceTable& target, const float* means, const float* normals, std::size_t count,
                       const double* pose, double* out) {
  const auto in = [&]<int D>() {
    float rotation[D][D], shift[D];
    split<D>(pose, rotation, shift);
    Contact<D> at;
    for (std::size_t s = 0; s < count; ++s) {
      const bool near = contact<D>(target, rotation, shift, means + s * D, normals + s * D, at);
      out[s * 3] = near ? std::sqrt(static_cast<double>(at.squared)) : std::numeric_limits<double>::infinity();
      out[s * 3 + 1] = near ? std::abs(static_cast<double>(at.along)) : std::numeric_limits<double>::infinity();
      out[s * 3 + 2] = near ? static_cast<double>(at.cosine) : 0.0;
    }
  };
  if (target.dimension() == 2)
    in.template operator()<2>();
  else
    in.template operator()<3>();
}

}  // namespace svgm
