// What a sensor has looked through: the lines of sight from a viewpoint to the places that it saw.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace svgm {

// For each of `batch` directions (d): the share of the places (count, d) that are behind others by more than `margin`,
// seen from far away in this direction.  Places in one pixel of kCellsInDirection cells are on one line of sight.
void hidden_shares(const double* directions, std::size_t batch, const double* places, std::size_t count, int dimension,
                   double cell, double margin, unsigned threads, double* shares);

// The directions in which a sensor saw places, and how far the nearest and the farthest place in each direction and in
// those beside it is: steep surfaces and a viewpoint that is not exact move places from one direction to the next.
class LinesOfSight {
 public:
  // `places` (count, dimension), about one in each cell of this size.  The dimension is 2 or 3.
  LinesOfSight(const double* viewpoint, const double* places, std::size_t count, int dimension, double cell);

  int dimension() const { return dimension_; }

  std::size_t size() const { return behind_.size(); }

  // For each of the sensor's own places: 1 if it is behind another one by more than `margin`, otherwise 0.
  void hidden(double margin, double* out) const;

  // For each of `batch` poses (d+1, d+1) of the places (count, d): the share that is nearer than what the sensor saw in
  // the same direction, and the share that is farther, each by more than `margin`: (batch, 2).
  void contradicted(const double* places, std::size_t count, const double* poses, std::size_t batch, double margin,
                    unsigned threads, double* shares) const;

 private:
  struct Direction {
    std::uint64_t key;
    double nearest, farthest;
  };
  static const Direction kNothing;

  void shrink();

  template <int D>
  std::uint64_t key_of(const double* place, double& range) const;
  template <int D>
  void build(const double* places, std::size_t count);
  // Each direction takes over what was seen in the directions beside it.
  template <int D>
  void widen();
  template <int D>
  void count_of(const double* places, std::size_t count, const double* pose, double margin, double* shares) const;
  std::size_t slot_of(std::uint64_t key) const;

  int dimension_;
  double viewpoint_[3] = {}, per_angle_ = 1.0;
  std::vector<double> behind_;         // how far each place is behind the nearest one in its direction
  std::vector<Direction> table_;       // open addressing; a power of two
};

}  // namespace svgm
