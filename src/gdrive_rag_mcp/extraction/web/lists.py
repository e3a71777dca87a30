"""Numbers the items of a page's lists as a browser shows them: letters, numerals, backwards.

Source: HTML Living Standard 4.4.5, 4.4.8 and 15.3.7 (`type`, `start`, `reversed`, `value`).
"""

import re
from collections.abc import Mapping

from gdrive_rag_mcp.extraction.numerals import counted_letters, numeral
from gdrive_rag_mcp.extraction.web.nodes import Node, children, kind_of

BULLET = "-"
_NUMBER = re.compile(r"\s*([+-]?[0-9]{1,5})(?![0-9])")
_FORMS = frozenset("aAiI1")
_STYLE = re.compile(
    r"(?i)(?:^|[;\s])list-style(?:-type)?\s*:[^;]*?\b(lower|upper)-(alpha|latin|roman)\b"
)
_STYLES: Mapping[str, str] = {"alpha": "a", "latin": "a", "roman": "i"}

Attributes = Mapping[str, str | None]


class ItemNumbers:
    """Counts the items of one list; they must be asked for in order."""

    def __init__(self, node: Node, *, is_ordered: bool) -> None:
        attributes = node.attributes
        self._is_ordered = is_ordered
        self._form = _form(attributes, "1")
        self._step = -1 if "reversed" in attributes else 1
        first = 1
        if is_ordered and self._step < 0:
            first = sum(kind_of(each) == "li" for each in children(node))
        self._next = _number(attributes, "start", first)

    def label(self, item: Node) -> str:
        """The bullet of the next item, or its number; counts it."""
        if not self._is_ordered:
            return BULLET
        attributes = item.attributes
        number = _number(attributes, "value", self._next)
        self._next = number + self._step
        return f"{numeral(number, _form(attributes, self._form), counted_letters)}."


def _number(attributes: Attributes, name: str, otherwise: int) -> int:
    found = _NUMBER.match(attributes.get(name) or "")
    return int(found[1]) if found else otherwise


def _form(attributes: Attributes, otherwise: str) -> str:
    """What the style says goes before what the type says."""
    style = _STYLE.search(attributes.get("style") or "")
    if style:
        form = _STYLES[style[2].lower()]
        return form.upper() if style[1].lower() == "upper" else form
    named = attributes.get("type") or ""
    return named if named in _FORMS else otherwise
