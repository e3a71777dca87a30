"""Finds paragraphs in the wrapped lines of a page; the lines themselves stay as they are."""

import re
from collections.abc import Iterator

_LINE_ENDS = re.compile("\r\n?")
_BROKEN_WORD = re.compile("\ufffe\n?")
_SENTENCE_ENDS = tuple('.!?:;。！？：；…"”»)')
_BULLET = re.compile(
    r"\s*(?:[•‣▪●○■□–—·*-]\s|\(?\d{1,3}[.)]\s|\(?[a-z][.)]\s|제\s?\d+\s?조|第.{1,6}[条條章]|§)"
)
_SHORT = 0.75
_LARGE = 0.8
"""Nearly all lines of a page are shorter than its longest few; this share sets its width."""


def page_paragraphs(text: str) -> Iterator[str]:
    """Cut a page where a sentence ends on a short line, at blank lines and before bullets.

    pdfium marks a word broken at a line end with U+FFFE between its halves; they are joined.
    """
    lines = _BROKEN_WORD.sub("", _LINE_ENDS.sub("\n", text)).split("\n")
    width = _width(lines)
    paragraph: list[str] = []
    for line in lines:
        if paragraph and (_BULLET.match(line) or not line.strip()):
            yield "\n".join(paragraph)
            paragraph = []
        paragraph.append(line)
        if _ends_paragraph(line, width):
            yield "\n".join(paragraph)
            paragraph = []
    yield "\n".join(paragraph)


def _width(lines: list[str]) -> int:
    lengths = sorted(len(line.rstrip()) for line in lines if line.strip())
    return lengths[int(len(lengths) * _LARGE)] if lengths else 0


def _ends_paragraph(line: str, width: int) -> bool:
    stripped = line.rstrip()
    return stripped.endswith(_SENTENCE_ENDS) and len(stripped) < _SHORT * width
