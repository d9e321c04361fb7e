"""Support-vector Gaussian mixtures: fit point sets, register them, merge them.

points --fit--> Mixture --register--> RegistrationResult --merge--> Mixture

Submodules, loaded when they are used: `svgm.rigid` (rigid motions), `svgm.io` (files), `svgm.datasets` (generated point
sets), `svgm.view` (pictures, reports, the viewer).
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

from svgm._core import instruction_set
from svgm.checks.errors import FileError, InputError, SvgmError
from svgm.geometry.scale import estimate_scale
from svgm.geometry.transforms import Affine, Deformation, Rigid, Similarity, load_transform
from svgm.io import read_points, write_points
from svgm.mapping.localisation import locate
from svgm.mapping.mapper import Mapper
from svgm.mapping.pipeline import map as map  # not in __all__: a star import must leave Python's own alone
from svgm.mapping.result import MapResult
from svgm.mixture.fit import fit, kde
from svgm.mixture.merge import merge, merge_naive
from svgm.mixture.mixture import Mixture
from svgm.mixture.two_class import fit_two_class
from svgm.reconstruction.mesh import Mesh
from svgm.reconstruction.scans import surface_of_scans
from svgm.reconstruction.surface import surface
from svgm.registration.annealing import Annealing
from svgm.registration.certificate import Certificate
from svgm.registration.confidence import TRUSTED
from svgm.registration.evaluate import Evaluation, evaluate
from svgm.registration.nonrigid.quality import Warp
from svgm.registration.prepared import Prepared, prepare
from svgm.registration.register import register
from svgm.registration.result import Alternative, RegistrationResult, Status
from svgm.registration.select_gamma import GammaSelection, GammaTrial, select_gamma
from svgm.registration.stage import Stage
from svgm.registration.undetermined import Undetermined

if TYPE_CHECKING:
    from svgm import datasets as datasets
    from svgm import io as io
    from svgm import rigid as rigid
    from svgm import view as view

__version__ = "0.1.0"

_SUBMODULES = ("datasets", "io", "rigid", "view")

__all__ = [
    "TRUSTED",
    "Affine",
    "Alternative",
    "Annealing",
    "Certificate",
    "Deformation",
    "Evaluation",
    "FileError",
    "GammaSelection",
    "GammaTrial",
    "InputError",
    "MapResult",
    "Mapper",
    "Mesh",
    "Mixture",
    "Prepared",
    "RegistrationResult",
    "Rigid",
    "Similarity",
    "Stage",
    "Status",
    "SvgmError",
    "Undetermined",
    "Warp",
    "estimate_scale",
    "evaluate",
    "fit",
    "fit_two_class",
    "instruction_set",
    "kde",
    "load_transform",
    "locate",
    "merge",
    "merge_naive",
    "prepare",
    "read_points",
    "register",
    "select_gamma",
    "surface",
    "surface_of_scans",
    "write_points",
]


if not TYPE_CHECKING:  # otherwise a type checker would accept any name

    def __getattr__(name: str) -> ModuleType:
        """A submodule, loaded when it is first used."""
        if name in _SUBMODULES:
            return import_module(f"svgm.{name}")
        raise AttributeError(f"module 'svgm' has no attribute {name!r}")


def __dir__() -> list[str]:
    """The public names and submodules, and nothing else."""
    return sorted([*__all__, "map", "__version__", *_SUBMODULES])
