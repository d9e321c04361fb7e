// Python's view of `sums/`: the box tree, and the sums over it.
#include <nanobind/stl/optional.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>

#include "binding/module.hpp"
#include "sums/box_tree.hpp"
#include "sums/full_transform.hpp"
#include "sums/gauss_transform.hpp"
#include "sums/local_shapes.hpp"

namespace {

nb::object gauss_transform(const svgm::BoxTree& tree, Matrix queries, double rate, double cutoff, int order,
                           unsigned threads) {
  const int d = tree.dimension();
  if (static_cast<int>(queries.shape(1)) != d) throw std::invalid_argument("queries: wrong dimension");
  if (order != 0 && order != 2) throw std::invalid_argument("order must be 0 or 2");
  const std::size_t m = queries.shape(0);
  const std::size_t columns = order == 0 ? 1 : static_cast<std::size_t>(1 + d + d * (d + 1) / 2);
  std::unique_ptr<double[]> sums;
  {
    const PythonCall call;
    sums = std::make_unique_for_overwrite<double[]>(m * columns);
    svgm::gauss_transform(tree, queries.data(), m, rate, cutoff, order, threads, sums.get());
  }
  return adopt(std::move(sums), {m, columns});
}

nb::object full_transform(Matrix means, Poses covariances, Vector weights, Matrix queries,
                          std::optional<Poses> query_covariances, double cutoff, unsigned threads) {
  const std::size_t n = means.shape(0), m = queries.shape(0), d = means.shape(1);
  const auto fits = [&](const Poses& matrices, std::size_t count) {
    return matrices.shape(0) == count && matrices.shape(1) == d && matrices.shape(2) == d;
  };
  if (n == 0 || d == 0 || weights.shape(0) != n || queries.shape(1) != d || !fits(covariances, n) ||
      (query_covariances && !fits(*query_covariances, m)))
    throw std::invalid_argument("Gaussians and queries: sizes");
  std::unique_ptr<double[]> sums;
  {
    const PythonCall call;
    sums = std::make_unique_for_overwrite<double[]>(m);
    // A sort of points that another thread of Python changes might never end: so it gets a copy.
    const std::vector<double> own(means.data(), means.data() + means.size());
    svgm::full_transform({own.data(), covariances.data(), weights.data(), n, static_cast<int>(d)}, queries.data(),
                         query_covariances ? query_covariances->data() : nullptr, m, cutoff, threads, sums.get());
  }
  return adopt(std::move(sums), {m});
}

nb::tuple nearest(const svgm::BoxTree& tree, Matrix queries, double least) {
  if (static_cast<int>(queries.shape(1)) != tree.dimension()) throw std::invalid_argument("queries: wrong dimension");
  const std::size_t m = queries.shape(0), d = queries.shape(1);
  std::unique_ptr<double[]> distances;
  std::unique_ptr<std::int64_t[]> indices;
  {
    const PythonCall call;
    distances = std::make_unique_for_overwrite<double[]>(m);
    indices = std::make_unique_for_overwrite<std::int64_t[]>(m);
    for (std::size_t i = 0; i < m; ++i) {
      svgm::check_interrupt();
      const svgm::BoxTree::Nearest found = tree.nearest(queries.data() + i * d, least);
      distances[i] = found.distance;
      indices[i] = static_cast<std::int64_t>(found.index);
    }
  }
  return nb::make_tuple(adopt(std::move(distances), {m}), adopt(std::move(indices), {m}));
}

nb::object nearest_distances(const svgm::BoxTree& tree, Matrix queries, double least, std::size_t count) {
  if (static_cast<int>(queries.shape(1)) != tree.dimension()) throw std::invalid_argument("queries: wrong dimension");
  const std::size_t m = queries.shape(0), d = queries.shape(1);
  std::unique_ptr<double[]> distances;
  {
    const PythonCall call;
    distances = std::make_unique_for_overwrite<double[]>(m * count);
    for (std::size_t i = 0; i < m; ++i) {
      svgm::check_interrupt();
      tree.nearest_distances(queries.data() + i * d, least, count, distances.get() + i * count);
    }
  }
  return adopt(std::move(distances), {m, count});
}

nb::tuple local_shapes(const svgm::BoxTree& tree, Matrix places, double sigma, double prior, double cutoff,
                       bool single, unsigned threads) {
  const std::size_t m = places.shape(0), d = places.shape(1);
  if ((d != 2 && d != 3) || tree.dimension() != static_cast<int>(d) || !(sigma > 0.0) || !(prior > 0.0))
    throw std::invalid_argument("places, sigma, prior");
  std::unique_ptr<double[]> means, covariances;
  {
    const PythonCall call;
    means = std::make_unique_for_overwrite<double[]>(m * d);
    covariances = std::make_unique_for_overwrite<double[]>(m * d * d);
    svgm::local_shapes(tree, places.data(), m, sigma, prior, cutoff, single, threads, means.get(), covariances.get());
  }
  return nb::make_tuple(adopt(std::move(means), {m, d}), adopt(std::move(covariances), {m, d, d}));
}

}  // namespace

void bind_sums(nb::module_& m) {
  nb::class_<svgm::BoxTree>(m, "BoxTree")
      .def("__init__",
           [](svgm::BoxTree* self, Matrix points, Vector weights, bool sorted) {
             if (points.shape(0) == 0 || points.shape(1) == 0 || weights.shape(0) != points.shape(0))
               throw std::invalid_argument("points, weights: sizes");
             const PythonCall call;
             // If another thread of Python changes the points during the sort, the sort might never end: so it gets a
             // copy.
             const std::vector<double> own(points.data(), points.data() + points.size());
             new (self) svgm::BoxTree(own.data(), weights.data(), points.shape(0), static_cast<int>(points.shape(1)),
                                      sorted);
           },
           nb::arg("points"), nb::arg("weights"), nb::arg("sorted") = false)
      .def("__len__", &svgm::BoxTree::size);
  m.def("full_transform", &full_transform, nb::arg("means"), nb::arg("covariances"), nb::arg("weights"),
        nb::arg("queries"), nb::arg("query_covariances").none(), nb::arg("cutoff"), nb::arg("threads"));
  m.def("gauss_transform", &gauss_transform);
  m.def("local_shapes", &local_shapes);
  m.def("nearest", &nearest);
  m.def("nearest_distances", &nearest_distances);
}
