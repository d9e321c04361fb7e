"""Transforms as values: rigid motions, similarities, affine maps, deformations; their files."""

from svgm.geometry.transforms.affine import Affine, Rigid, Similarity
from svgm.geometry.transforms.deformation import Deformation
from svgm.geometry.transforms.transform_file import load_transform

__all__ = ["Affine", "Deformation", "Rigid", "Similarity", "load_transform"]
