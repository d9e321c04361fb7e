"""Something to look at: pictures, scenes in the browser, reports.

Pages and reports (``write_html``, ``registration_report``, ``map_report``) need nothing more.  Pictures need matplotlib
and the live view (``show``) needs viser, both of the extra ``svgm[view]``.
"""

from __future__ import annotations

from svgm.view.camera import Camera
from svgm.view.candidates import candidates
from svgm.view.canvas import check_picture_path, require_matplotlib
from svgm.view.decision import decision
from svgm.view.densities import densities
from svgm.view.figure1 import figure1
from svgm.view.fitted import fitted
from svgm.view.live import Live, require_viser, show
from svgm.view.map_report import map_report
from svgm.view.map_scene import map_scene
from svgm.view.mapping import map_picture
from svgm.view.merge_scene import merge_scene
from svgm.view.mesh import mesh
from svgm.view.page import check_page_path, write_html
from svgm.view.registration import registration
from svgm.view.registration_report import registration_report
from svgm.view.registration_scene import registration_scene
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
    "check_page_path",
    "check_picture_path",
    "decision",
    "densities",
    "figure1",
    "fitted",
    "map_picture",
    "map_report",
    "map_scene",
    "merge_scene",
    "mesh",
    "registration",
    "registration_report",
    "registration_scene",
    "require_matplotlib",
    "require_viser",
    "show",
    "write_html",
]
