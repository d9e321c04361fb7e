#include "field.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "derivatives.hpp"
#include "parallel.hpp"
#include "quad.hpp"

namespace svgm {
namespace {

constexpr double kSpacing = 0.8;  // of the Gaussians' standard deviation
constexpr std::size_t kRowsPerTask = 512;

struct Extent {
  double low, high;
};

Extent extent(const BoxTree& points, int axis) {
  const double* x = points.coordinates()[axis];
  const auto [low, high] = std::minmax_element(x, x + points.size());
  return {*low, *high};
}

// The four cubic B-splines that reach a place `t` in [0, 1) between two knots, with their derivatives.
struct Splines {
  float value[4], first[4], second[4];
};

inline Splines splines(float t) {
  const float u = 1.0f - t;
  return {{u * u * u / 6.0f, 2.0f / 3.0f - 0.5f * t * t * (2.0f - t), 2.0f / 3.0f - 0.5f * u * u * (2.0f - u),
           t * t * t / 6.0f},
          {-0.5f * u * u, 0.5f * t * (3.0f * t - 4.0f), -0.5f * u * (3.0f * u - 4.0f), 0.5f * t * t},
          {u, 3.0f * t - 2.0f, 3.0f * u - 2.0f, t}};
}

}  // namespace

template <int D>
double Field<D>::knots(const BoxTree& points, double rate, double cutoff) {
  const double spacing = kSpacing / std::sqrt(2.0 * rate), reach = std::sqrt(cutoff / rate);
  double count = 1.0;
  for (int k = 0; k < D; ++k) {
    const auto [low, high] = extent(points, k);
    count *= (high - low + 2.0 * reach) / spacing + 4.0;
  }
  return count;
}

// A spline on knots h apart whose coefficients are samples of a function is that function smoothed by the B-spline:
// variance h²/3, fourth cumulant -h⁴/30.  So the samples are taken of the Gaussian that is narrower by this variance,
// times the polynomial that makes up for the cumulant; what is left is of sixth order in h over the deviation.
template <int D>
Field<D>::Field(const BoxTree& points, double rate, double cutoff) {
  const double variance = 0.5 / rate, reach = std::sqrt(cutoff / rate);
  spacing_ = kSpacing * std::sqrt(variance);
  const double narrow = variance - spacing_ * spacing_ / 3.0;
  const double amplitude = std::sqrt(variance / narrow), fourth = std::pow(spacing_ * spacing_ / narrow, 2) / 720.0;
  for (int k = 0; k < D; ++k) {
    const auto [low, high] = extent(points, k);
    origin_[k] = low - reach - spacing_;
    size_[k] = static_cast<std::size_t>((high + reach - origin_[k]) / spacing_) + 4;
  }
  inverse_spacing_ = 1.0 / spacing_;
  for (int k = 0; k < D; ++k) last_[k] = static_cast<double>(size_[k] - 2);
  stride_[D - 1] = 1;
  for (int k = D - 1; k > 0; --k) stride_[k - 1] = stride_[k] * size_[k];
  coefficients_.assign(stride_[0] * size_[0] + 3, 0.0f);  // rows are added to four knots at a time

  const std::size_t most = static_cast<std::size_t>(2.0 * reach / spacing_) + 5;
  std::vector<float> profile[D];
  std::size_t first[D], count[D];
  for (int k = 0; k < D; ++k) profile[k].resize(most);
  for (std::size_t s = 0; s < points.size(); ++s) {
    for (int k = 0; k < D; ++k) {
      const double x = (points.coordinates()[k][s] - origin_[k]) / spacing_, half = reach / spacing_;
      first[k] = static_cast<std::size_t>(std::max(0.0, std::ceil(x - half)));
      count[k] = std::min(static_cast<std::size_t>(x + half), size_[k] - 1) + 1 - first[k];
      for (std::size_t i = 0; i < count[k]; ++i) {
        const double z = (static_cast<double>(first[k] + i) - x) * spacing_, zz = z * z / narrow;
        profile[k][i] =
            static_cast<float>(amplitude * std::exp(-0.5 * zz) * (1.0 + fourth * (zz * zz - 6.0 * zz + 3.0)));
      }
    }
    std::fill_n(profile[D - 1].begin() + static_cast<std::ptrdiff_t>(count[D - 1]), 3, 0.0f);
    const float weight = static_cast<float>(points.weights()[s]);
    const auto add_row = [&](float factor, std::size_t offset) {
      float* row = coefficients_.data() + offset + first[D - 1];
      const float* along = profile[D - 1].data();
      const Quad factors = Quad::all(factor);
      for (std::size_t i = 0; i < count[D - 1]; i += 4)
        (Quad::load(row + i) + factors * Quad::load(along + i)).store(row + i);
    };
    for (std::size_t i = 0; i < count[0]; ++i) {
      const float factor = weight * profile[0][i];
      const std::size_t offset = (first[0] + i) * stride_[0];
      if constexpr (D == 2) {
        add_row(factor, offset);
      } else {
        for (std::size_t j = 0; j < count[1]; ++j)
          add_row(factor * profile[1][j], offset + (first[1] + j) * stride_[1]);
      }
    }
  }
}

template <int D>
bool Field<D>::at(const double (&q)[D], double& value, double (&first)[D], double (&second)[D][D]) const {
  Splines b[D];
  std::size_t corner = 0;
  for (int k = 0; k < D; ++k) {
    const double x = (q[k] - origin_[k]) * inverse_spacing_;
    if (!(x >= 1.0 && x < last_[k])) return false;
    const auto cell = static_cast<std::int64_t>(x);
    b[k] = splines(static_cast<float>(x - static_cast<double>(cell)));
    corner += (static_cast<std::size_t>(cell) - 1) * stride_[k];
  }
  // Sums along all axes but the last, four neighbours along the last axis at a time; `sums[m][n]` has m derivatives
  // along the first axis (of 3D) and n along the one before the last.
  Quad sums[3][3];
  for (auto& row : sums)
    for (Quad& sum : row) sum = Quad::all(0.0f);
  const float* base = coefficients_.data() + corner;
  constexpr int kPlanes = D == 3 ? 4 : 1;
  for (int i = 0; i < kPlanes; ++i) {
    const float* plane = base + static_cast<std::size_t>(i) * stride_[0];
    Quad rows[3];
    for (int j = 0; j < 4; ++j) {
      const Quad c = Quad::load(plane + static_cast<std::size_t>(j) * stride_[D - 2]);
      const Splines& w = b[D - 2];
      rows[0] = j == 0 ? Quad::all(w.value[j]) * c : rows[0] + Quad::all(w.value[j]) * c;
      rows[1] = j == 0 ? Quad::all(w.first[j]) * c : rows[1] + Quad::all(w.first[j]) * c;
      rows[2] = j == 0 ? Quad::all(w.second[j]) * c : rows[2] + Quad::all(w.second[j]) * c;
    }
    if constexpr (D == 2) {
      for (int n = 0; n < 3; ++n) sums[0][n] = rows[n];
    } else {
      for (int n = 0; n < 3; ++n) sums[0][n] = sums[0][n] + Quad::all(b[0].value[i]) * rows[n];
      for (int n = 0; n < 2; ++n) sums[1][n] = sums[1][n] + Quad::all(b[0].first[i]) * rows[n];
      sums[2][0] = sums[2][0] + Quad::all(b[0].second[i]) * rows[0];
    }
  }
  const Splines& last = b[D - 1];
  const Quad plain = Quad::load(last.value), sloped = Quad::load(last.first), bent = Quad::load(last.second);
  const double slope = inverse_spacing_, bend = slope * slope;
  float out[12];
  // No derivative along the last axis, then one, then two; the others along the axes before it.
  totals(plain * sums[0][0], sloped * sums[0][0], bent * sums[0][0], plain * sums[0][1]).store(out);
  totals(sloped * sums[0][1], plain * sums[0][2], plain * sums[1][0], sloped * sums[1][0]).store(out + 4);
  value = static_cast<double>(out[0]);
  first[D - 1] = slope * static_cast<double>(out[1]);
  second[D - 1][D - 1] = bend * static_cast<double>(out[2]);
  first[D - 2] = slope * static_cast<double>(out[3]);
  second[D - 2][D - 1] = second[D - 1][D - 2] = bend * static_cast<double>(out[4]);
  second[D - 2][D - 2] = bend * static_cast<double>(out[5]);
  if constexpr (D == 3) {
    totals(plain * sums[1][1], plain * sums[2][0], plain, plain).store(out + 8);
    first[0] = slope * static_cast<double>(out[6]);
    second[0][2] = second[2][0] = bend * static_cast<double>(out[7]);
    second[0][1] = second[1][0] = bend * static_cast<double>(out[8]);
    second[0][0] = bend * static_cast<double>(out[9]);
  }
  return true;
}

template class Field<2>;
template class Field<3>;

FieldObjective::FieldObjective(const BoxTree& source, const BoxTree& target, double rate, double cutoff, double scale,
                               unsigned threads)
    : source_(&source), scale_(scale), threads_(threads) {
  if (source.dimension() == 2)
    flat_.emplace_back(target, rate, cutoff);
  else
    solid_.emplace_back(target, rate, cutoff);
}

namespace {

template <int D>
void evaluate_poses(const BoxTree& source, const Field<D>& field, double scale, unsigned threads, const double* poses,
                    std::size_t count, double* values, double* gradients, double* hessians) {
  constexpr std::size_t k = static_cast<std::size_t>(parameters(D));
  const std::size_t n = source.size(), tasks = (n + kRowsPerTask - 1) / kRowsPerTask;
  std::vector<Derivatives<D>> parts(count * tasks);
  parallel_for(count * tasks, std::min<std::size_t>(threads, 1 + count * tasks / 4), [&](std::size_t task) {
    const double* pose = poses + task / tasks * (D + 1) * (D + 1);
    const std::size_t begin = task % tasks * kRowsPerTask;
    for (std::size_t s = begin; s < std::min(begin + kRowsPerTask, n); ++s) {
      double turned[D], q[D], value, first[D], second[D][D];
      for (int i = 0; i < D; ++i) {
        turned[i] = 0.0;
        for (int j = 0; j < D; ++j) turned[i] += pose[i * (D + 1) + j] * source.coordinates()[j][s];
        q[i] = turned[i] + pose[i * (D + 1) + D];
      }
      if (!field.at(q, value, first, second)) continue;
      const double weight = source.weights()[s];
      value *= weight;
      for (int i = 0; i < D; ++i) {
        first[i] *= weight;
        for (int j = 0; j < D; ++j) second[i][j] *= weight;
      }
      parts[task].add(value, first, second, turned);
    }
  });
  for (std::size_t p = 0; p < count; ++p) {
    Derivatives<D> total;
    for (std::size_t task = 0; task < tasks; ++task) total += parts[p * tasks + task];
    total.write(-scale, values + p, gradients + p * k, hessians + p * k * k);
  }
}

}  // namespace

void FieldObjective::evaluate(const double* poses, std::size_t count, double* values, double* gradients,
                              double* hessians) const {
  if (dimension() == 2)
    evaluate_poses(*source_, flat_.front(), scale_, threads_, poses, count, values, gradients, hessians);
  else
    evaluate_poses(*source_, solid_.front(), scale_, threads_, poses, count, values, gradients, hessians);
}

}  // namespace svgm
