// Python's view of `surfels/`.
#include <nanobind/stl/optional.h>

#include <optional>
#include <stdexcept>
#include <vector>

#include "binding/module.hpp"
#include "surfels/alignment.hpp"
#include "surfels/surfels.hpp"

using Floats = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Row = nb::ndarray<const float, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

namespace {

void check(const Floats& means, const Floats& normals, std::size_t d) {
  if ((d != 2 && d != 3) || means.shape(1) != d || normals.shape(0) != means.shape(0) || normals.shape(1) != d)
    throw std::invalid_argument("means, normals: (n, 2) or (n, 3) each");
}

nb::tuple surfels(Matrix points, std::optional<Vector> weights, double cell) {
  const std::size_t d = points.shape(1);
  if ((d != 2 && d != 3) || !(cell > 0.0) || (weights && weights->shape(0) != points.shape(0)))
    throw std::invalid_argument("points, weights, cell: sizes");
  svgm::Surfels found;
  {
    const PythonCall call;
    found = svgm::surfels(points.data(), weights ? weights->data() : nullptr, points.shape(0), static_cast<int>(d), cell);
  }
  const std::size_t n = found.means.size() / d;
  return nb::make_tuple(adopt(std::move(found.means), {n, d}), adopt(std::move(found.normals), {n, d}));
}

double occupied_neighbours(Matrix points, double cell) {
  const std::size_t d = points.shape(1);
  if ((d != 2 && d != 3) || points.shape(0) == 0 || !(cell > 0.0)) throw std::invalid_argument("points, cell: sizes");
  const PythonCall call;
  return svgm::occupied_neighbours(points.data(), points.shape(0), static_cast<int>(d), cell);
}

nb::tuple align_to_surface(const svgm::SurfaceTable& target, Floats means, Floats normals, Poses poses, Row reaches,
                           unsigned threads) {
  const std::size_t d = static_cast<std::size_t>(target.dimension()), batch = poses.shape(0), n = d + 1;
  check(means, normals, d);
  if (poses.shape(1) != n || poses.shape(2) != n || reaches.shape(0) == 0 || means.shape(0) == 0)
    throw std::invalid_argument("poses, reaches: sizes");
  std::vector<double> moved, scores;
  {
    const PythonCall call;
    moved.assign(poses.data(), poses.data() + batch * n * n);
    scores.resize(batch);
    svgm::align_to_surface(target, means.data(), normals.data(), means.shape(0), reaches.data(), reaches.shape(0),
                           moved.data(), batch, threads, scores.data());
  }
  return nb::make_tuple(adopt(std::move(moved), {batch, n, n}), adopt(std::move(scores), {batch}));
}

nb::object surface_residuals(const svgm::SurfaceTable& target, Floats means, Floats normals, Matrix pose) {
  const std::size_t d = static_cast<std::size_t>(target.dimension());
  check(means, normals, d);
  if (pose.shape(0) != d + 1 || pose.shape(1) != d + 1) throw std::invalid_argument("pose: size");
  std::vector<double> out;
  {
    const PythonCall call;
    out.resize(means.shape(0) * 4);
    svgm::surface_residuals(target, means.data(), normals.data(), means.shape(0), pose.data(), out.data());
  }
  return adopt(std::move(out), {means.shape(0), 4});
}

}  // namespace

void bind_surfels(nb::module_& m) {
  nb::class_<svgm::SurfaceTable>(m, "SurfaceTable")
      .def(
          "__init__",
          [](svgm::SurfaceTable* self, Floats means, Floats normals, double cell, double reach) {
            check(means, normals, means.shape(1));
            if (means.shape(0) == 0 || !(cell > 0.0) || !(reach > 0.0)) throw std::invalid_argument("cell, reach");
            const PythonCall call;
            new (self) svgm::SurfaceTable(means.data(), normals.data(), means.shape(0),
                                          static_cast<int>(means.shape(1)), cell, reach);
          })
      .def("__len__", &svgm::SurfaceTable::size);
  m.def("surfels", &surfels, nb::arg("points"), nb::arg("weights").none(), nb::arg("cell"));
  m.def("occupied_neighbours", &occupied_neighbours);
  m.def("align_to_surface", &align_to_surface);
  m.def("surface_residuals", &surface_residuals);
}
