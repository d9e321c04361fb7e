#include "minimise/pose_step.hpp"

#include <algorithm>

#include "minimise/pose_function.hpp"

namespace svgm {
namespace {

// exp of a rotation vector, row by row: Rodrigues' formula.
void rotation_exp(const double* omega, int d, double* out) {
  if (d == 2) {
    const double c = std::cos(omega[0]), s = std::sin(omega[0]);
    const double rotation[] = {c, -s, s, c};
    std::copy(rotation, rotation + 4, out);
    return;
  }
  const double angle = norm(omega, 3), half = 0.5 * angle;
  const double a = angle > 0.0 ? std::sin(angle) / angle : 1.0;
  const double b = angle > 0.0 ? 0.5 * (std::sin(half) / half) * (std::sin(half) / half) : 0.5;
  const double x = omega[0], y = omega[1], z = omega[2];
  const double rotation[] = {1.0 - b * (y * y + z * z), b * x * y - a * z, b * x * z + a * y,
                             b * x * y + a * z, 1.0 - b * (x * x + z * z), b * y * z - a * x,
                             b * x * z - a * y, b * y * z + a * x, 1.0 - b * (x * x + y * y)};
  std::copy(rotation, rotation + 9, out);
}

}  // namespace

void move(const double* pose, const double* step, int d, double* out) {
  const int n = d + 1;
  double rotation[9];
  rotation_exp(step, d, rotation);
  std::copy(pose, pose + n * n, out);
  for (int i = 0; i < d; ++i) {
    for (int j = 0; j < d; ++j) {
      out[i * n + j] = 0.0;
      for (int l = 0; l < d; ++l) out[i * n + j] += rotation[i * d + l] * pose[l * n + j];
    }
    out[i * n + d] = pose[i * n + d] + step[rotations(d) + i];
  }
}

double distance(const double* a, const double* b, int d) {
  const int n = d + 1;
  double squared = 0.0, chord = 0.0;
  for (int i = 0; i < d; ++i) {
    const double shift = a[i * n + d] - b[i * n + d];
    squared += shift * shift;
    for (int j = 0; j < d; ++j) chord += (a[i * n + j] - b[i * n + j]) * (a[i * n + j] - b[i * n + j]);
  }
  // |R_a - R_b|² = 8 sin²(angle / 2), in two dimensions as in three.
  const double angle = 2.0 * std::asin(std::min(1.0, std::sqrt(chord / 8.0)));
  return std::sqrt(squared + angle * angle);
}

}  // namespace svgm
