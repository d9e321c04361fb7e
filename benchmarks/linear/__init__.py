"""Similarity and affine registration: scale and shear unknown, moved anywhere."""
