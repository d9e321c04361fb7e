// CHECK(condition) prints what does not hold and where; a TEST runs by itself.
#pragma once
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
