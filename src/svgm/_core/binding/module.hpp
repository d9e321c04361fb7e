// What the files of the binding share: the types of arrays from Python, and arrays that go back to it.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "binding/python_call.hpp"

namespace nb = nanobind;
using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Vector = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Poses = nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

// The product of sizes that a caller chose; throws where it is too large.
inline std::size_t product(std::initializer_list<std::size_t> sizes) {
  std::size_t all = 1;
  for (const std::size_t size : sizes) {
    if (size > 0 && all > (std::size_t{1} << 48) / size) throw std::length_error("more than 2^48 elements");
    all *= size;
  }
  return all;
}

// Gives an array to Python without a copy.
template <class Element>
nb::object adopt(std::unique_ptr<Element[]> data, std::initializer_list<std::size_t> shape) {
  Element* raw = data.release();
  nb::capsule owner(raw, [](void* p) noexcept { delete[] static_cast<Element*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, Element>(raw, shape.size(), shape.begin(), owner));
}

template <class Element>
nb::object adopt(std::vector<Element> data, std::initializer_list<std::size_t> shape) {
  data.reserve(1);  // numpy needs an address, also of an empty array
  auto kept = std::make_unique<std::vector<Element>>(std::move(data));
  nb::capsule owner(kept.get(), [](void* p) noexcept { delete static_cast<std::vector<Element>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, Element>(kept.release()->data(), shape.size(), shape.begin(), owner));
}

// One for each file of the binding.
void bind_points(nb::module_& m);
void bind_svm(nb::module_& m);
void bind_sums(nb::module_& m);
void bind_registration(nb::module_& m);
void bind_surfels(nb::module_& m);
void bind_search(nb::module_& m);
