// Python's view of the core: arrays in, arrays out.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "box_tree.hpp"
#include "gauss_transform.hpp"
#include "svm.hpp"

namespace nb = nanobind;
using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Vector = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

namespace {

nb::object adopt(std::unique_ptr<double[]> data, std::size_t rows, std::size_t columns) {
  double* raw = data.release();
  nb::capsule owner(raw, [](void* p) noexcept { delete[] static_cast<double*>(p); });
  if (columns == 0) {
    const std::size_t shape[1] = {rows};
    return nb::cast(nb::ndarray<nb::numpy, double, nb::ndim<1>>(raw, 1, shape, owner));
  }
  const std::size_t shape[2] = {rows, columns};
  return nb::cast(nb::ndarray<nb::numpy, double, nb::ndim<2>>(raw, 2, shape, owner));
}

nb::object gauss_transform(const svgm::BoxTree& tree, Matrix queries, double rate, double cutoff, int order,
                           unsigned threads) {
  const int d = tree.dimension();
  if (static_cast<int>(queries.shape(1)) != d) throw std::invalid_argument("queries: wrong dimension");
  if (order != 0 && (order != 2 || (d != 2 && d != 3)))
    throw std::invalid_argument("derivatives are available in 2 and 3 dimensions");
  const std::size_t m = queries.shape(0);
  const std::size_t columns = order == 0 ? 1 : static_cast<std::size_t>(1 + d + d * (d + 1) / 2);
  auto sums = std::make_unique<double[]>(m * columns);
  {
    nb::gil_scoped_release release;
    svgm::gauss_transform(tree, queries.data(), m, rate, cutoff, order, threads, sums.get());
  }
  return adopt(std::move(sums), m, columns);
}

nb::object nearest_distances(const svgm::BoxTree& tree, Matrix queries, double least) {
  if (static_cast<int>(queries.shape(1)) != tree.dimension()) throw std::invalid_argument("queries: wrong dimension");
  const std::size_t m = queries.shape(0), d = queries.shape(1);
  auto distances = std::make_unique<double[]>(m);
  {
    nb::gil_scoped_release release;
    for (std::size_t i = 0; i < m; ++i) distances[i] = tree.nearest_distance(queries.data() + i * d, least);
  }
  return adopt(std::move(distances), m, 0);
}

nb::tuple train_svm(Matrix points, Vector linear, Vector lower, Vector upper, double sum, double gamma,
                    double tolerance, std::size_t max_iterations) {
  const std::size_t n = points.shape(0);
  for (const Vector& vector : {linear, lower, upper})
    if (n == 0 || vector.shape(0) != n) throw std::invalid_argument("points, linear, lower, upper: sizes");
  const svgm::SvmProblem problem{points.data(), n, static_cast<int>(points.shape(1)), linear.data(), lower.data(),
                                 upper.data(),  sum};
  svgm::Svm svm;
  {
    nb::gil_scoped_release release;
    svm = svgm::train_svm(problem, gamma, tolerance, max_iterations);
  }
  auto beta = std::make_unique<double[]>(n);
  std::copy(svm.beta.begin(), svm.beta.end(), beta.get());
  return nb::make_tuple(adopt(std::move(beta), n, 0), svm.rho, svm.iterations, svm.kernel_evaluations, svm.converged);
}

}  // namespace

NB_MODULE(_native, m) {
  nb::class_<svgm::BoxTree>(m, "BoxTree")
      .def("__init__",
           [](svgm::BoxTree* self, Matrix points, Vector weights) {
             if (points.shape(0) == 0 || weights.shape(0) != points.shape(0))
               throw std::invalid_argument("points, weights: sizes");
             new (self) svgm::BoxTree(points.data(), weights.data(), points.shape(0),
                                      static_cast<int>(points.shape(1)));
           })
      .def("__len__", &svgm::BoxTree::size);
  m.def("gauss_transform", &gauss_transform);
  m.def("nearest_distances", &nearest_distances);
  m.def("train_svm", &train_svm);
  m.def("instruction_set", &svgm::pair_loop_name);
}
