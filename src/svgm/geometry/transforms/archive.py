"""What every file of a transform begins with: the format, its version and the kind of the transform."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from svgm.io.archive import read_archive
from svgm.io.errors import file_error, file_errors

FORMAT, VERSION = "svgm transform", 1


def read_fields(path: Path) -> dict[str, Any]:
    """The arrays of a transform's file by name, not checked yet; `kind` is a string."""
    arrays = read_archive(path)
    if str(arrays.get("format")) != FORMAT:
        raise file_error(path, "is not a transform of svgm, as Rigid.save or Deformation.save writes it")
    with file_errors(path, "is a damaged transform"):
        version, kind = int(arrays["version"]), str(arrays["kind"])
        if version > VERSION:
            raise file_error(path, f"is a transform of version {version}, this svgm reads up to {VERSION}")
        return {**arrays, "kind": kind}
