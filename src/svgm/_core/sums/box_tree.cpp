#include "sums/box_tree.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "runtime/interrupt.hpp"

namespace svgm {
namespace {

constexpr std::size_t kChunk = 4096;
constexpr std::size_t kMany = 100000;  // from here on, sorting takes milliseconds and checks for interrupts

// A point with its coordinates, so that a sort reads them one after the other.  Up to three dimensions.
struct Place {
  double x[3];
  std::size_t index;
};

}  // namespace

BoxTree::BoxTree(const double* points, const double* weights, std::size_t n, int dimension, bool sorted)
    : size_(n), dimension_(dimension) {
  const std::size_t blocks = (n + kBlock - 1) / kBlock, padded = blocks * kBlock;
  const std::size_t d = static_cast<std::size_t>(dimension);
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (blocks > 0) {
    std::size_t nodes = 1;
    while (nodes < blocks) nodes *= 2;
    boxes_.assign(2 * nodes * 2 * d, 0.0);
  }
  if (blocks > 0 && d <= 3 && !sorted) {
    std::vector<Place> places(n);
    for (std::size_t i = 0; i < n; ++i) {
      check_interrupt(i);
      std::copy_n(points + i * d, d, places[i].x);
      places[i].index = i;
    }
    build(1, 0, blocks, places, [](const Place& place, std::size_t k) { return place.x[k]; },
          [](const Place& place) { return place.index; }, false);
    for (std::size_t s = 0; s < n; ++s) order[s] = places[s].index;
  } else if (blocks > 0) {
    build(1, 0, blocks, order, [points, d](std::size_t i, std::size_t k) { return points[i * d + k]; },
          [](std::size_t i) { return i; }, sorted);
  }
  order_.assign(padded, n);
  std::copy(order.begin(), order.end(), order_.begin());
  storage_.assign(padded * d, 0.0);
  weights_.assign(padded, 0.0);
  for (std::size_t k = 0; k < d; ++k) {
    double* row = storage_.data() + k * padded;
    rows_.push_back(row);
    for (std::size_t chunk = 0; chunk < padded; chunk += kChunk) {
      check_interrupt();
      for (std::size_t s = chunk; s < std::min(chunk + kChunk, padded); ++s)  // padding repeats the last point
        row[s] = points[order[std::min(s, n - 1)] * d + k];
    }
  }
  for (std::size_t s = 0; s < n; ++s) weights_[s] = weights ? weights[order[s]] : 1.0;
}

// A node covers blocks [first, last); its children halve them.  Splitting on whole blocks keeps every block but the
// last one full.  `coordinate(point, k)` and `index(point)` are those of an element of `order`.
template <class Points, class Coordinate, class Index>
void BoxTree::build(std::size_t node, std::size_t first_block, std::size_t last_block, Points& order,
                    const Coordinate& coordinate, const Index& index, bool sorted) {
  using Point = typename Points::value_type;
  const std::size_t d = static_cast<std::size_t>(dimension_);
  const std::size_t begin = first_block * kBlock, end = std::min(last_block * kBlock, order.size());
  double* low = boxes_.data() + node * 2 * d;
  double* high = low + d;
  std::fill(low, low + d, std::numeric_limits<double>::infinity());
  std::fill(high, high + d, -std::numeric_limits<double>::infinity());
  for (std::size_t chunk = begin; chunk < end; chunk += kChunk) {
    if (chunk > begin) check_interrupt();
    for (std::size_t s = chunk; s < std::min(chunk + kChunk, end); ++s)
      for (std::size_t k = 0; k < d; ++k) {
        low[k] = std::min(low[k], coordinate(order[s], k));
        high[k] = std::max(high[k], coordinate(order[s], k));
      }
  }
  if (last_block - first_block == 1) return;
  check_interrupt();
  const std::size_t middle_block = first_block + (last_block - first_block + 1) / 2;
  if (sorted) {
    build(2 * node, first_block, middle_block, order, coordinate, index, sorted);
    build(2 * node + 1, middle_block, last_block, order, coordinate, index, sorted);
    return;
  }
  std::size_t axis = 0;
  for (std::size_t k = 1; k < d; ++k)
    if (high[k] - low[k] > high[axis] - low[axis]) axis = k;
  const auto at = [&](std::size_t s) { return order.begin() + static_cast<std::ptrdiff_t>(s); };
  const auto before = [&, axis](const Point& a, const Point& b) {
    const double pa = coordinate(a, axis), pb = coordinate(b, axis);
    return pa < pb || (pa == pb && index(a) < index(b));  // ties by index: the order is total, so the tree is unique
  };
  std::size_t turn = 0;
  const auto before_with_check = [&](const Point& a, const Point& b) {
    check_interrupt(++turn);
    return before(a, b);
  };
  if (end - begin > kMany)
    std::nth_element(at(begin), at(middle_block * kBlock), at(end), before_with_check);
  else
    std::nth_element(at(begin), at(middle_block * kBlock), at(end), before);
  build(2 * node, first_block, middle_block, order, coordinate, index, sorted);
  build(2 * node + 1, middle_block, last_block, order, coordinate, index, sorted);
}

void BoxTree::near(const double* q, double radius, std::vector<Run>& runs) const {
  runs.clear();
  if (size_ > 0) visit(1, 0, order_.size() / kBlock, q, radius * radius, runs);
}

void BoxTree::visit(std::size_t node, std::size_t first_block, std::size_t last_block, const double* q,
                    double squared_radius, std::vector<Run>& runs) const {
  const std::size_t d = static_cast<std::size_t>(dimension_);
  const double* low = boxes_.data() + node * 2 * d;
  const double* high = low + d;
  if (squared_box_distance(node, q) > squared_radius) return;
  double farthest = 0.0;
  for (std::size_t k = 0; k < d; ++k) {
    const double across = std::max(high[k] - q[k], q[k] - low[k]);
    farthest += across * across;
  }
  if (last_block - first_block == 1 || farthest <= squared_radius) {
    const std::size_t begin = first_block * kBlock, end = last_block * kBlock;
    if (!runs.empty() && runs.back().end == begin)
      runs.back().end = end;
    else
      runs.push_back({begin, end});
    return;
  }
  const std::size_t middle_block = first_block + (last_block - first_block + 1) / 2;
  visit(2 * node, first_block, middle_block, q, squared_radius, runs);
  visit(2 * node + 1, middle_block, last_block, q, squared_radius, runs);
}

double BoxTree::squared_box_distance(std::size_t node, const double* q) const {
  const std::size_t d = static_cast<std::size_t>(dimension_);
  const double* low = boxes_.data() + node * 2 * d;
  const double* high = low + d;
  double squared = 0.0;
  for (std::size_t k = 0; k < d; ++k) {
    const double outside = std::max(0.0, std::max(low[k] - q[k], q[k] - high[k]));
    squared += outside * outside;
  }
  return squared;
}

BoxTree::Nearest BoxTree::nearest(const double* q, double least) const {
  double best = std::numeric_limits<double>::infinity();
  std::size_t place = size_;
  if (size_ > 0) search(1, 0, order_.size() / kBlock, q, least < 0.0 ? -1.0 : least * least, best, place);
  return {std::sqrt(best), place < size_ ? order_[place] : size_};
}

void BoxTree::search(std::size_t node, std::size_t first_block, std::size_t last_block, const double* q, double least,
                     double& best, std::size_t& place) const {
  if (squared_box_distance(node, q) >= best) return;
  if (last_block - first_block == 1) {
    const std::size_t end = std::min(last_block * kBlock, size_);
    for (std::size_t s = first_block * kBlock; s < end; ++s) {
      double squared = 0.0;
      for (std::size_t k = 0; k < rows_.size(); ++k) squared += (q[k] - rows_[k][s]) * (q[k] - rows_[k][s]);
      if (squared > least && squared < best) {
        best = squared;
        place = s;
      }
    }
    return;
  }
  const std::size_t middle_block = first_block + (last_block - first_block + 1) / 2;
  const std::size_t left = 2 * node, right = left + 1;
  const bool right_first = squared_box_distance(right, q) < squared_box_distance(left, q);
  if (right_first) search(right, middle_block, last_block, q, least, best, place);
  search(left, first_block, middle_block, q, least, best, place);
  if (!right_first) search(right, middle_block, last_block, q, least, best, place);
}

void BoxTree::nearest_distances(const double* q, double least, std::size_t count, double* distances) const {
  std::fill_n(distances, count, std::numeric_limits<double>::infinity());
  if (size_ > 0 && count > 0) 
    collect(1, 0, order_.size() / kBlock, q, least < 0.0 ? -1.0 : least * least, count, distances);
  for (std::size_t k = 0; k < count; ++k) distances[k] = std::sqrt(distances[k]);
}

void BoxTree::collect(std::size_t node, std::size_t first_block, std::size_t last_block, const double* q,
                      double least, std::size_t count, double* best) const {
  if (squared_box_distance(node, q) >= best[count - 1]) return;
  if (last_block - first_block == 1) {
    const std::size_t end = std::min(last_block * kBlock, size_);
    for (std::size_t s = first_block * kBlock; s < end; ++s) {
      double squared = 0.0;
      for (std::size_t k = 0; k < rows_.size(); ++k) squared += (q[k] - rows_[k][s]) * (q[k] - rows_[k][s]);
      if (!(squared > least && squared < best[count - 1])) continue;
      std::size_t place = count - 1;
      for (; place > 0 && best[place - 1] > squared; --place) best[place] = best[place - 1];
      best[place] = squared;
    }
    return;
  }
  const std::size_t middle_block = first_block + (last_block - first_block + 1) / 2;
  const std::size_t left = 2 * node, right = left + 1;
  const bool right_first = squared_box_distance(right, q) < squared_box_distance(left, q);
  if (right_first) collect(right, middle_block, last_block, q, least, count, best);
  collect(left, first_block, middle_block, q, least, count, best);
  if (!right_first) collect(right, middle_block, last_block, q, least, count, best);
}

}  // namespace svgm
