"""Which paragraphs of a Word file are headings, and of what rank."""

import re
from collections.abc import Mapping

from gdrive_rag_mcp.extraction.ooxml import (
    Element,
    attribute,
    child,
    local_name,
    value,
    whole_number,
)

TITLE_LEVEL = 0
_BODY_LEVEL = 9
"""Word writes outline level 9 for "body text"; 0 to 8 are headings 1 to 9."""

_NO_HEADING = -1
_MAX_CHAIN = 20
_TITLE_STYLES = frozenset(
    {
        "title",
        "titel",
        "titre",
        "título",
        "titolo",
        "제목",
        "標題",
        "标题",
        "表題",
        "tiêu đề",
        "название",
    }
)
_HEADING_STYLE = re.compile(
    r"(?:heading|überschrift|titre|título|titolo|kop|rubrik|overskrift|nagłówek|заголовок|otsikko"
    r"|başlık|nadpis|címsor"
    r"|제목|개요|見出し|标题|標題|đầu đề|tiêu đề|عنوان|כותרת|หัวเรื่อง)\s*([1-9])$"
)


class Styles:
    """The paragraph styles of a file, as far as headings and numbering go."""

    def __init__(self, root: Element | None) -> None:
        styles = [] if root is None else [each for each in root if local_name(each) == "style"]
        self._styles: Mapping[str, Element] = {attribute(s, "styleId") or "": s for s in styles}

    def heading_level(self, properties: Element | None) -> int | None:
        """0 for a title, 1 to 9 for a heading, nothing for other paragraphs.

        The paragraph's own outline level wins over that of its style and of what that is based on.
        """
        levels = [_outline_level(value(properties, "outlineLvl"))]
        levels += map(_style_level, self._chain(value(properties, "pStyle")))
        level = next((each for each in levels if each is not None), _NO_HEADING)
        return level if level != _NO_HEADING else None

    def numbering(self, properties: Element | None) -> Element | None:
        """The `numPr` that holds for a paragraph: its own, or that of its style."""
        own = child(properties, "numPr")
        if own is not None:
            return own
        for style in self._chain(value(properties, "pStyle")):
            inherited = child(style, "pPr", "numPr")
            if inherited is not None:
                return inherited
        return None

    def _chain(self, name: str | None) -> list[Element]:
        """A style and what it is based on; bounded, as damaged files go round in circles."""
        chain: list[Element] = []
        while name and name in self._styles and len(chain) < _MAX_CHAIN:
            style = self._styles[name]
            chain.append(style)
            name = value(style, "basedOn")
        return chain


def _outline_level(raw: str | None) -> int | None:
    """Word's level 0 to 8 as 1 to 9; body text as `_NO_HEADING`."""
    if raw is None:
        return None
    level = whole_number(raw, _BODY_LEVEL, _BODY_LEVEL)
    return level + 1 if level < _BODY_LEVEL else _NO_HEADING


def _style_level(style: Element) -> int | None:
    level = _outline_level(value(style, "pPr", "outlineLvl"))
    if level is not None:
        return level
    for name in (value(style, "name"), attribute(style, "styleId")):
        lowered = (name or "").strip().lower()
        if lowered in _TITLE_STYLES:
            return TITLE_LEVEL
        numbered = _HEADING_STYLE.match(lowered)
        if numbered:
            return int(numbered[1])
    return None
