// Derivatives by a linear map: value, gradient and Hessian of sum_i f(A x_i + t, A Sigma_i Aᵀ) with respect to the step
//   A <- Exp(W) A,  t <- t + v,   (W by rows, v) a vector of `linear_parameters(d)` numbers.
#pragma once

namespace svgm {

inline constexpr int linear_parameters(int d) { return d * d + d; }

// With q = A x, the moved covariance a, the force f = df/dq, S the second derivatives in q and U = -2 df/da, the sums are
//   gradient in W: f qᵀ - U a, and in v: f;
//   Hessian in (W_ij, W_kl): S_ik q_j q_l + ½ ([j = k] f_i q_l + [l = i] f_k q_j), in (W_ij, v_k): S_ik q_j, in v: S.
// The second term comes from the bend of Exp(W).  The gradient is exact; the Hessian takes the covariances as they are
// moved now, as that of a rigid motion does.
template <int D>
struct LinearDerivatives {
  static constexpr int kP = linear_parameters(D), kEntries = D * (D + 1) / 2;
  double value = 0.0, force[D] = {}, lever[D][D] = {}, shape[D][D] = {};
  // Sums of S, of S q and of S q qᵀ, by the upper triangles.
  double second[kEntries] = {}, swept[kEntries][D] = {}, both[kEntries][kEntries] = {};

  void add(double n, const double (&f)[D], const double (&u)[D][D], const double (&q)[D], const double (&a)[D][D]) {
    double squares[kEntries];
    for (int k = 0, at = 0; k < D; ++k)
      for (int l = k; l < D; ++l) squares[at++] = q[k] * q[l];
    value += n;
    for (int k = 0, at = 0; k < D; ++k) {
      force[k] += f[k];
      for (int l = 0; l < D; ++l) {
        lever[k][l] += f[k] * q[l];
        for (int m = 0; m < D; ++m) shape[k][l] += u[k][m] * a[m][l];
      }
      for (int l = k; l < D; ++l, ++at) {
        second[at] -= u[k][l];
        for (int m = 0; m < D; ++m) swept[at][m] -= u[k][l] * q[m];
        for (int m = 0; m < kEntries; ++m) both[at][m] -= u[k][l] * squares[m];
      }
    }
  }

  void operator+=(const LinearDerivatives& other) {
    value += other.value;
    for (int k = 0; k < D; ++k) {
      force[k] += other.force[k];
      for (int l = 0; l < D; ++l) {
        lever[k][l] += other.lever[k][l];
        shape[k][l] += other.shape[k][l];
      }
    }
    for (int k = 0; k < kEntries; ++k) {
      second[k] += other.second[k];
      for (int l = 0; l < D; ++l) swept[k][l] += other.swept[k][l];
      for (int l = 0; l < kEntries; ++l) both[k][l] += other.both[k][l];
    }
  }

  // Writes all of it times a factor, the Hessian in full.
  void write(double factor, double* value_out, double* gradient_out, double* hessian_out) const {
    const auto entry = [](int k, int l) {
      const int low = k < l ? k : l, high = k < l ? l : k;
      return low * D - low * (low + 1) / 2 + high;
    };
    constexpr int kW = D * D;
    *value_out = factor * value;
    for (int i = 0; i < D; ++i) {
      gradient_out[kW + i] = factor * force[i];
      for (int k = 0; k < D; ++k) hessian_out[(kW + i) * kP + kW + k] = factor * second[entry(i, k)];
      for (int j = 0; j < D; ++j) {
        const int row = i * D + j;
        gradient_out[row] = factor * (lever[i][j] - shape[i][j]);
        for (int k = 0; k < D; ++k) {
          const double mixed = factor * swept[entry(i, k)][j];
          hessian_out[row * kP + kW + k] = hessian_out[(kW + k) * kP + row] = mixed;
          for (int l = 0; l < D; ++l) {
            const double bend = (j == k ? lever[i][l] : 0.0) + (l == i ? lever[k][j] : 0.0);
            hessian_out[row * kP + k * D + l] = factor * (both[entry(i, k)][entry(j, l)] + 0.5 * bend);
          }
        }
      }
    }
  }
};

}  // namespace svgm
