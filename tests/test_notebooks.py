"""Every notebook of examples/notebooks runs, and is stored with its outputs."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")

NOTEBOOKS = sorted((Path(__file__).parent.parent / "examples" / "notebooks").glob("*.ipynb"))

#: What a notebook needs beside svgm and matplotlib.
NEEDS = {"many_scans": "gtsam"}


def test_there_are_three() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["many_scans", "paper_in_ten_cells", "register_merge_look"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
@pytest.mark.filterwarnings("ignore")  # of the libraries that run notebooks
def test_a_notebook_runs(path: Path, tmp_path: Path) -> None:
    pytest.importorskip("ipykernel")
    pytest.importorskip("matplotlib")
    pytest.importorskip(NEEDS.get(path.stem, "numpy"))
    book = nbformat.read(path, as_version=4)
    nbformat.validate(book)
    client = nbclient.NotebookClient(book, timeout=600, resources={"metadata": {"path": str(tmp_path)}})
    asyncio.run(client.async_execute())
    assert not any(output.output_type == "error" for cell in book.cells for output in cell.get("outputs", []))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_has_its_outputs(path: Path) -> None:
    book = nbformat.read(path, as_version=4)
    cells = [cell for cell in book.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    outputs = [output for cell in cells for output in cell.outputs]
    kinds = {kind for output in outputs for kind in output.get("data", {})}
    assert "text/html" in kinds or "image/png" in kinds
    # Pages inside a notebook ask nothing from outside.
    for output in outputs:
        assert "src=&quot;http" not in output.get("data", {}).get("text/html", "")
    assert path.stat().st_size < 1_000_000
