// Python's view of `objective/` and `minimise/`.
#include <algorithm>
#include <memory>
#include <stdexcept>

#include "binding/module.hpp"
#include "minimise/minimise.hpp"
#include "minimise/newton_step.hpp"
#include "minimise/pose_step.hpp"
#include "objective/full_objective.hpp"
#include "objective/linear_objective.hpp"
#include "objective/mixture_objective.hpp"
#include "objective/pair_objective.hpp"
#include "objective/pose_shares.hpp"
#include "sums/self_overlap.hpp"

using Anything = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;

namespace {

std::size_t checked(const svgm::PoseFunction& function, const Poses& poses) {
  const std::size_t n = static_cast<std::size_t>(function.dimension()) + 1;
  if (poses.shape(1) != n || poses.shape(2) != n) throw std::invalid_argument("poses: wrong dimension");
  return poses.shape(0);
}

nb::tuple evaluate(const svgm::PoseFunction& function, Poses poses) {
  const std::size_t count = checked(function, poses);
  const std::size_t k = static_cast<std::size_t>(function.step_size());
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

void check_mixtures(const svgm::BoxTree& source, const svgm::BoxTree& target) {
  if (source.dimension() != target.dimension() || (source.dimension() != 2 && source.dimension() != 3))
    throw std::invalid_argument("source, target: both 2D or 3D");
}

// A function written in Python: a callable that takes a stack of poses.
class Callable final : public svgm::PoseFunction {
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
  std::size_t k;
  if (nb::isinstance<svgm::PoseFunction>(function)) {
    const auto& native = nb::cast<const svgm::PoseFunction&>(function);
    checked(native, starts);
    k = static_cast<std::size_t>(native.step_size());
    const PythonCall call;
    minimum = svgm::minimise(native, starts.data(), starts.shape(0), trust);
  } else {
    const Callable callable(nb::cast<nb::callable>(function), static_cast<int>(starts.shape(1)) - 1);
    checked(callable, starts);
    k = static_cast<std::size_t>(callable.step_size());
    const PythonCall call;
    minimum = svgm::minimise(callable, starts.data(), starts.shape(0), trust);
  }
  const std::size_t count = starts.shape(0), n = starts.shape(1);
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

nb::object forces(const svgm::BoxTree& source, const svgm::BoxTree& target, double rate, double cutoff, Matrix pose) {
  const std::size_t m = source.size(), d = static_cast<std::size_t>(source.dimension());
  check_mixtures(source, target);
  if (pose.shape(0) != d + 1 || pose.shape(1) != d + 1) throw std::invalid_argument("pose: wrong dimension");
  const std::size_t k = static_cast<std::size_t>(svgm::force_numbers(source.dimension()));
  std::unique_ptr<double[]> out;
  {
    const PythonCall call;
    out = std::make_unique_for_overwrite<double[]>(m * k);
    const auto write = [&]<class Real>() {
      svgm::PairObjective<Real>(svgm::Blocks<Real>(source), svgm::Blocks<Real>(target), rate, cutoff, 1.0, 1)
          .forces(pose.data(), out.get());
    };
    // A rate beyond single precision would be infinite there.
    if (rate < 1e30)
      write.template operator()<float>();
    else
      write.template operator()<double>();
  }
  return adopt(std::move(out), {m, k});
}

void check_covariances(const svgm::BoxTree& tree, const Poses& covariances) {
  const std::size_t d = static_cast<std::size_t>(tree.dimension());
  if (covariances.shape(0) != tree.size() || covariances.shape(1) != d || covariances.shape(2) != d)
    throw std::invalid_argument("covariances: one d x d matrix a component");
}

nb::object full_forces(const svgm::BoxTree& source, Poses source_covariances, const svgm::BoxTree& target,
                       Poses target_covariances, double cutoff, Matrix pose) {
  const std::size_t m = source.size(), d = static_cast<std::size_t>(source.dimension());
  check_mixtures(source, target);
  check_covariances(source, source_covariances);
  check_covariances(target, target_covariances);
  if (pose.shape(0) != d + 1 || pose.shape(1) != d + 1) throw std::invalid_argument("pose: wrong dimension");
  const std::size_t k = static_cast<std::size_t>(svgm::force_numbers(source.dimension()));
  std::unique_ptr<double[]> out;
  {
    const PythonCall call;
    const svgm::FullObjective<float> objective(source, source_covariances.data(), target, target_covariances.data(),
                                               cutoff, 1.0, 1);
    out = std::make_unique_for_overwrite<double[]>(m * k);
    objective.forces(pose.data(), out.get());
  }
  return adopt(std::move(out), {m, k});
}

nb::tuple pose_shares(Matrix rows, Matrix turn, Matrix levers) {
  const std::size_t n = rows.shape(0), d = levers.shape(1), k = d * (d + 1) / 2;
  if ((d != 2 && d != 3) || levers.shape(0) != n || turn.shape(0) != d || turn.shape(1) != d ||
      rows.shape(1) != static_cast<std::size_t>(svgm::force_numbers(static_cast<int>(d))))
    throw std::invalid_argument("rows, turn, levers: sizes");
  std::vector<double> gradients, hessians;
  {
    const PythonCall call;
    gradients.resize(n * k);
    hessians.resize(n * k * (k + 1) / 2);
    svgm::pose_shares(rows.data(), n, static_cast<int>(d), turn.data(), levers.data(), gradients.data(),
                      hessians.data());
  }
  return nb::make_tuple(adopt(std::move(gradients), {n, k}), adopt(std::move(hessians), {n, k * (k + 1) / 2}));
}

}  // namespace

void bind_registration(nb::module_& m) {
  nb::class_<svgm::PoseFunction>(m, "PoseFunction").def("__call__", &evaluate);
  nb::class_<svgm::MixtureObjective, svgm::PoseFunction>(m, "MixtureObjective")
      .def("__init__",
           [](svgm::MixtureObjective* self, const svgm::BoxTree& source, const svgm::BoxTree& target,
              double source_variance, double target_variance, double norms, double cutoff, bool single,
              unsigned threads) {
             check_mixtures(source, target);
             const PythonCall call;
             new (self) svgm::MixtureObjective(source, target, source_variance, target_variance, norms, cutoff, single,
                                               threads);
           },
           nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>())
      .def("__init__",
           [](svgm::MixtureObjective* self, const svgm::BoxTree& source, Poses source_covariances,
              const svgm::BoxTree& target, Poses target_covariances, double norms, double cutoff, bool single,
              unsigned threads) {
             check_mixtures(source, target);
             check_covariances(source, source_covariances);
             check_covariances(target, target_covariances);
             const PythonCall call;
             new (self) svgm::MixtureObjective(source, source_covariances.data(), target, target_covariances.data(),
                                               norms, cutoff, single, threads);
           },
           nb::keep_alive<1, 2>(), nb::keep_alive<1, 4>())
      .def_prop_ro("scale", &svgm::MixtureObjective::scale);
  nb::class_<svgm::LinearObjective, svgm::PoseFunction>(m, "LinearObjective")
      .def("__init__",
           [](svgm::LinearObjective* self, const svgm::BoxTree& source, Poses source_covariances,
              const svgm::BoxTree& target, Poses target_covariances, double norms, double cutoff, bool affine,
              bool single, unsigned threads) {
             check_mixtures(source, target);
             check_covariances(source, source_covariances);
             check_covariances(target, target_covariances);
             const PythonCall call;
             new (self) svgm::LinearObjective(source, source_covariances.data(), target, target_covariances.data(),
                                              norms, cutoff, affine, single, threads);
           },
           nb::keep_alive<1, 2>(), nb::keep_alive<1, 4>())
      .def("taken", [](const svgm::LinearObjective& self, Matrix pose, Vector step) {
        const std::size_t n = pose.shape(0);
        if (n != static_cast<std::size_t>(self.dimension()) + 1 || pose.shape(1) != n ||
            step.shape(0) != static_cast<std::size_t>(self.step_size()))
          throw std::invalid_argument("pose, step: sizes");
        std::vector<double> out(n * n);
        self.take(pose.data(), step.data(), out.data());
        return adopt(std::move(out), {n, n});
      });
  m.def("forces", &forces);
  m.def("full_forces", &full_forces);
  m.def("full_overlap", [](const svgm::BoxTree& tree, Poses covariances, double cutoff, bool single, unsigned threads) {
    check_mixtures(tree, tree);
    check_covariances(tree, covariances);
    const PythonCall call;
    return svgm::full_overlap(tree, covariances.data(), cutoff, single, threads);
  });
  m.def("self_overlap", [](const svgm::BoxTree& tree, double rate, double cutoff, bool single) {
    const PythonCall call;
    return single ? svgm::self_overlap(svgm::Blocks<float>(tree), rate, cutoff)
                  : svgm::self_overlap(svgm::Blocks<double>(tree), rate, cutoff);
  });
  m.def("pose_shares", &pose_shares);
  m.def("minimise", &minimise);
  m.def("moved", &moved);
  m.def("trust_region_step", &trust_region_step);
}
