"""Support-vector Gaussian mixtures (Sections 3 and 5): fit, evaluate, merge."""
