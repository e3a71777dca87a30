"""A text reduced to its bones: folded letters and digits alone, with the way back to offsets.

However a quote is spaced, hyphenated, punctuated or marked, its bones are the same; so one search
for them finds every place where it can stand, at the speed of a plain text search.
"""

import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate

from gdrive_rag_mcp.domain import Span
from gdrive_rag_mcp.evidence.quote_forms import digit_of
from gdrive_rag_mcp.terms import fold

_BLOCK = 4096
"""Characters that are mapped back one by one when a find lies in them."""


class _Bones(dict[int, str | None]):
    """What is left of each character; None where it is nothing, which `translate` does fastest."""

    def __missing__(self, code: int) -> str | None:
        left = "".join(map(digit_of, filter(_is_bone, _apart(fold(chr(code))))))
        self[code] = left or None
        return self[code]


def _apart(folded: str) -> str:
    """Marks that stay are parted from their letters, since not every text has them joined."""
    return folded if "\uac00" <= folded <= "\ud7a3" else unicodedata.normalize("NFD", folded)


def _is_bone(sign: str) -> bool:
    return sign.isalnum() or unicodedata.category(sign).startswith("M")


_bones = _Bones()


def bones_of(text: str) -> str:
    """The folded letters, digits and remaining marks of a text."""
    return text.translate(_bones)


class Bones:
    """The bones of a long text."""

    def __init__(self, text: str) -> None:
        self._text = text
        blocks = [bones_of(text[at : at + _BLOCK]) for at in range(0, len(text), _BLOCK)]
        self.letters = "".join(blocks)
        self._starts = list(accumulate(map(len, blocks), initial=0))
        self._ends: dict[int, list[int]] = {}

    def places(self, bones: str, start: int = 0) -> Iterator[int]:
        """Where these bones stand, from offset `start` of the text on; places may overlap."""
        at = self.letters.find(bones, self.before(start))
        while at >= 0:
            yield at
            at = self.letters.find(bones, at + 1)

    def span(self, at: int, length: int) -> Span:
        """The place in the text that so many bones come from."""
        return Span(self._offset(at), self._offset(at + length - 1) + 1)

    def before(self, offset: int) -> int:
        """How many bones come before an offset of the text."""
        block = min(offset // _BLOCK, len(self._starts) - 1)
        inside = self._text[block * _BLOCK : offset]
        return self._starts[block] + len(bones_of(inside))

    def _offset(self, at: int) -> int:
        # An empty block begins where the next one does; the bone is in the last of them.
        block = bisect_right(self._starts, at) - 1
        ends = self._ends.get(block)
        if ends is None:
            text = self._text[block * _BLOCK : (block + 1) * _BLOCK]
            ends = self._ends[block] = list(accumulate(len(_bones[ord(s)] or "") for s in text))
        return block * _BLOCK + bisect_right(ends, at - self._starts[block])
