"""Why a file that the conformance run reads is other than its index says, kept by hand.

A miss that is not here, and an entry here without a miss, are both errors of the run. So is a page,
sheet or slide of which nothing is said, unless it is known to be blank.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Cause:
    """Why a file misses; `ours` tells a fault of a reader from one of the index."""

    why: str
    ours: bool = True


def _index(why: str) -> Cause:
    return Cause(why, ours=False)


_BLANK = "the file's XML holds no text at all, so that `no_text` is what there is to say"

CAUSES: Mapping[str, Cause] = {
    "pdf-jpn__pdf.js__noembed-sjis.pdf": _index(
        "the page has text, in a Japanese font that is not embedded; its characters are read"
    ),
    "pdf-bad__pdf.js__issue9418.pdf": _index("damaged, but its page can be read, and is"),
    "pdf-bad__pdf.js__poppler-67295-0.pdf": _index("damaged, but its page can be read, and is"),
    "docx-table__poi__TestTableColumns.docx": _index(_BLANK),
    "docx-table__python-docx__blk-containing-table.docx": _index(_BLANK),
    "xlsx-merge__poi__57893-many-merges.xlsx": _index(_BLANK),
    "html__markitdown__test_wikipedia.html": _index(
        "`callParserFunction` stands in a comment and in a script of the page, which nobody sees"
    ),
    "pptx__poi__SmartArt.pptx": _index(
        "its slide and its diagram hold no text, only its layouts do"
    ),
    "pptx__tika__testPPT_various.pptx": _index(
        "`ThisGothic` is no word of the deck, where the two words stand in different lines: the "
        "truth is from a picture of the slide, on which they touch"
    ),
}

BLANK: Mapping[str, int] = {"pptx__python-pptx__sld-notes.pptx": 1}
"""How many pages, sheets or slides of a file hold no text at all, as its own XML shows."""
