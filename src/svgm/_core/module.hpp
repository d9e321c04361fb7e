// What the files of bindings share: arrays as they come from Python and go back to it.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <memory>

namespace nb = nanobind;
using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Vector = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Hands an array over to Python without a copy; `columns` 0 makes a vector.
inline nb::object adopt(std::unique_ptr<double[]> data, std::size_t rows, std::size_t columns) {
  double* raw = data.release();
  nb::capsule owner(raw, [](void* p) noexcept { delete[] static_cast<double*>(p); });
  if (columns == 0) {
    const std::size_t shape[1] = {rows};
    return nb::cast(nb::ndarray<nb::numpy, double, nb::ndim<1>>(raw, 1, shape, owner));
  }
  const std::size_t shape[2] = {rows, columns};
  return nb::cast(nb::ndarray<nb::numpy, double, nb::ndim<2>>(raw, 2, shape, owner));
}

void bind_svm(nb::module_& m);
void bind_thin(nb::module_& m);
void bind_gauss_transform(nb::module_& m);
void bind_registration(nb::module_& m);
void bind_surface(nb::module_& m);
void bind_pose_bounds(nb::module_& m);
