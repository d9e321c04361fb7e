// Python's view of `search/`: bounds over sets of poses, grids for correlation by Fourier transform, lines of sight.
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <vector>

#include "binding/module.hpp"
#include "search/correlation_grid.hpp"
#include "search/lines_of_sight.hpp"
#include "search/pose_bounds.hpp"

using Grids = nb::ndarray<const float, nb::ndim<4>, nb::c_contig, nb::device::cpu>;

namespace {

nb::tuple bound(const svgm::PoseBounds& function, Poses poses, Vector angles, Matrix shifts, unsigned threads) {
  const std::size_t count = poses.shape(0), d = static_cast<std::size_t>(function.dimension());
  if (poses.shape(1) != d + 1 || poses.shape(2) != d + 1 || angles.shape(0) != count || shifts.shape(0) != count ||
      shifts.shape(1) != d)
    throw std::invalid_argument("poses, angles, shifts: sizes");
  std::unique_ptr<double[]> bounds, values;
  {
    const PythonCall call;
    bounds = std::make_unique_for_overwrite<double[]>(count);
    values = std::make_unique_for_overwrite<double[]>(count);
    function.bound(poses.data(), angles.data(), shifts.data(), count, threads, bounds.get(), values.get());
  }
  return nb::make_tuple(adopt(std::move(bounds), {count}), adopt(std::move(values), {count}));
}

nb::object splat(Matrix points, Vector weights, Poses rotations, const std::vector<std::size_t>& sizes,
                 unsigned threads) {
  const std::size_t n = points.shape(0), d = points.shape(1), batch = rotations.shape(0);
  if ((d != 2 && d != 3) || weights.shape(0) != n || rotations.shape(1) != d || rotations.shape(2) != d ||
      sizes.size() != 3 || sizes[0] == 0 || sizes[1] == 0 || sizes[2] == 0)
    throw std::invalid_argument("points, weights, rotations, sizes");
  const std::size_t total = product({batch, sizes[0], sizes[1], sizes[2]});
  std::unique_ptr<float[]> grids;
  {
    const PythonCall call;
    grids = std::make_unique_for_overwrite<float[]>(total);
    svgm::splat(points.data(), weights.data(), n, static_cast<int>(d), rotations.data(), batch, sizes.data(), threads,
                grids.get());
  }
  return adopt(std::move(grids), {batch, sizes[0], sizes[1], sizes[2]});
}

nb::tuple highest_peaks(Grids grids, std::size_t most, unsigned threads) {
  if (most == 0) throw std::invalid_argument("most: at least 1");
  if (product({grids.shape(1), grids.shape(2), grids.shape(3)}) >= std::size_t{1} << 31)
    throw std::length_error("grids: fewer than 2^31 cells each");
  const std::size_t batch = grids.shape(0), sizes[3] = {grids.shape(1), grids.shape(2), grids.shape(3)};
  std::vector<float> values;
  std::vector<std::int32_t> places;
  {
    const PythonCall call;
    values.resize(product({batch, most}));
    places.resize(values.size());
    svgm::highest_peaks(grids.data(), batch, sizes, most, threads, values.data(), places.data());
  }
  return nb::make_tuple(adopt(std::move(values), {batch, most}), adopt(std::move(places), {batch, most}));
}

nb::object hidden_shares(Matrix directions, Matrix places, double cell, double margin, unsigned threads) {
  const std::size_t count = directions.shape(0), d = directions.shape(1);
  if ((d != 2 && d != 3) || places.shape(1) != d || !(cell > 0.0))
    throw std::invalid_argument("directions, places, cell: sizes");
  std::vector<double> shares;
  {
    const PythonCall call;
    shares.resize(count);
    svgm::hidden_shares(directions.data(), count, places.data(), places.shape(0), static_cast<int>(d), cell, margin,
                        threads, shares.data());
  }
  return adopt(std::move(shares), {count});
}

nb::object contradicted(const svgm::LinesOfSight& lines, Matrix places, Poses poses, double margin, unsigned threads) {
  const std::size_t d = static_cast<std::size_t>(lines.dimension()), batch = poses.shape(0);
  if (places.shape(1) != d || poses.shape(1) != d + 1 || poses.shape(2) != d + 1)
    throw std::invalid_argument("places, poses: sizes");
  std::vector<double> shares;
  {
    const PythonCall call;
    shares.resize(product({batch, 2}));
    lines.contradicted(places.data(), places.shape(0), poses.data(), batch, margin, threads, shares.data());
  }
  return adopt(std::move(shares), {batch, 2});
}

}  // namespace

void bind_search(nb::module_& m) {
  nb::class_<svgm::PoseBounds>(m, "PoseBounds")
      .def("__init__",
           [](svgm::PoseBounds* self, const svgm::BoxTree& source, const svgm::BoxTree& target) {
             if (source.dimension() != target.dimension() || (source.dimension() != 2 && source.dimension() != 3))
               throw std::invalid_argument("source, target: both 2D or 3D");
             const PythonCall call;
             new (self) svgm::PoseBounds(source, target);
           },
           nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>())
      .def("__call__", &bound);
  nb::class_<svgm::LinesOfSight>(m, "LinesOfSight")
      .def("__init__",
           [](svgm::LinesOfSight* self, Vector viewpoint, Matrix places, double cell) {
             const std::size_t d = viewpoint.shape(0);
             if ((d != 2 && d != 3) || places.shape(1) != d || !(cell > 0.0))
               throw std::invalid_argument("viewpoint, places, cell: sizes");
             const PythonCall call;
             new (self) svgm::LinesOfSight(viewpoint.data(), places.data(), places.shape(0),
                                           static_cast<int>(d), cell);
           })
      .def("hidden",
           [](const svgm::LinesOfSight& self, double margin) {
             std::vector<double> out(self.size());
             self.hidden(margin, out.data());
             const std::size_t count = out.size();
             return adopt(std::move(out), {count});
           })
      .def("contradicted", &contradicted);
  m.def("hidden_shares", &hidden_shares);
  m.def("splat", &splat);
  m.def("highest_peaks", &highest_peaks);
}
