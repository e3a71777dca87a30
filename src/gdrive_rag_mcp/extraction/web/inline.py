"""Puts running text together as a browser shows it: blanks folded, lines broken where told."""

import re

from gdrive_rag_mcp.extraction.building import one_line
from gdrive_rag_mcp.extraction.web.nodes import (
    NOTHING,
    TEXT,
    Node,
    is_block,
    kind_of,
    text_of,
    walk,
)

# The blanks of HTML, and the one that only keeps lines together.
_BLANKS = re.compile("[ \t\n\r\f\xa0]+")
_SPACES = re.compile(" {2,}")
_AROUND_LINE_END = re.compile(" ?\n ?")
_GAPS = re.compile("\n{2,}")
_APART = frozenset({"button", "option", "optgroup", "select", "label", "text", "title"})
_TYPED = re.compile("(?i)hidden|password|checkbox|radio|file|image|color|range")
_FILE_NAME = re.compile(
    r"(?i)\.(?:jpe?g|png|gif|svg|webp|bmp|tiff?|avif|ico)$|^(?:https?|data|cid):"
)
_MIN_WIDE = 5
_CHECKED = {True: "[x] ", False: "[ ] "}
# A box without words works a menu and says nothing.
_SAYS_NOTHING = frozenset({"", "[x]", "[ ]"})


class RunningText:
    """Collects inline elements and text; `take` gives it, finished, and starts anew."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._after_link = False
        self._raised = False

    def add(self, text: str) -> None:
        """Text as it stands in the markup."""
        folded = _BLANKS.sub(" ", text)
        if not folded:
            return
        if self._raised and folded.strip():
            self._raised = False
            if folded[0].isdigit() and self._last().isalnum():
                self._pieces.append("^")  # ten to the sixth is not 106, nor is a note's mark
        self._pieces.append(folded)
        self._after_link = False

    def enter(self, node: Node, kind: str) -> bool:
        """An inline element begins; returns whether to go inside."""
        if kind == "br":
            self._pieces.append("\n")
        elif kind == "img":
            self.add(_picture(node))
        elif kind == "input":
            self.add(_typed(node))
        elif kind == "math":
            self.add(f" {_formula(node)} ")
            return False
        elif kind in _APART or (kind == "a" and self._after_link):
            self.add(" ")
        elif kind == "sup":
            self._raised = True
        return True

    def leave(self, kind: str) -> None:
        """An inline element ends."""
        self._raised = False
        if kind in _APART:
            self.add(" ")
        elif kind == "a":
            self._after_link = True

    def take(self) -> list[str]:
        """The paragraphs so far; two line ends in a row part them."""
        text = _AROUND_LINE_END.sub("\n", _SPACES.sub(" ", "".join(self._pieces)))
        self._pieces.clear()
        self._after_link = self._raised = False
        parts = map(str.strip, _GAPS.split(text))
        return [part for part in parts if part not in _SAYS_NOTHING]

    def _last(self) -> str:
        return self._pieces[-1][-1:] if self._pieces else ""


def flat_text(node: Node) -> str:
    """All that shows below an element, in one line."""
    running = RunningText()

    def enters(each: Node) -> bool:
        kind = kind_of(each)
        if kind == TEXT:
            running.add(text_of(each))
            return False
        if kind == NOTHING:
            return False
        if is_block(kind):
            running.add(" ")
            return True
        return running.enter(each, kind)

    for ended in walk(node, enters):
        kind = kind_of(ended)
        if is_block(kind):
            running.add(" ")
        else:
            running.leave(kind)
    return " ".join(" ".join(running.take()).split())


def lines_of(node: Node) -> list[str]:
    """Text set in lines, as it stands."""
    pieces: list[str] = []

    def enters(each: Node) -> bool:
        kind = kind_of(each)
        if kind == TEXT:
            pieces.append(text_of(each))
        elif kind == "br" or is_block(kind):
            pieces.append("\n")
        return kind not in {TEXT, NOTHING}

    for ended in walk(node, enters):
        if is_block(kind_of(ended)) and pieces[-1:] != ["\n"]:
            pieces.append("\n")
    return "".join(pieces).split("\n")


def _picture(image: Node) -> str:
    """What stands for a picture, if it tells more than that there is one."""
    said = one_line(image.attributes.get("alt") or "", 1_000)
    tells = " " in said or (len(said) >= _MIN_WIDE and not said.isascii())
    return f" [Image: {said}] " if tells and not _FILE_NAME.search(said) else ""


def _formula(math: Node) -> str:
    """A formula as its author typed it, or its parts: one over two must not read as twelve."""
    annotation = math.css_first('annotation[encoding*="tex"]')
    typed = math.attributes.get("alttext") or (annotation.text() if annotation else "")
    return typed or " ".join(_tokens(math))


def _tokens(math: Node) -> list[str]:
    tokens: list[str] = []

    def enters(node: Node) -> bool:
        kind = kind_of(node)
        if kind == TEXT:
            tokens.append(text_of(node))
        return kind not in {TEXT, NOTHING}

    for _ in walk(math, enters):
        pass
    return tokens


def _typed(field: Node) -> str:
    """What a field of a form holds."""
    attributes = field.attributes
    sort = (attributes.get("type") or "text").lower()
    if sort in {"checkbox", "radio"}:
        return _CHECKED["checked" in attributes]
    return "" if _TYPED.fullmatch(sort) else f" {attributes.get('value') or ''} "
