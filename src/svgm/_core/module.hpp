// What the files of bindings share: arrays as they come from Python and go back to it.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "python_call.hpp"

namespace nb = nanobind;
using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Vector = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

using Poses = nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

// Of sizes that a caller chose.
inline std::size_t product(std::initializer_list<std::size_t> sizes) {
  std::size_t all = 1;
  for (const std::size_t size : sizes) {
    if (size > 0 && all > (std::size_t{1} << 48) / size) throw std::length_error("more than 2^48 elements");
    all *= size;
  }
  return all;
}

// Hands an array over to Python without a copy.
template <class Element>
nb::object adopt(std::unique_ptr<Element[]> data, std::initializer_list<std::size_t> shape) {
  Element* raw = data.release();
  nb::capsule owner(raw, [](void* p) noexcept { delete[] static_cast<Element*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, Element>(raw, shape.size(), shape.begin(), owner));
}

// The same for doubles in rows; `columns` 0 makes a vector.
inline nb::object adopt(std::unique_ptr<double[]> data, std::size_t rows, std::size_t columns) {
  return columns == 0 ? adopt(std::move(data), {rows}) : adopt(std::move(data), {rows, columns});
}

template <class Element>
nb::object adopt(std::vector<Element> data, std::initializer_list<std::size_t> shape) {
  data.reserve(1);  // numpy wants an address, also of nothing
  auto kept = std::make_unique<std::vector<Element>>(std::move(data));
  nb::capsule owner(kept.get(), [](void* p) noexcept { delete static_cast<std::vector<Element>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, Element>(kept.release()->data(), shape.size(), shape.begin(), owner));
}

void bind_svm(nb::module_& m);
void bind_thin(nb::module_& m);
void bind_gauss_transform(nb::module_& m);
void bind_registration(nb::module_& m);
void bind_surface(nb::module_& m);
void bind_pose_bounds(nb::module_& m);
