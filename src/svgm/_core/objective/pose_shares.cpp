#include "objective/pose_shares.hpp"

#include "objective/derivatives.hpp"
#include "runtime/interrupt.hpp"

namespace svgm {
namespace {

template <int D>
void shares(const double* rows, std::size_t n, const double* turn, const double* levers, double* gradients,
            double* hessians) {
  constexpr int kParameters = parameters(D), kWidth = force_numbers(D);
  const auto turned = [&](const double* vector, double (&out)[D]) {
    for (int i = 0; i < D; ++i) {
      out[i] = 0.0;
      for (int j = 0; j < D; ++j) out[i] += turn[i * D + j] * vector[j];
    }
  };
  for (std::size_t s = 0; s < n; ++s) {
    check_interrupt(s);
    const double* row = rows + s * static_cast<std::size_t>(kWidth);
    double force[D], lever[D], own[D][D], half[D][D], second[D][D];
    const double none[D] = {};
    turned(row, force);
    for (int k = 0; k < D; ++k) lever[k] = levers[s * D + static_cast<std::size_t>(k)];
    for (int i = 0, at = kParameters; i < D; ++i)
      for (int j = i; j < D; ++j, ++at) own[i][j] = own[j][i] = row[at];
    for (int i = 0; i < D; ++i) turned(own[i], half[i]);  // row i of own turnᵀ
    for (int i = 0; i < D; ++i)
      for (int j = 0; j < D; ++j) {
        second[i][j] = 0.0;
        for (int k = 0; k < D; ++k) second[i][j] += turn[i * D + k] * half[k][j];
      }
    Derivatives<D> sum;
    add(sum, 0.0, none, second, lever);  // without a force there is no bend: the Hessian is Jᵀ S J
    double* gradient = gradients + s * static_cast<std::size_t>(kParameters);
    if constexpr (D == 2) {
      gradient[0] = lever[0] * force[1] - lever[1] * force[0] + row[2];
    } else {
      double torque[3], arm[3];
      turned(row + 3, torque);  // a torque turns as a vector does
      cross(lever, force, arm);
      for (int k = 0; k < 3; ++k) gradient[k] = arm[k] + torque[k];
    }
    for (int k = 0; k < D; ++k) gradient[rotations(D) + k] = force[k];
    double* hessian = hessians + s * static_cast<std::size_t>(kParameters * (kParameters + 1) / 2);
    for (int a = 0; a < kParameters; ++a)
      for (int b = a; b < kParameters; ++b) *hessian++ = sum.hessian[a][b];
  }
}

}  // namespace

void pose_shares(const double* rows, std::size_t n, int dimension, const double* turn, const double* levers,
                 double* gradients, double* hessians) {
  (dimension == 2 ? shares<2> : shares<3>)(rows, n, turn, levers, gradients, hessians);
}

}  // namespace svgm
