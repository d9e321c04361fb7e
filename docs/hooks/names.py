"""MkDocs hook: inline code that names something of the reference, such as ``svgm.fit(points)``, becomes a link."""

from __future__ import annotations

import re
from typing import Any

#: An element in which no link may be added, or a name as inline code.
NAME = re.compile(
    r"<(?P<tag>a|autoref|pre|h\d)\b.*?</(?P=tag)>|<code>(?P<path>svgm(?:\.[A-Za-z]\w*)+)(?P<call>\([^<]*\))?</code>",
    flags=re.DOTALL,
)


def on_page_content(content: str, **_: Any) -> str:
    """Wrap names in optional links: a name that the reference does not have stays code."""
    return NAME.sub(_link, content)


def _link(found: re.Match[str]) -> str:
    if found["path"] is None:
        return found[0]
    return f'<autoref optional identifier="{found["path"]}">{found[0]}</autoref>'
