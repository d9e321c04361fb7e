// The Newton step within a trust region: no other step in the region lowers the model more.
#include <array>
#include <cmath>

#include "check.hpp"
#include "minimise/newton_step.hpp"
#include "minimise/pose_step.hpp"

namespace {

constexpr int kSize = 6;
using Vector = std::array<double, kSize>;

double decrease(const Vector& gradient, const std::vector<double>& hessian, const Vector& step) {
  double change = 0.0;
  for (std::size_t i = 0; i < kSize; ++i) {
    change += gradient[i] * step[i];
    for (std::size_t j = 0; j < kSize; ++j) change += 0.5 * step[i] * hessian[i * kSize + j] * step[j];
  }
  return -change;
}

}  // namespace

TEST(newton_step_lowers_the_model_most) {
  for (unsigned seed = 0; seed < 20; ++seed)
    for (const double radius : {1e-3, 1.0, 100.0}) {
      const std::vector<double> random = normal_points(kSize, kSize + 1, seed);
      Vector gradient, step;
      std::vector<double> hessian(kSize * kSize);  // symmetric, with eigenvalues of both signs
      for (std::size_t i = 0; i < kSize; ++i) {
        gradient[i] = random[kSize * kSize + i];
        for (std::size_t j = 0; j < kSize; ++j) hessian[i * kSize + j] = random[i * kSize + j] + random[j * kSize + i];
      }
      if (seed % 2 == 0)  // every other matrix is positive definite: the step may lie inside the region
        for (std::size_t i = 0; i < kSize; ++i) hessian[i * kSize + i] += 20.0;
      const double predicted = svgm::trust_region_step(gradient.data(), hessian.data(), kSize, radius, step.data());
      CHECK(svgm::norm(step.data(), kSize) <= radius * (1.0 + 1e-6));
      CHECK(std::abs(predicted - decrease(gradient, hessian, step)) <= 1e-9 * (1.0 + std::abs(predicted)));
      const std::vector<double> others = normal_points(200, kSize, seed + 100);
      for (std::size_t o = 0; o < 200; ++o) {
        Vector other;
        const double length = svgm::norm(others.data() + o * kSize, kSize);
        const double factor = radius * static_cast<double>(o + 1) / (200.0 * length);
        for (std::size_t i = 0; i < kSize; ++i) other[i] = others[o * kSize + i] * factor;
        CHECK(decrease(gradient, hessian, other) <= predicted * (1.0 + 1e-6));
      }
    }
}

TEST(a_step_and_its_opposite_leave_the_pose) {
  const double pose[16] = {0.0, -1.0, 0.0, 3.0, 1.0, 0.0, 0.0, -2.0, 0.0, 0.0, 1.0, 0.5, 0.0, 0.0, 0.0, 1.0};
  const double step[6] = {0.3, -0.4, 1.2, 5.0, 6.0, 7.0};
  double opposite[6], there[16], back[16];
  for (std::size_t i = 0; i < 6; ++i) opposite[i] = -step[i];
  svgm::move(pose, step, 3, there);
  svgm::move(there, opposite, 3, back);
  CHECK(svgm::distance(pose, back, 3) < 1e-7);
  // The angle is |omega| = 1.3, the translation the square root of 110.
  CHECK(std::abs(svgm::distance(pose, there, 3) - std::sqrt(1.3 * 1.3 + 110.0)) < 1e-12);
}
