"""The registry: who can run here, and why not."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.methods.registry import METHODS


def test_names_are_keys_and_settings_are_distinct() -> None:
    for name, method in METHODS.items():
        assert method.name == name
        assert method.search in ("local", "global")
        assert set(method.settings) == set(method.seconds)
        for settings in method.settings.values():
            assert len({str(sorted(setting.items())) for setting in settings}) == len(settings)


def test_what_is_missing_is_said_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = METHODS["S4P"]
    monkeypatch.delenv("SVGM_SUPER4PCS", raising=False)
    assert program.missing("dragon") == "SVGM_SUPER4PCS is not set to the program's path"
    monkeypatch.setenv("SVGM_SUPER4PCS", str(tmp_path / "absent"))
    assert "is not a program" in str(program.missing("dragon"))
    monkeypatch.setenv("SVGM_SUPER4PCS", sys.executable)
    assert program.missing("dragon") is None

    # One that has a package as well is called by its program if that is named.
    monkeypatch.setenv("SVGM_GOICP", sys.executable)
    assert METHODS["GOI"].missing("dragon") is None

    package = replace(METHODS["ICP"], module="no_such_module", package="no-such-package")
    reason = package.missing("dragon")
    assert reason is not None
    assert reason.startswith("no-such-package cannot be imported (ModuleNotFoundError")
    assert "\n" not in reason
    # In 2D it is our own and needs nothing.
    assert package.missing("shapes_2d") is None
    assert package.version() == "no-such-package absent"


def test_an_option_that_register_does_not_have_is_said_in_one_line() -> None:
    assert replace(METHODS["svgm"], option="search").missing("dragon") is None
    reason = replace(METHODS["svgm"], option="no_such").missing("dragon")
    assert reason == "svgm.register has no parameter no_such"
