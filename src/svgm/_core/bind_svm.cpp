// Python's view of the SVM solver.
#include <algorithm>
#include <memory>
#include <stdexcept>

#include "module.hpp"
#include "svm.hpp"

namespace {

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

void bind_svm(nb::module_& m) { m.def("train_svm", &train_svm); }
