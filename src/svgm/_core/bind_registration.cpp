// Python's view of the objective and the minimiser.
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>

#include "field.hpp"
#include "minimise.hpp"
#include "module.hpp"
#include "objective.hpp"

using Anything = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;

namespace {

std::size_t checked(const svgm::Function& function, const Poses& poses) {
  const std::size_t n = static_cast<std::size_t>(function.dimension()) + 1;
  if (poses.shape(1) != n || poses.shape(2) != n) throw std::invalid_argument("poses: wrong dimension");
  return poses.shape(0);
}

nb::tuple evaluate(const svgm::Function& function, Poses poses) {
  const std::size_t count = checked(function, poses);
  const std::size_t k = static_cast<std::size_t>(svgm::parameters(function.dimension()));
  std::vector<double> values, gradients, hessians;
  {
    const PythonCall call;
    values.resize(count);
    gradients.resize(count * k);
    hessians.resize(count * k * k);
    function.evaluate(poses.data(), count, values.data(), gradients.data(), hessians.data());
  }
  return nb::make_tuple(adopt(std::move(values), {count}), adopt(std::move(gradients), {count, k}),
                        adopt(std::move(hessians), {count, k, k}));
}

// A function written in Python: a callable that takes a stack of poses.
class Callable final : public svgm::Function {
 public:
  Callable(nb::callable function, int dimension) : function_(std::move(function)), dimension_(dimension) {}
  int dimension() const override { return dimension_; }
  void evaluate(const double* poses, std::size_t count, double* values, double* gradients,
                double* hessians) const override {
    const nb::gil_scoped_acquire acquired;
    const std::size_t n = static_cast<std::size_t>(dimension_) + 1;
    const std::size_t k = static_cast<std::size_t>(svgm::parameters(dimension_));
    const nb::object stack = adopt(std::vector<double>(poses, poses + count * n * n), {count, n, n});
    const nb::tuple answer = nb::cast<nb::tuple>(function_(stack));
    copy(answer[0], count, values);
    copy(answer[1], count * k, gradients);
    copy(answer[2], count * k * k, hessians);
  }

 private:
  static void copy(nb::handle from, std::size_t size, double* to) {
    const auto numbers = nb::cast<Anything>(from);
    if (numbers.size() != size) throw std::invalid_argument("function: wrong number of values");
    std::copy_n(numbers.data(), size, to);
  }
  nb::callable function_;
  int dimension_;
};

nb::tuple minimise(nb::object function, Poses starts, double radius, double max_radius, double step_tolerance,
                   double same, std::size_t max_iterations) {
  const svgm::TrustRegion trust{radius, max_radius, step_tolerance, same, max_iterations};
  svgm::Minimum minimum;
  if (nb::isinstance<svgm::Function>(function)) {
    const auto& native = nb::cast<const svgm::Function&>(function);
    checked(native, starts);
    const PythonCall call;
    minimum = svgm::minimise(native, starts.data(), starts.shape(0), trust);
  } else {
    const Callable callable(nb::cast<nb::callable>(function), static_cast<int>(starts.shape(1)) - 1);
    checked(callable, starts);
    const PythonCall call;
    minimum = svgm::minimise(callable, starts.data(), starts.shape(0), trust);
  }
  const std::size_t count = starts.shape(0), n = starts.shape(1), k = n * (n - 1) / 2;
  std::vector<std::uint8_t> converged(count), given_up(count);
  std::vector<std::int64_t> iterations(minimum.iterations.begin(), minimum.iterations.end());
  for (std::size_t i = 0; i < count; ++i) {
    converged[i] = minimum.outcomes[i] == svgm::Outcome::converged;
    given_up[i] = minimum.outcomes[i] == svgm::Outcome::given_up;
  }
  return nb::make_tuple(adopt(std::move(minimum.poses), {count, n, n}), adopt(std::move(minimum.values), {count}),
                        adopt(std::move(minimum.hessians), {count, k, k}), adopt(std::move(iterations), {count}),
                        adopt(std::move(converged), {count}), adopt(std::move(given_up), {count}));
}

nb::object moved(Matrix pose, Vector step) {
  const std::size_t n = pose.shape(0);
  if (pose.shape(1) != n || (n != 3 && n != 4) || step.shape(0) != n * (n - 1) / 2)
    throw std::invalid_argument("pose, step: sizes");
  std::vector<double> out(n * n);
  svgm::move(pose.data(), step.data(), static_cast<int>(n) - 1, out.data());
  return adopt(std::move(out), {n, n});
}

nb::tuple trust_region_step(Vector gradient, Matrix hessian, double radius) {
  const std::size_t k = gradient.shape(0);
  if (k > svgm::kMaxParameters || hessian.shape(0) != k || hessian.shape(1) != k)
    throw std::invalid_argument("gradient, hessian: sizes");
  std::vector<double> step(k);
  const double predicted =
      svgm::trust_region_step(gradient.data(), hessian.data(), static_cast<int>(k), radius, step.data());
  return nb::make_tuple(adopt(std::move(step), {k}), predicted);
}

// A field for at least so many components is made in less time than it saves.
constexpr std::size_t kFewestComponents = 150;

bool field_pays(const svgm::BoxTree& target, double rate, double cutoff) {
  const auto knots = target.dimension() == 2 ? svgm::Field<2>::knots : svgm::Field<3>::knots;
  return target.size() >= kFewestComponents && knots(target, rate, cutoff) <= svgm::kMostKnots;
}

// The normalised objective of two mixtures of isotropic Gaussians, in the precision that the caller asks for.
class Objective final : public svgm::Function {
 public:
  Objective(const svgm::BoxTree& source, const svgm::BoxTree& target, double source_variance, double target_variance,
            double norms, double cutoff, bool single, unsigned threads) {
    const int d = source.dimension();
    if (d != target.dimension() || (d != 2 && d != 3)) throw std::invalid_argument("source, target: both 2D or 3D");
    const PythonCall call;
    const double rate = 0.5 / (source_variance + target_variance);
    // The peaks of N(0, sigma_x² + sigma_y²) and of the two norms, (4 pi sigma²)^(-D/2) each.
    const double widths = 4.0 * source_variance * target_variance;
    scale_ = std::pow(std::sqrt(widths) / (source_variance + target_variance), 0.5 * d) / norms;
    if (single && field_pays(target, rate, cutoff) && d == 2)
      function_ = std::make_unique<svgm::FieldObjective<2>>(source, target, rate, cutoff, scale_, threads);
    else if (single && field_pays(target, rate, cutoff))
      function_ = std::make_unique<svgm::FieldObjective<3>>(source, target, rate, cutoff, scale_, threads);
    else if (single)
      function_ = std::make_unique<svgm::Objective<float>>(svgm::Blocks<float>(source), svgm::Blocks<float>(target),
                                                           rate, cutoff, scale_, threads);
    else
      function_ = std::make_unique<svgm::Objective<double>>(svgm::Blocks<double>(source), svgm::Blocks<double>(target),
                                                            rate, cutoff, scale_, threads);
  }
  int dimension() const override { return function_->dimension(); }
  void evaluate(const double* poses, std::size_t count, double* values, double* gradients,
                double* hessians) const override {
    function_->evaluate(poses, count, values, gradients, hessians);
  }
  double scale() const { return scale_; }

 private:
  std::unique_ptr<svgm::Function> function_;
  double scale_ = 0.0;
};

nb::object forces(const svgm::BoxTree& source, const svgm::BoxTree& target, double rate, double cutoff, Matrix pose) {
  const std::size_t m = source.size(), d = static_cast<std::size_t>(source.dimension());
  if (target.dimension() != source.dimension() || (d != 2 && d != 3) || pose.shape(0) != d + 1 ||
      pose.shape(1) != d + 1)
    throw std::invalid_argument("source, target, pose: both 2D or 3D");
  std::unique_ptr<double[]> out;
  {
    const PythonCall call;
    const svgm::Objective<float> objective(svgm::Blocks<float>(source), svgm::Blocks<float>(target), rate, cutoff, 1.0,
                                           1);
    out = std::make_unique_for_overwrite<double[]>(m * d);
    objective.forces(pose.data(), out.get());
  }
  return adopt(std::move(out), m, d);
}

}  // namespace

void bind_registration(nb::module_& m) {
  nb::class_<svgm::Function>(m, "Function").def("__call__", &evaluate);
  nb::class_<Objective, svgm::Function>(m, "Objective")
      .def(nb::init<const svgm::BoxTree&, const svgm::BoxTree&, double, double, double, double, bool, unsigned>(),
           nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>())
      .def_prop_ro("scale", &Objective::scale);
  m.def("forces", &forces);
  m.def("self_overlap", [](const svgm::BoxTree& tree, double rate, double cutoff, bool single) {
    const PythonCall call;
    return single ? svgm::self_overlap(svgm::Blocks<float>(tree), rate, cutoff)
                  : svgm::self_overlap(svgm::Blocks<double>(tree), rate, cutoff);
  });
  m.def("minimise", &minimise);
  m.def("moved", &moved);
  m.def("trust_region_step", &trust_region_step);
}
