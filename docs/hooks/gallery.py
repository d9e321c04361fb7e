"""MkDocs hook: each script of ``examples/`` on one page, with its picture, its output and its code.

The scripts run when the site is built.  Their outputs are stored in ``build/gallery`` under a hash of the script and
the package, so an unchanged script does not run again.  ``extra.gallery`` in mkdocs.yml names the scripts that run, or
says "all".  Of the other scripts only the code is shown.
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

from svgm.checks.arguments import thread_count

PAGE = "examples.md"
MARK = re.compile(r"<!-- example: (\w+) -->")
ROOT = Path(__file__).parents[2]
SCRIPTS = ROOT / "examples"
GALLERY_CACHE = ROOT / "build" / "gallery"


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Replace the marks of the page, one for each script."""
    if page.file.src_uri != PAGE:
        return markdown
    named, there = set(MARK.findall(markdown)), {script.stem for script in SCRIPTS.glob("*.py")}
    if named != there:
        raise PluginError(f"docs/{PAGE} and examples/ differ: {', '.join(sorted(named ^ there))}")
    wanted = config["extra"]["gallery"].split()
    running = sorted(named if wanted == ["all"] else named & set(wanted))
    with ThreadPoolExecutor(thread_count(None)) as pool:
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
    """The folder with the picture and the output of a script; the script runs unless the folder is there."""
    script = SCRIPTS / f"{name}.py"
    folder = GALLERY_CACHE / f"{name}-{_digest(script)}"
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
    """Hash of the script and of the package that it calls."""
    package = ROOT / "src" / "svgm"
    sources = sorted(path for path in package.rglob("*") if path.suffix in {".py", ".cpp", ".hpp"})
    digest = hashlib.sha256()
    for path in [script, *sources]:
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:16]
