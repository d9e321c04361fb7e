#include "objective/linear_objective.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "objective/evaluate_in_parts.hpp"
#include "objective/linear_derivatives.hpp"

namespace svgm {
namespace {

constexpr std::size_t kBlocksPerPart = 4;

// A step is halved so many times that the series of its exponential, to this order, is exact to the last digits.
constexpr int kHalvings = 8, kOrder = 8;

template <int D>
void multiply(const double* a, const double* b, double* out) {
  for (int i = 0; i < D; ++i)
    for (int j = 0; j < D; ++j) {
      out[i * D + j] = 0.0;
      for (int k = 0; k < D; ++k) out[i * D + j] += a[i * D + k] * b[k * D + j];
    }
}

// Exp(W), by its series and repeated squaring.
template <int D>
void exponential(const double* w, double* out) {
  double small[D * D], power[D * D], next[D * D];
  for (int i = 0; i < D * D; ++i) {
    small[i] = std::ldexp(w[i], -kHalvings);
    out[i] = power[i] = i % (D + 1) == 0 ? 1.0 : 0.0;
  }
  for (int order = 1; order <= kOrder; ++order) {
    multiply<D>(power, small, next);
    for (int i = 0; i < D * D; ++i) {
      power[i] = next[i] / order;
      out[i] += power[i];
    }
  }
  for (int halving = 0; halving < kHalvings; ++halving) {
    multiply<D>(out, out, next);
    std::copy_n(next, D * D, out);
  }
}

// The linear part of a transformation, its determinant and its largest singular value.
template <int D>
struct LinearPart {
  explicit LinearPart(const double* pose) {
    double squares[D * D] = {};
    for (int i = 0; i < D; ++i)
      for (int j = 0; j < D; ++j) {
        matrix[i][j] = pose[i * (D + 1) + j];
        for (int k = 0; k < D; ++k) squares[i * D + j] += pose[k * (D + 1) + i] * pose[k * (D + 1) + j];
      }
    stretch = std::sqrt(std::max(0.0, symmetric_eigen(squares, D).values[D - 1]));
    const auto minor = [&](int i, int j) {
      return matrix[1][i] * matrix[2 % D][j] - matrix[1][j] * matrix[2 % D][i];
    };
    if constexpr (D == 2)
      determinant = matrix[0][0] * matrix[1][1] - matrix[0][1] * matrix[1][0];
    else
      determinant = matrix[0][0] * minor(1, 2) - matrix[0][1] * minor(0, 2) + matrix[0][2] * minor(0, 1);
  }
  double matrix[D][D], determinant, stretch;
};

// The matrix that takes a similarity's step (omega, alpha, v) to an affine one (W, v): (affine, similarity) by rows.
template <int D>
struct Projection {
  static constexpr int kAffine = linear_parameters(D), kSimilarity = parameters(D) + 1;
  Projection() {
    for (int r = 0; r < rotations(D); ++r) {
      const int next = D == 2 ? 0 : (r + 1) % 3, last = D == 2 ? 1 : (r + 2) % 3;
      rows[last * D + next][r] = 1.0;
      rows[next * D + last][r] = -1.0;
    }
    for (int i = 0; i < D; ++i) {
      rows[i * D + i][rotations(D)] = 1.0;
      rows[D * D + i][rotations(D) + 1 + i] = 1.0;
    }
  }
  double rows[kAffine][kSimilarity] = {};
};

// From the derivatives of F to those of g F, where g = |det A|^½ grows as exp(½ tr W).
template <int D>
void normalise(double g, double* value, double* gradient, double* hessian) {
  constexpr int kP = linear_parameters(D);
  const auto growth = [](int p) { return p < D * D && p % (D + 1) == 0 ? 0.5 : 0.0; };
  for (int p = 0; p < kP; ++p)
    for (int q = 0; q < kP; ++q)
      hessian[p * kP + q] = g * (hessian[p * kP + q] + growth(p) * gradient[q] + growth(q) * gradient[p] +
                                 growth(p) * growth(q) * *value);
  for (int p = 0; p < kP; ++p) gradient[p] = g * (gradient[p] + growth(p) * *value);
  *value *= g;
}

template <int D>
void project(const double* gradient, const double* hessian, double* gradient_out, double* hessian_out) {
  static const Projection<D> projection;
  constexpr int kP = linear_parameters(D), kS = Projection<D>::kSimilarity;
  double half[kP][kS] = {};
  std::fill_n(gradient_out, kS, 0.0);
  std::fill_n(hessian_out, kS * kS, 0.0);
  for (int p = 0; p < kP; ++p)
    for (int s = 0; s < kS; ++s) {
      gradient_out[s] += projection.rows[p][s] * gradient[p];
      for (int q = 0; q < kP; ++q) half[p][s] += hessian[p * kP + q] * projection.rows[q][s];
    }
  for (int p = 0; p < kP; ++p)
    for (int r = 0; r < kS; ++r)
      for (int s = 0; s < kS; ++s) hessian_out[r * kS + s] += projection.rows[p][r] * half[p][s];
}

}  // namespace

LinearObjective::LinearObjective(const BoxTree& source, const double* source_covariances, const BoxTree& target,
                                 const double* target_covariances, double norms, double cutoff, bool affine,
                                 bool single, unsigned threads)
    : dimension_(source.dimension()), scale_(1.0 / norms), affine_(affine), threads_(threads) {
  if (single)
    in_single_ = std::make_unique<FullRows<float>>(source, source_covariances, target, target_covariances, cutoff);
  else
    in_double_ = std::make_unique<FullRows<double>>(source, source_covariances, target, target_covariances, cutoff);
}

int LinearObjective::step_size() const {
  return affine_ ? linear_parameters(dimension_) : parameters(dimension_) + 1;
}

void LinearObjective::take(const double* pose, const double* step, double* out) const {
  const auto in = [&]<int D>() {
    constexpr int n = D + 1, kR = rotations(D);
    if (affine_) {
      double factor[D * D], part[D * D], moved[D * D];
      for (int i = 0; i < D; ++i) std::copy_n(pose + i * n, D, part + i * D);
      exponential<D>(step, factor);
      multiply<D>(factor, part, moved);
      std::copy_n(pose, n * n, out);
      for (int i = 0; i < D; ++i) {
        std::copy_n(moved + i * D, D, out + i * n);
        out[i * n + D] += step[D * D + i];
      }
    } else {
      double rigid[parameters(D)];
      std::copy_n(step, kR, rigid);
      std::copy_n(step + kR + 1, D, rigid + kR);
      move(pose, rigid, D, out);
      const double factor = std::exp(step[kR]);
      for (int i = 0; i < D; ++i)
        for (int j = 0; j < D; ++j) out[i * n + j] *= factor;
    }
  };
  if (dimension_ == 2)
    in.template operator()<2>();
  else
    in.template operator()<3>();
}

template <int D, class Real>
void LinearObjective::evaluate_in(const FullRows<Real>& rows, const double* poses, std::size_t count, double* values,
                                  double* gradients, double* hessians) const {
  using Matrix = double[D][D];
  using Point = double[D];
  constexpr std::size_t entries = (D + 1) * (D + 1), kP = static_cast<std::size_t>(linear_parameters(D));
  const std::size_t k = static_cast<std::size_t>(step_size()), blocks = rows.blocks();
  const auto part = [&](const double* pose, std::size_t i, LinearDerivatives<D>& sum) {
    const std::size_t first = i * kBlocksPerPart;
    rows.template visit<D>(pose, LinearPart<D>(pose).stretch, first, std::min(first + kBlocksPerPart, blocks),
                           [&](std::size_t, const Point& q, double value, const Point& force, const Matrix& u,
                               const Matrix& a) { sum.add(value, force, u, q, a); });
  };
  std::vector<double> gradient(count * kP), hessian(count * kP * kP);
  evaluate_in_parts<D, LinearDerivatives<D>>(poses, count, (blocks + kBlocksPerPart - 1) / kBlocksPerPart, scale_,
                                             threads_, part, values, gradient.data(), hessian.data());
  for (std::size_t i = 0; i < count; ++i) {
    const double g = std::sqrt(std::abs(LinearPart<D>(poses + i * entries).determinant));
    double *first = gradient.data() + i * kP, *second = hessian.data() + i * kP * kP;
    normalise<D>(g, values + i, first, second);
    if (affine_) {
      std::copy_n(first, kP, gradients + i * k);
      std::copy_n(second, kP * kP, hessians + i * k * k);
    } else {
      project<D>(first, second, gradients + i * k, hessians + i * k * k);
    }
  }
}

void LinearObjective::evaluate(const double* poses, std::size_t count, double* values, double* gradients,
                               double* hessians) const {
  const auto in = [&](const auto& rows) {
    if (dimension_ == 2)
      evaluate_in<2>(rows, poses, count, values, gradients, hessians);
    else
      evaluate_in<3>(rows, poses, count, values, gradients, hessians);
  };
  if (in_single_)
    in(*in_single_);
  else
    in(*in_double_);
}

}  // namespace svgm
