// Where sequential minimal optimisation starts: near the solution, by Gauss-Seidel on the problem without its sum
// constraint.  Each step changes one point and touches near points only, where a step on pairs scans them all.
#pragma once
#include <cstddef>

#include "kernel_rows.hpp"

namespace svgm {

// One class: min ½ βᵀKβ - sum β, 0 <= β, scaled to sum 1.  That is the solution as long as no upper bound is active.
void start_one_class(KernelRows& rows, std::size_t n, const double* upper, double tolerance, double* beta);

// Two classes: min ½ βᵀKβ + (linear + b)·β within the bounds, with b sought so that sum β = 0.
void start_two_class(KernelRows& rows, std::size_t n, const double* linear, const double* lower, const double* upper,
                     double tolerance, double* beta);

}  // namespace svgm
