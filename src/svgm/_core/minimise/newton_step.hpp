// The Newton step within a trust region.
#pragma once

namespace svgm {

// The minimiser s of the model g·s + ½ s·H s over |s| <= radius, for k parameters; H need not be positive definite.
// Returns the decrease that the model predicts.
double trust_region_step(const double* gradient, const double* hessian, int k, double radius, double* step);

}  // namespace svgm
