"""`python -m svgm.cli` runs `svgm`."""

from __future__ import annotations

from svgm.cli import main

main(prog_name="svgm")
