// Python's view of `svm/`: training with one class and with two.
#include <nanobind/stl/optional.h>

#include <initializer_list>
#include <optional>
#include <stdexcept>

#include "binding/module.hpp"
#include "svm/svm.hpp"

namespace {

svgm::SvmProblem problem_of(const Matrix& points, std::initializer_list<const Vector*> vectors, double gamma) {
  const std::size_t n = points.shape(1) == 0 ? 0 : points.shape(0);
  for (const Vector* vector : vectors)
    if (n == 0 || vector->shape(0) != n) throw std::invalid_argument("points and vectors: sizes");
  return {points.data(), n, points.shape(1), gamma, false};
}

nb::tuple as_tuple(svgm::Svm svm) {
  const std::size_t n = svm.beta.size();
  nb::dict work;
  work["kernel_evaluations"] = svm.work.kernel_evaluations;
  work["sweeps"] = svm.work.sweeps;
  work["row_updates"] = svm.work.row_updates;
  work["pair_steps"] = svm.work.pair_steps;
  return nb::make_tuple(adopt(std::move(svm.beta), {n}), svm.rho, svm.converged, work);
}

nb::tuple train_one_class(Matrix points, Vector upper, std::optional<Vector> start, double gamma, double violation,
                          double gap, std::size_t row_bytes, bool in_order, std::optional<Poses> covariances) {
  svgm::SvmProblem problem = problem_of(points, {&upper, start ? &*start : &upper}, gamma);
  problem.in_order = in_order;
  if (covariances) {
    const std::size_t d = problem.dimension;
    if (covariances->shape(0) != problem.size || covariances->shape(1) != d || covariances->shape(2) != d)
      throw std::invalid_argument("covariances: sizes");
    problem.covariances = covariances->data();
  }
  svgm::SvmLimits limits;
  limits.row_bytes = row_bytes;
  svgm::Svm svm;
  {
    const PythonCall call;
    svm = svgm::train_one_class(problem, upper.data(), start ? start->data() : nullptr, {violation, gap}, limits);
  }
  return as_tuple(std::move(svm));
}

nb::tuple train_two_class(Matrix points, Vector linear, Vector lower, Vector upper, double gamma, double tolerance) {
  const svgm::SvmProblem problem = problem_of(points, {&linear, &lower, &upper}, gamma);
  svgm::Svm svm;
  {
    const PythonCall call;
    svm = svgm::train_two_class(problem, linear.data(), lower.data(), upper.data(), tolerance, {});
  }
  return as_tuple(std::move(svm));
}

}  // namespace

void bind_svm(nb::module_& m) {
  m.def("train_one_class", &train_one_class, nb::arg("points"), nb::arg("upper"), nb::arg("start").none(),
        nb::arg("gamma"), nb::arg("violation"), nb::arg("gap"), nb::arg("row_bytes"), nb::arg("in_order"),
        nb::arg("covariances").none() = nb::none());
  m.def("train_two_class", &train_two_class);
}
