"""Support-vector Gaussian mixtures: fit point sets, register them, merge what they saw.

points --fit--> Mixture --register--> RegistrationResult --merge--> Mixture
"""

from __future__ import annotations

from svgm._core import instruction_set
from svgm.annealing import Annealing
from svgm.errors import FileError, InputError, SvgmError
from svgm.evaluate import Evaluation, evaluate
from svgm.fit import fit, kde
from svgm.io import read_points, write_points
from svgm.mapping.locate import locate
from svgm.mapping.mapper import Mapper
from svgm.mapping.pipeline import map as map  # not in __all__: a star import must leave Python's own alone
from svgm.mapping.result import MapResult
from svgm.merge import merge, merge_naive
from svgm.mesh import Mesh
from svgm.mixture import Mixture
from svgm.register import register
from svgm.representation import Prepared, prepare
from svgm.result import Alternative, RegistrationResult, Stage, Status
from svgm.scale import estimate_scale
from svgm.search.certified import Certificate
from svgm.search.confidence import TRUSTED
from svgm.select_gamma import GammaSelection, GammaTrial, select_gamma
from svgm.surface import surface
from svgm.two_class import fit_two_class

__version__ = "0.1.0"

__all__ = [
    "TRUSTED",
    "Alternative",
    "Annealing",
    "Certificate",
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
    "Stage",
    "Status",
    "SvgmError",
    "estimate_scale",
    "evaluate",
    "fit",
    "fit_two_class",
    "instruction_set",
    "kde",
    "locate",
    "merge",
    "merge_naive",
    "prepare",
    "read_points",
    "register",
    "select_gamma",
    "surface",
    "write_points",
]
