"""Errors: one base class, public names, and a hint how to install what is missing."""

from __future__ import annotations

import pickle

import pytest

import svgm
from svgm.checks.errors import FileError, InputError, SvgmError, not_installed


@pytest.mark.parametrize("error", [InputError, FileError])
def test_errors_have_one_base_and_their_public_names(error: type[SvgmError]) -> None:
    assert issubclass(error, SvgmError)
    assert issubclass(error, ValueError)
    assert f"{error.__module__}.{error.__name__}" == f"svgm.{error.__name__}"
    assert getattr(svgm, error.__name__) is error


def test_errors_can_be_sent_to_another_process() -> None:
    again = pickle.loads(pickle.dumps(InputError("nu must be positive, got 0")))
    assert type(again) is InputError
    assert str(again) == "nu must be positive, got 0"


def test_what_is_missing_can_be_installed() -> None:
    assert 'pip install "svgm[mesh]"' in not_installed("surfaces need scikit-image", "mesh")
