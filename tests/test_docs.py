"""The documents: the site builds strictly and asks nothing from outside, its code runs, nothing public is missing."""

from __future__ import annotations

import html
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.documents import blocks, command_lines, complaints, run_python
from tests.public_names import public, shown, without_example

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
#: Attributes by which a page asks for something as soon as it is opened; `href` does so in <link> alone.
ASKING = {"src", "srcset", "poster", "data"}

#: A page with everything that CONTRIBUTING.md promises.
PAGE = """\
<!--
```python
seen = ["hidden"]
```
-->
<!-- needs: no_such_module -->
```python
import no_such_module
```
```text
not run
```
- item

    ```python
    assert seen == ["hidden"]
    ```

```shell
svgm fit a.ply -o a.npz --like b.npz && svgm fly --far | svgm fit --wings  # svgm none
```

    svgm --help
"""


def name(page: Path) -> str:
    return page.relative_to(DOCS).as_posix()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built as strictly as `make docs` does; of the examples one runs, since test_examples.py runs all."""
    pytest.importorskip("mkdocs")
    folder = tmp_path_factory.mktemp("site")
    run = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=ROOT,
        env={**os.environ, "SVGM_GALLERY": "register_2d", "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert "WARNING" not in run.stderr
    return folder


class Asked(HTMLParser):
    """Collects what a page loads, its ids and its words."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.ids: set[str] = set()
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for key, value in attrs:
            if key in ASKING or (tag == "link" and key == "href"):
                self.addresses.append(value or "")
            elif key == "id" and value:
                self.ids.add(value)


def test_the_site_asks_nothing_from_outside(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert len(pages) > 20
    asked = {address for page in pages for address in Asked(page).addresses}
    for sheet in site.rglob("*.css"):
        asked |= set(re.findall(r"url\(\s*[\"']?([^)\"']+)|@import\s+[\"']([^\"']+)", sheet.read_text("utf-8")))
    outside = [address for address in asked if re.match(r"(?:https?:)?//", "".join(address))]
    assert outside == []


def test_formulas_become_mathml() -> None:
    pytest.importorskip("math_core")
    from mkdocs.exceptions import PluginError

    from docs.hooks.formulas import on_page_content

    page = SimpleNamespace(file=SimpleNamespace(src_uri="page.md"))
    line = on_page_content(r'<p>for <span class="arithmatex">\(x &lt; 1\)</span></p>', page=page)
    assert re.fullmatch(r"<p>for <math[^>]*>.*<mi>x</mi>.*<</mo>.*</math></p>", html.unescape(line))
    block = on_page_content(r'<div class="arithmatex">\[x^2\]</div>', page=page)
    assert re.fullmatch(r'<div class="formula"><math[^>]* display="block"[^>]*>.*</math></div>', block)
    with pytest.raises(PluginError, match=r"page\.md: \\nonsense"):
        on_page_content(r'<span class="arithmatex">\(\nonsense\)</span>', page=page)


def test_lists_begin_below_a_line_of_text() -> None:
    from docs.hooks.lists import on_page_markdown

    assert on_page_markdown("signs:\n- one\n  and on\n- two") == "signs:\n\n- one\n  and on\n- two"
    assert on_page_markdown("- one\n\n    more\n- two") == "- one\n\n    more\n\n- two"
    assert on_page_markdown("```\ntext\n- code\n```") == "```\ntext\n- code\n```"


def test_links_beyond_docs() -> None:
    pytest.importorskip("mkdocs")
    from docs.hooks.beyond_docs import on_page_markdown

    page = SimpleNamespace(file=SimpleNamespace(src_uri="recipes/lasers.md"))

    def moved(text: str) -> str:
        return on_page_markdown(text, page=page, config=None, files=None)

    assert moved("[why](../../ARCHITECTURE.md#rooms)") == "[why](../architecture.md#rooms)"
    assert moved("[a](../mapping.md), ![b](../images/intel.png)") == "[a](../mapping.md), ![b](../images/intel.png)"
    assert moved("[`svgm.map`](../../docs/mapping.md) `x`") == "[`svgm.map`](../mapping.md) `x`"
    assert moved("[all of them](../../examples/)") == "all of them"
    assert moved("`[code](../../examples/)` [out](https://host/x)") == "`[code](../../examples/)` [out](https://host/x)"


def test_code_that_names_something_leads_to_the_reference(site: Path) -> None:
    page = (site / "mapping.html").read_text(encoding="utf-8")
    assert re.search(r'href="reference/mapping.html#svgm.locate"[^>]*><code>svgm.locate</code>', page)
    assert "<autoref" not in page


def test_the_site_links_to_the_paper(site: Path) -> None:
    address = "https://openaccess.thecvf.com/content_iccv_2015/html/Campbell_An_Adaptive_Data_ICCV_2015_paper.html"
    for page in ("index.html", "method.html"):
        assert f'href="{address}"' in (site / page).read_text(encoding="utf-8")


def test_the_map_of_the_code_is_short_and_names_files_that_exist() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 150
    named = re.findall(r"`((?:[\w]+/)*[\w]+\.(?:py|cpp|hpp))`", text)
    assert len(named) > 40
    assert [path for path in named if not any((top / path).is_file() for top in (ROOT / "src" / "svgm", ROOT))] == []


def test_search_knows_the_reference(site: Path) -> None:
    assert "reference/registration.html#svgm.register" in (site / "search" / "search_index.json").read_text("utf-8")


def test_search_works_without_a_server(site: Path) -> None:
    assert "reference/registration.html#svgm.register" in (site / "search" / "search_index.js").read_text("utf-8")
    assert "iframe-worker.js" in (site / "index.html").read_text("utf-8")


def test_every_example_has_its_place(site: Path) -> None:
    page = (site / "examples.html").read_text(encoding="utf-8")
    for script in (ROOT / "examples").glob("*.py"):
        assert f"examples/{script.name}" in page
        assert (site / "repository" / "examples" / script.name).read_bytes() == script.read_bytes()
    assert (site / "images" / "examples" / "register_2d.png").stat().st_size > 10_000


def test_the_command_line_is_all_there(site: Path) -> None:
    page = (site / "reference" / "cli.html").read_text(encoding="utf-8")
    from svgm.cli import COMMANDS, main

    for command in COMMANDS:
        assert f'id="svgm-{command}"' in page
        for option in main.get_command(None, command).params:
            if option.opts[0].startswith("-"):
                assert all(spelling in page for spelling in option.opts), (command, option.opts)


def test_a_page_is_read_as_contributing_says(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(PAGE, encoding="utf-8")
    assert run_python(page) == ["page.md:8 needs no_such_module"]
    lines = command_lines(page)
    assert lines == ["svgm fit a.ply -o a.npz --like b.npz", "svgm fly --far", "svgm fit --wings", "svgm --help"]
    assert [complaint for line in lines for complaint in complaints(line)] == [
        "svgm fly --far: there is no such command",
        "svgm fit --wings: --help does not know --wings",
    ]


@pytest.mark.parametrize("page", [p for p in PAGES if any(b.language == "python" for b in blocks(p))], ids=name)
def test_python_on_a_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    left_out = run_python(page)
    if left_out:
        pytest.skip("; ".join(left_out))


@pytest.mark.parametrize("page", [page for page in PAGES if command_lines(page)], ids=name)
def test_commands_on_a_page_exist(page: Path) -> None:
    assert [complaint for line in command_lines(page) for complaint in complaints(line)] == []


def test_the_rooms_a_user_meets_have_a_page() -> None:
    rooms = ["io", "io.trajectory", "io.g2o", "io.carmen", "rigid", "datasets", "view"]
    rooms += ["geometry.scale", "geometry.thinning"]
    pages = "\n".join(page.read_text(encoding="utf-8") for page in (DOCS / "reference").glob("*.md"))
    assert [room for room in rooms if f"::: svgm.{room}\n" not in pages] == []


def test_everything_public_has_an_example() -> None:
    assert sorted(without_example()) == []


def test_everything_public_has_a_place_in_the_reference(site: Path) -> None:
    ids = {key for page in (site / "reference").glob("*.html") for key in Asked(page).ids if key.startswith("svgm.")}
    there = [shown(key) for key in ids]
    missing = [path for path, thing in public().items() if not any(thing is other for other in there)]
    assert missing == []
