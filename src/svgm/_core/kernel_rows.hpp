// Rows of the Gaussian kernel matrix of a tree's points, computed on demand and kept while there is room.
#pragma once
#include <cstddef>
#include <list>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "box_tree.hpp"

namespace svgm {

// One row, in the tree's order: only the runs of points near enough to matter, their values one after the other.
struct KernelRow {
  std::vector<Run> runs;
  std::vector<double> values;

  // out += factor * row
  void add_to(double* out, double factor) const;
  // out = row, on the row's runs
  void copy_to(double* out) const;
  // out = 0, on the row's runs
  void clear(double* out) const;
};

class KernelRows {
 public:
  KernelRows(const BoxTree& tree, double gamma);

  std::shared_ptr<const KernelRow> row(std::size_t i);
  std::size_t evaluations() const { return evaluations_; }

 private:
  std::shared_ptr<const KernelRow> compute(std::size_t i);

  const BoxTree& tree_;
  double gamma_, radius_;
  std::size_t bytes_ = 0, evaluations_ = 0;
  std::list<std::size_t> recent_;
  std::unordered_map<std::size_t, std::pair<std::shared_ptr<const KernelRow>, std::list<std::size_t>::iterator>> rows_;
};

}  // namespace svgm
