"""A text with what cutting it asks again and again: what slices cost, and where lines run on."""

import re

from gdrive_rag_mcp.chunking.tokens import Costs
from gdrive_rag_mcp.domain.running_text import WrappedLines

# Two patterns, since one that begins with a single character is searched for far faster.
_HYPHEN_END = re.compile("-[ ]*\n")
_OTHER_HYPHEN_END = re.compile("\u2010[ ]*\n")


class Reading:
    """A text, the cost of its slices, and its wrapped lines; all in the text's own offsets."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.costs = Costs(text, dearer=_hyphen_ends(text))
        self.lines = WrappedLines(text)


def _hyphen_ends(text: str) -> list[int]:
    """Where a hyphen ends a line: read without its end, the word behind the hyphen costs more."""
    found = [match.end() - 1 for match in _HYPHEN_END.finditer(text)]
    if "\u2010" in text:
        found += [match.end() - 1 for match in _OTHER_HYPHEN_END.finditer(text)]
    return found
