"""What the confidence is worth, by kind of data, each left out of the fit: ``python -m benchmarks.confidence``."""
