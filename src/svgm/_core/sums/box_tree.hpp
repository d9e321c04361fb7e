// Points sorted so that near ones lie together, in blocks of kBlock with a tree of bounding boxes above them: the
// points near a query are a few contiguous runs.  The tree depends on the points alone, so results repeat.
#pragma once
#include <cstddef>
#include <vector>

#include "sums/pair_loop.hpp"

namespace svgm {

class BoxTree {
 public:
  // points: n rows of `dimension` doubles; weights: n doubles or null for all ones.
  // With `sorted` they lie along a curve already, such as those that `thin` returns: then they keep their order, which
  // saves the sort; the boxes are a little larger.
  BoxTree(const double* points, const double* weights, std::size_t n, int dimension, bool sorted = false);

  std::size_t size() const { return size_; }
  std::size_t padded_size() const { return order_.size(); }
  int dimension() const { return dimension_; }
  const double* const* coordinates() const { return rows_.data(); }
  const double* weights() const { return weights_.data(); }
  // order()[k] is the index, in the caller's order, of the k-th sorted point (padding: size()).
  const std::vector<std::size_t>& order() const { return order_; }

  // The runs that hold every point within `radius` of q (and some that are farther).
  void near(const double* q, double radius, std::vector<Run>& runs) const;

  // The nearest point to q among those farther than `least` from it; a negative `least` allows all.  If there is none,
  // the distance is infinite and the index is size().
  struct Nearest {
    double distance;
    std::size_t index;  // in the caller's order
  };
  Nearest nearest(const double* q, double least) const;

  // The distances of the `count` points nearest to q among those farther than `least` from it, in increasing order;
  // infinite where there are not so many.
  void nearest_distances(const double* q, double least, std::size_t count, double* distances) const;

 private:
  template <class Points, class Coordinate, class Index>
  void build(std::size_t node, std::size_t first_block, std::size_t last_block, Points& order,
             const Coordinate& coordinate, const Index& index, bool sorted);
  void visit(std::size_t node, std::size_t first_block, std::size_t last_block, const double* q, double squared_radius,
             std::vector<Run>& runs) const;

  double squared_box_distance(std::size_t node, const double* q) const;
  void search(std::size_t node, std::size_t first_block, std::size_t last_block, const double* q, double least,
              double& best, std::size_t& place) const;
  // Puts the squared distances above `least` and below the last of `best` into `best`, in order.
  void collect(std::size_t node, std::size_t first_block, std::size_t last_block, const double* q, double least,
               std::size_t count, double* best) const;

  std::size_t size_;
  int dimension_;
  std::vector<std::size_t> order_;
  std::vector<double> storage_, weights_, boxes_;  // boxes_: per node, all minima then all maxima
  std::vector<const double*> rows_;
};

}  // namespace svgm
