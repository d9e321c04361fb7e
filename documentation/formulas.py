"""MkDocs hook: LaTeX becomes MathML while the site is built, so that no page needs a script to show a formula.

The Markdown extension ``pymdownx.arithmatex`` finds the formulas and leaves them as ``\\(...\\)`` and ``\\[...\\]``.
"""

from __future__ import annotations

import html
import re
from typing import Any

from latex2mathml.converter import convert

FORMULA = re.compile(
    r'<(?P<tag>span|div) class="arithmatex">\\(?P<bracket>[(\[])(?P<latex>.*?)\\[)\]]</(?P=tag)>', flags=re.DOTALL
)


def on_page_content(content: str, **_: Any) -> str:
    """Replace every formula of a page's HTML."""
    return FORMULA.sub(_mathml, content)


def _mathml(formula: re.Match[str]) -> str:
    block = formula["bracket"] == "["
    mathml: str = convert(html.unescape(formula["latex"]).strip(), display="block" if block else "inline")
    return f'<div class="formula">{mathml}</div>' if block else mathml
