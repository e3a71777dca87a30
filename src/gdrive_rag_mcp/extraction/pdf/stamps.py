"""Tells scans on which someone has stamped a few words from pages whose few words are their text.

Both are a picture with short text on it. What stands in the margins is a stamp, and so is what
comes again on most of such pages, counted or not: a number, an envelope of signatures, a watermark.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from gdrive_rag_mcp.extraction.pdf.page import Page, PageProblem

_DIGITS = re.compile(r"\d+")
_SURELY_TEXT = 20
"""Letters: less, alone in its document, may be a title, and may be a stamp, or digits in a form."""


def with_stamps_told(pages: Iterable[Page]) -> list[Page]:
    """The pages of a document, stamped scans among them as such that need OCR."""
    known = list(pages)
    own = _own_text(known)
    unread = sum(page.problem is PageProblem.NO_TEXT_LAYER for page in known)
    titled = sum(map(bool, own.values()))
    are_slides = titled > 1 and 2 * titled >= len(own) + unread
    return [
        page if page.number not in own else _told(page, own[page.number], are_slides=are_slides)
        for page in known
    ]


def _told(page: Page, own: str, *, are_slides: bool) -> Page:
    if own and (are_slides or sum(map(str.isalpha, own)) >= _SURELY_TEXT):
        return page
    return replace(page, problem=PageProblem.NO_TEXT_LAYER, is_stamp=not own)


def _own_text(pages: Sequence[Page]) -> dict[int, str]:
    """By the number of each picture with text on it: what it says that is no stamp."""
    lines = {page.number: page.over_picture for page in pages if page.over_picture is not None}
    count = Counter(same for each in lines.values() for same in set(map(_alike, each)))
    return {
        number: " ".join(line for line in each if not 1 < count[_alike(line)] >= len(lines) / 2)
        for number, each in lines.items()
    }


def _alike(line: str) -> str:
    return _DIGITS.sub("0", "".join(line.split()))
