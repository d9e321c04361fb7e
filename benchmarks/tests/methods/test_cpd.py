"""CPD finds a known pose in 2D and 3D, and its shorter steps are pycpd's."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from benchmarks.methods import cpd
from benchmarks.methods.normalise import normalise

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # where pip did not compile it, pycpd's `is` with numbers warns
    pycpd = pytest.importorskip("pycpd", reason="pycpd is not installed")


def test_pose_3d(solid: Any) -> None:
    T = cpd.align(solid.source, solid.target, unit=solid.unit, threads=1, w=0.1, points=400)
    solid.check(T, 0.05, 0.03)


def test_pose_2d(outline: Any) -> None:
    outline.check(cpd.align(outline.source, outline.target, unit=outline.unit, threads=1, w=0.1), 0.05, 0.03)


def test_expectation_is_pycpds(outline: Any) -> None:
    unified = normalise(outline.source, outline.target)
    pair = [
        kind(X=unified.target, Y=unified.source, sigma2=0.01, w=0.2) for kind in (cpd.rigid(), pycpd.RigidRegistration)
    ]
    for registration in pair:
        registration.expectation()
    for name in ("P", "P1", "Pt1", "Np"):
        np.testing.assert_allclose(*(getattr(registration, name) for registration in pair), rtol=1e-9, atol=1e-12)


def test_maximization_holds_the_scale(outline: Any) -> None:
    unified = normalise(outline.source, outline.target)
    registration = cpd.rigid()(X=unified.target, Y=1.3 * unified.source, sigma2=0.05, w=0.1)
    registration.iterate()
    assert registration.s == 1.0
    # By definition: the weighted mean of squared distances, and weighted means that meet.
    residuals = ((registration.X[None] - registration.TY[:, None]) ** 2).sum(axis=2)
    P = registration.P
    np.testing.assert_allclose(registration.sigma2, (P * residuals).sum() / (2 * P.sum()), rtol=1e-9)
    np.testing.assert_allclose(P.sum(axis=1) @ registration.TY, P.sum(axis=0) @ registration.X, atol=1e-9)
