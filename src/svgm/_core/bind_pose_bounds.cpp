// Python's view of bounds over sets of poses.
#include <memory>
#include <stdexcept>

#include "module.hpp"
#include "pose_bounds.hpp"

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
  return nb::make_tuple(adopt(std::move(bounds), count, 0), adopt(std::move(values), count, 0));
}

}  // namespace

void bind_pose_bounds(nb::module_& m) {
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
}
