"""What is shown: pictures, scenes in the browser, and reports.

Pages and reports (``write_html``, ``registration_report``, ``map_report``) need nothing beyond svgm.  Pictures need
matplotlib, and the live viewer (``show``) needs viser: both come with the extra ``svgm[view]``.

Every picture is drawn in one matplotlib Axes: in `ax` if it is given, otherwise in a new figure.  The Axes are
returned, and a file is written only if `path` is given.  A picture of several panels divides its Axes: the panels are
``ax.child_axes``.  In a notebook a new figure is shown like any other plot.  Elsewhere a new figure has no window and
no global state: use ``ax=plt.gca()`` to have a picture shown by ``plt.show()``.
"""

from __future__ import annotations

from svgm.view.camera import Camera
from svgm.view.html_page.page import check_page_path, write_html
from svgm.view.live.viewer import Live, require_viser, show
from svgm.view.pictures.candidates_picture import candidates
from svgm.view.pictures.decision_picture import decision
from svgm.view.pictures.deformation_picture import deformation
from svgm.view.pictures.density_picture import densities
from svgm.view.pictures.figure import check_picture_path, require_matplotlib
from svgm.view.pictures.fitted_picture import fitted
from svgm.view.pictures.framework_picture import figure1
from svgm.view.pictures.map_picture import map_picture
from svgm.view.pictures.mesh_picture import mesh
from svgm.view.pictures.registration_picture import registration
from svgm.view.reports.map_report import map_report
from svgm.view.reports.registration_report import registration_report
from svgm.view.scenes.layers import Cloud, Ellipsoids, Gaussians, Layer, Lines
from svgm.view.scenes.map_scene import map_scene
from svgm.view.scenes.merge_scene import merge_scene
from svgm.view.scenes.registration_scene import registration_scene
from svgm.view.scenes.scene import Frame, Scene

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
    "deformation",
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
