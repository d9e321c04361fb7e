"""MkDocs hook: files outside ``docs/`` that pages link to.  Links work both on GitHub and in the site.

Some of these files become pages; any other is copied below ``repository/``.  A link to a folder becomes plain text: a
site without a server has no page for a folder.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File

ROOT = Path(__file__).parents[2]
#: Files at the root that are pages, by their address in the site.
PAGES = {name: name.lower() for name in ("ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md")}
#: A block of code, a link (whose text may be code) or code in a line, whichever begins first.
LINK = re.compile(
    r"^ *```.*?^ *```"
    r"|\[(?P<text>[^]\[]*)\]\((?P<path>(?!\w+:|#|/)[^)\s#]+)(?P<rest>[^)]*)\)"
    r"|(?P<ticks>`+)[^`].*?(?P=ticks)",
    flags=re.DOTALL | re.MULTILINE,
)


def on_files(files: Any, config: Any) -> Any:
    """Add the files at the root that are pages."""
    for name, address in PAGES.items():
        files.append(File.generated(config, address, abs_src_path=str(ROOT / name)))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Rewrite links to where the site has the file; code stays as it is."""
    address = page.file.src_uri
    at_root = {site: name for name, site in PAGES.items()}
    here = posixpath.dirname(at_root.get(address, f"docs/{address}"))

    def moved(link: re.Match[str]) -> str:
        if link["path"] is None:
            return link[0]
        path = posixpath.normpath(posixpath.join(here, link["path"]))
        if path in PAGES:
            found = PAGES[path]
        elif path.startswith("docs/"):
            found = path.removeprefix("docs/")
        elif (ROOT / path).is_file():
            found = f"repository/{path}"
            if files.get_file_from_path(found) is None:
                files.append(File.generated(config, found, abs_src_path=str(ROOT / path)))
        else:
            return link["text"] if (ROOT / path).is_dir() else link[0]
        place = posixpath.relpath(found, posixpath.dirname(address) or ".")
        return f"[{link['text']}]({place}{link['rest']})"

    return LINK.sub(moved, markdown)
