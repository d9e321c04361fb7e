"""Options that several commands share, and the type of a path."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

#: Missing and unreadable files are known errors (exit 1, named by the reader), not wrong usage: click checks nothing.
PATH: Any = click.Path(path_type=Path, readable=False)

#: Show the default of every option.
SHOWN: dict[str, Any] = {"show_default": True}

nu_option = click.option(
    "--nu",
    type=float,
    default=0.01,
    metavar="NU",
    help="Of the SVM, in (0, 1]: bound on the share of outliers.",
    **SHOWN,
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON on stdout and nothing else.")
quiet_option = click.option("-q", "--quiet", is_flag=True, help="No summary and no progress on stderr.")
