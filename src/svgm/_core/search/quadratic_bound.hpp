// An upper bound of a quadratic over a ball times a box, by weak duality: no eigenvalues, and valid however roughly the
// multipliers were chosen.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace svgm {

// With lengths in units of the limits, let z_1 .. z_r lie in the unit ball and each of z_{r+1} .. z_k in [-1, 1].  For
// multipliers m >= 0, equal on the ball, with diag(m) - H positive definite,
//   b·z + ½ zᵀHz  <=  b·z + ½ zᵀHz + ½ sum_k m_k (1 - z_k²) [ball: one 1 for all of it]
//                 <=  ½ bᵀ(diag(m) - H)⁻¹b + ½ (m_ball + sum of the box's m).
template <int R, int K>
class QuadraticBound {
 public:
  using Vector = std::array<double, K>;
  using Square = std::array<Vector, K>;

  QuadraticBound(const Vector& b, const Square& H) : b_(b), H_(H) {}

  // The least of the bounds over a few choices of the multipliers.
  double largest() {
    double norm = 0.0;
    for (int i = 0; i < K; ++i) {
      norm += b_[i] * b_[i];
      for (int j = 0; j < K; ++j) size_ += H_[i][j] * H_[i][j];
    }
    size_ = std::sqrt(size_);
    // One multiplier for all: Newton's iteration for |z|² = limit, as in a trust region.
    const double limit = 1.0 + (K - R);
    double m = size_ + std::sqrt(norm / limit) + 1e-300, low = 0.0, feasible = m;
    Vector multipliers, z{};
    for (int step = 0; step < 12; ++step) {
      multipliers.fill(m);
      if (!try_multipliers(multipliers, z)) {
        low = m;
        m = 0.5 * (m + feasible);
        continue;
      }
      feasible = m;
      Vector w;
      forward(z, w);
      double squared = 0.0, slope = 0.0;
      for (int i = 0; i < K; ++i) {
        squared += z[i] * z[i];
        slope += w[i] * w[i];
      }
      if (!(slope > 0.0)) break;
      m = std::max(m + squared / slope * (std::sqrt(squared / limit) - 1.0), low + 0.1 * (m - low));
      if (std::abs(m - feasible) <= 1e-2 * feasible) break;
    }
    // Then each its own: where z leaves its interval the multiplier rises, where it stays inside it falls.
    multipliers.fill(feasible);
    if (!try_multipliers(multipliers, z)) return best_;
    for (int step = 0; step < 8; ++step) {
      const Vector before = multipliers;
      const double held = best_;
      double ball = 0.0;
      for (int i = 0; i < R; ++i) ball += z[i] * z[i];
      ball = std::sqrt(ball);
      for (int i = 0; i < K; ++i) multipliers[i] *= std::clamp(i < R ? ball : std::abs(z[i]), 0.25, 4.0);
      bool valid = try_multipliers(multipliers, z);
      for (int halving = 0; halving < 3 && !valid; ++halving) {
        for (int i = 0; i < K; ++i) multipliers[i] = std::max(multipliers[i], 0.5 * (multipliers[i] + before[i]));
        valid = try_multipliers(multipliers, z);
      }
      if (!valid || best_ > held - 1e-3 * std::abs(held)) break;
    }
    return best_;
  }

 private:
  // The Cholesky factor of diag(m) - H and the maximiser z; false where that is not safely positive definite.
  bool try_multipliers(const Vector& m, Vector& z) {
    for (int i = 0; i < K; ++i) {
      for (int j = 0; j <= i; ++j) {
        double sum = (i == j ? m[i] : 0.0) - H_[i][j];
        for (int k = 0; k < j; ++k) sum -= factor_[i][k] * factor_[j][k];
        if (i != j) {
          factor_[i][j] = sum / factor_[j][j];
        } else {
          if (!(sum > 1e-9 * (m[i] + std::abs(H_[i][i])))) return false;
          factor_[i][i] = std::sqrt(sum);
        }
      }
    }
    Vector w;
    forward(b_, w);
    for (int i = K - 1; i >= 0; --i) {
      double sum = w[i];
      for (int k = i + 1; k < K; ++k) sum -= factor_[k][i] * z[k];
      z[i] = sum / factor_[i][i];
    }
    double bound = R > 0 ? m[0] : 0.0;
    for (int i = R; i < K; ++i) bound += m[i];
    for (const double x : w) bound += x * x;
    // The factor is that of a matrix some 1e-15 of its size away, and z is at most sqrt(K).
    best_ = std::min(best_, 0.5 * bound + 1e-13 * (bound + size_));
    return true;
  }

  // Solves L w = v.
  void forward(const Vector& v, Vector& w) const {
    for (int i = 0; i < K; ++i) {
      double sum = v[i];
      for (int k = 0; k < i; ++k) sum -= factor_[i][k] * w[k];
      w[i] = sum / factor_[i][i];
    }
  }

  Vector b_;
  Square H_, factor_{};
  double best_ = std::numeric_limits<double>::infinity(), size_ = 0.0;
};

}  // namespace svgm
