"""Rows of names and values as plain text."""

from __future__ import annotations

from svgm.cli.printing import Coloured, print_rows


def test_plain_rows(capsys):
    print_rows(
        [("a", 1.23456789), ("bc", Coloured("good", good=True, rest=", so far")), ("d", True), ("e", [1.0, None])]
    )
    assert capsys.readouterr().err == "a   1.23457\nbc  good, so far\nd   yes\ne   1, none\n"
