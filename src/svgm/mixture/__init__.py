"""Support-vector Gaussian mixtures (Sections 3, 5 and 7): train SVMs, convert them to mixtures, evaluate, merge."""
