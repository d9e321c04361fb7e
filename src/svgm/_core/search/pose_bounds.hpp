// Bounds of the correlation of two Gaussian mixtures over sets of rigid motions.
//
// With lengths in units of the Gaussian, F(T) = sum_i w_i K(R x_i + t), K(p) = sum_j w_j exp(-½ |p - y_j|²), all
// weights positive.  A set holds the motions (Exp(omega) R0, t0 + v) with |omega| <= alpha and |v_k| <= h_k.  It moves
// x_i, which its centre puts at p_i = q_i + t0, q_i = R0 x_i, by delta = (Exp(omega) - I) q_i + v, at most
//   reach_i = 2 |x_i| sin(alpha / 2) + |h|.
//
// Within reach, K exceeds its Taylor polynomial of second order about p by at most k |delta|², k >= 0 (`bound_loop`).
// Two bounds of what one i adds, by itself:
//   the nearest it can come to each y_j:  C_i = sum_j w_j exp(-½ max(0, |p_i - y_j| - reach_i)²),
//   Taylor's:                             K + |K'| reach + ½ (|K''| + 2k) reach².
// And one for many i together, in which opposite pulls cancel.  With L omega = omega x q, a = L omega + v, delta = a +
// b and S = K'' + 2k I,
//   K(p + delta) <= K + K'·delta + ½ deltaᵀS delta
//                 = K + K'·(a + ½ omega x (omega x q)) + ½ aᵀSa           [the quadratic model, summed over i]
//                     + K'·(b - ½ omega x (omega x q))                    <= |K'| |q| alpha³ / 6
//                     + aᵀSb + ½ bᵀSb.
// |b| <= |q| alpha² / 2 is a part normal to omega x q and one along it, the latter at most |q| alpha³ / 6.  For normal
// u and v, uᵀSv <= |u| |v| times half the spread of the eigenvalues of S, which is at most |S - tr(S)/D I|_F / √2.  So
//   aᵀSb <= spread |q| alpha |b| + |S| (|q| alpha |q| alpha³ / 6 + |h| |b|).
// That the excess is quadratic in a, not a constant, lets the turns and shifts of many points add up in quadrature.
// The model is bounded by `quadratic_bound`.  Which i join it is free to choose.
#pragma once
#include <cstddef>
#include <vector>

#include "sums/box_tree.hpp"

namespace svgm {

class PoseBounds {
 public:
  PoseBounds(const BoxTree& source, const BoxTree& target);
  int dimension() const { return source_->dimension(); }
  // For poses (count, d+1, d+1) with angles (count) and shifts h (count, d): bounds (count), which no F in the set
  // exceeds, and the F at the poses (count).
  void bound(const double* poses, const double* angles, const double* shifts, std::size_t count, unsigned threads,
             double* bounds, double* values) const;

 private:
  template <int D>
  void bound_one(const double* pose, double angle, const double* shift, double* bound, double* value) const;

  const BoxTree* source_;
  const BoxTree* target_;
  std::vector<double> lengths_;      // |x_i|
  std::vector<double> low_, high_;   // corners of the boxes around runs of the target's points, (d, stride)
  std::vector<double> run_weights_;  // sums of their weights
  std::size_t stride_;
  double rounding_;  // added to all bounds
};

}  // namespace svgm
