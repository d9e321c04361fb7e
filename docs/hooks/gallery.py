"""MkDocs hook: each script of ``examples/`` on one page, with its picture, what it prints and its code.

The scripts run when the site is built; what they leave is kept in ``build/gallery`` under a name made from the script
and the package, so that an unchanged script does not run again.  ``extra.gallery`` in mkdocs.yml says which run: all,
or some by name, and of the others the code alone is shown.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File

PAGE = "examples.md"
MARK = re.compile(r"<!-- example: (\w+) -->")
ROOT = Path(__file__).parents[2]
SCRIPTS = ROOT / "examples"
KEPT = ROOT / "build" / "gallery"


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Fill the marks of the page, one for each script."""
    if page.file.src_uri != PAGE:
        return markdown
    named, there = set(MARK.findall(markdown)), {script.stem for script in SCRIPTS.glob("*.py")}
    if named != there:
        raise PluginError(f"docs/{PAGE} and examples/ differ: {', '.join(sorted(named ^ there))}")
    wanted = config["extra"]["gallery"].split()
    running = sorted(named if wanted == ["all"] else named & set(wanted))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        folders = dict(zip(running, pool.map(_ran, running), strict=True))
    for name, folder in folders.items():
        picture = str(folder / f"{name}.png")
        files.append(File.generated(config, f"images/examples/{name}.png", abs_src_path=picture))
    return MARK.sub(lambda mark: _shown(mark[1], folders.get(mark[1])), markdown)


def _shown(name: str, folder: Path | None) -> str:
    code = (SCRIPTS / f"{name}.py").read_text(encoding="utf-8").rstrip()
    indented = "\n".join(f"    {line}".rstrip() for line in f"```{{.python}}\n{code}\n```".splitlines())
    folded = f'??? example "examples/{name}.py"\n\n{indented}\n'
    if folder is None:
        return folded
    printed = (folder / "printed.txt").read_text(encoding="utf-8").rstrip()
    picture = f"![What examples/{name}.py draws](images/examples/{name}.png)"
    output = f"```text\n{printed}\n```\n\n" if printed else ""
    return f"{picture}\n\n{output}{folded}"


def _ran(name: str) -> Path:
    """The folder with the picture and the output of a script, which runs unless it did so before."""
    script = SCRIPTS / f"{name}.py"
    folder = KEPT / f"{name}-{_digest(script)}"
    if not folder.is_dir():
        making = folder.with_name(f"{folder.name}.{os.getpid()}")
        run = subprocess.run(
            [sys.executable, str(script), str(making)], capture_output=True, text=True, encoding="utf-8", check=False
        )
        if run.returncode != 0:
            raise PluginError(f"{script} failed:\n{run.stderr}")
        (making / "printed.txt").write_text(run.stdout, encoding="utf-8")
        if not folder.is_dir():
            making.replace(folder)
    return folder


def _digest(script: Path) -> str:
    """Of the script and of the package that it calls."""
    package = ROOT / "src" / "svgm"
    sources = sorted(path for path in package.rglob("*") if path.suffix in {".py", ".cpp", ".hpp"})
    digest = hashlib.sha256()
    for path in [script, *sources]:
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:16]
