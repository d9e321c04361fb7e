"""`python -m svgm.cli` is `svgm`."""

from __future__ import annotations

from svgm.cli import main

main(prog_name="svgm")
