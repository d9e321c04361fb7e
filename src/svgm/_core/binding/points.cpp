// Python's view of `points/`: thinning, the scatter matrix whose axes its grid follows, neighbours of a sample.
#include <stdexcept>

#include "binding/module.hpp"
#include "points/nearest_of_sample.hpp"
#include "points/scatter.hpp"
#include "points/thinning.hpp"

namespace {

nb::tuple weighted_scatter(Matrix points, Vector weights) {
  const std::size_t n = points.shape(0), d = points.shape(1);
  if (weights.shape(0) != n || d == 0) throw std::invalid_argument("points, weights: sizes");
  if (d > svgm::kMostDimensions) throw std::length_error("points: at most 4096 dimensions");
  std::vector<double> mean, scatter;
  {
    const PythonCall call;
    mean.resize(d);
    scatter.resize(d * d);
    svgm::weighted_scatter(points.data(), weights.data(), n, d, mean.data(), scatter.data());
  }
  return nb::make_tuple(adopt(std::move(mean), {d}), adopt(std::move(scatter), {d, d}));
}

nb::tuple bounds_and_sums(Matrix points) {
  const std::size_t n = points.shape(0), d = points.shape(1);
  if (n == 0 || d == 0) throw std::invalid_argument("points: sizes");
  std::vector<double> low, high, sums;
  {
    const PythonCall call;
    low.resize(d);
    high.resize(d);
    sums.resize(d);
    svgm::bounds_and_sums(points.data(), n, d, low.data(), high.data(), sums.data());
  }
  return nb::make_tuple(adopt(std::move(low), {d}), adopt(std::move(high), {d}), adopt(std::move(sums), {d}));
}

nb::tuple thin(Matrix points, Vector weights, Vector centre, Matrix axes, double cell) {
  const std::size_t n = points.shape(0), d = points.shape(1);
  if (weights.shape(0) != n || d == 0 || centre.shape(0) != d || axes.shape(0) != d || axes.shape(1) != d ||
      !(cell > 0.0))
    throw std::invalid_argument("points, weights, centre, axes, cell: sizes");
  svgm::Thinned thinned;
  {
    const PythonCall call;
    thinned = svgm::thin(points.data(), weights.data(), n, d, centre.data(), axes.data(), cell);
  }
  const std::size_t kept = thinned.weights.size();
  return nb::make_tuple(adopt(std::move(thinned.points), {kept, d}), adopt(std::move(thinned.weights), {kept}));
}

nb::object nearest_of_sample(Matrix points, Vector centre, Matrix sample, Vector at_most, double least) {
  const std::size_t d = points.shape(1), m = sample.shape(0);
  if ((d != 2 && d != 3) || points.shape(0) == 0 || centre.shape(0) != d || sample.shape(1) != d ||
      at_most.shape(0) != m)
    throw std::invalid_argument("points, centre, sample, at_most: sizes");
  std::vector<double> distances;
  {
    const PythonCall call;
    distances.resize(m);
    svgm::nearest_of_sample(points.data(), points.shape(0), static_cast<int>(d), centre.data(), sample.data(), m,
                            at_most.data(), least, distances.data());
  }
  return adopt(std::move(distances), {m});
}

}  // namespace

void bind_points(nb::module_& m) {
  m.def("weighted_scatter", &weighted_scatter);
  m.def("bounds_and_sums", &bounds_and_sums);
  m.def("thin", &thin);
  m.def("nearest_of_sample", &nearest_of_sample);
}
