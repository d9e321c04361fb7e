"""Pictures of point sets, mixtures, registrations and maps; needs matplotlib, the extra ``svgm[view]``."""

from __future__ import annotations

from svgm.view.camera import Camera
from svgm.view.candidates import candidates
from svgm.view.canvas import check_picture_path, require_matplotlib
from svgm.view.decision import decision
from svgm.view.densities import densities
from svgm.view.figure1 import figure1
from svgm.view.live import Live, require_viser, show
from svgm.view.mapping import map_picture
from svgm.view.mesh import mesh
from svgm.view.registration import registration
from svgm.view.scene import Cloud, Ellipsoids, Frame, Gaussians, Layer, Lines, Scene

__all__ = [
    "Camera",
    "Cloud",
    "Ellipsoids",
    "Frame",
    "Gaussians",
    "Layer",
    "Lines",
    "Live",
    "Scene",
    "candidates",
    "check_picture_path",
    "decision",
    "densities",
    "figure1",
    "map_picture",
    "mesh",
    "registration",
    "require_matplotlib",
    "require_viser",
    "show",
]
