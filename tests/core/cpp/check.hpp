// CHECK(condition) prints a condition that does not hold, and where.  A TEST registers itself; `main` runs it.
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <random>
#include <vector>

inline int failures = 0;

struct Test {
  const char* name;
  void (*run)();
};

inline std::vector<Test>& tests() {
  static std::vector<Test> all;
  return all;
}

struct Registered {
  Registered(const char* name, void (*run)()) { tests().push_back({name, run}); }
};

#define CHECK(condition) \
  ((condition) ? void() : void((++failures < 20 && std::printf("%s:%d: %s\n", __FILE__, __LINE__, #condition))))

#define TEST(name)                                    \
  static void name();                                 \
  static const Registered registered_##name(#name, name); \
  static void name()

// Rows of normally distributed numbers.
inline std::vector<double> normal_points(std::size_t n, std::size_t d, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal;
  std::vector<double> points(n * d);
  for (double& x : points) x = normal(generator);
  return points;
}

// Points on the unit sphere, but the first two at a given coordinate and at minus that coordinate.
inline std::vector<double> sphere_with_outliers(std::size_t n, double far) {
  std::vector<double> points = normal_points(n, 3, 1);
  for (std::size_t i = 0; i < n; ++i) {
    const double length = std::hypot(points[i * 3], points[i * 3 + 1], points[i * 3 + 2]);
    for (std::size_t k = 0; k < 3; ++k) points[i * 3 + k] /= length;
  }
  for (std::size_t k = 0; k < 3; ++k) {
    points[k] = far;
    points[3 + k] = -far;
  }
  return points;
}

template <class Error, class Function>
bool throws(const Function& function) {
  try {
    function();
  } catch (const Error&) {
    return true;
  }
  return false;
}
