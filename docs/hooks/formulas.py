"""MkDocs hook: LaTeX becomes MathML when the site is built, so no page needs a script to show a formula.

The Markdown extension ``pymdownx.arithmatex`` finds the formulas and leaves them as ``\\(...\\)`` and ``\\[...\\]``.
"""

from __future__ import annotations

import html
import re
from typing import Any

from math_core import LatexError, LatexToMathML
from mkdocs.exceptions import PluginError

FORMULA = re.compile(
    r'<(?P<tag>span|div) class="arithmatex">\\(?P<bracket>[(\[])(?P<latex>.*?)\\[)\]]</(?P=tag)>', flags=re.DOTALL
)


def on_page_content(content: str, page: Any, **_: Any) -> str:
    """Replace every formula of a page's HTML; a formula that cannot be parsed ends the build."""
    # Equations are numbered by page.
    converter = LatexToMathML()

    def mathml(formula: re.Match[str]) -> str:
        block, latex = formula["bracket"] == "[", html.unescape(formula["latex"]).strip()
        try:
            shown: str = converter.convert_with_local_state(latex, displaystyle=block)
        except LatexError as error:
            raise PluginError(f"{page.file.src_uri}: {latex}: {error}") from None
        return f'<div class="formula">{shown}</div>' if block else shown

    return FORMULA.sub(mathml, content)
