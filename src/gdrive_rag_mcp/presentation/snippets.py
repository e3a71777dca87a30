"""A passage on one line of a terminal: the part of it that has most of the question."""

import re
from collections.abc import Mapping, Sequence

from gdrive_rag_mcp.cleaning import clean
from gdrive_rag_mcp.domain import TermStatistics
from gdrive_rag_mcp.terms import tokens

SNIPPET_CHARS = 320
_LEAD_CHARS = 60
_PIECE = re.compile(r"\S{1,24}")


def one_line(text: str) -> str:
    """Text from elsewhere, such as a file's name, without line breaks or terminal controls."""
    return " ".join(clean(text).split())


def snippet(text: str, terms: Sequence[TermStatistics] = ()) -> str:
    """At most `SNIPPET_CHARS` of a text, from shortly before where the terms stand closest."""
    line = one_line(text)
    if len(line) <= SNIPPET_CHARS:
        return line
    first = _densest(line, {form: term.idf for term in terms if term.key for form in term.forms})
    start = line.rfind(" ", 0, max(0, first - _LEAD_CHARS)) + 1
    start = min(start, len(line) - SNIPPET_CHARS)
    shown = line[start : start + SNIPPET_CHARS].strip()
    before, after = "… " if start else "", " …" if start + SNIPPET_CHARS < len(line) else ""
    return f"{before}{shown}{after}"


def _densest(line: str, weights: Mapping[str, float]) -> int:
    """Where the stretch begins that holds the weightiest distinct words; 0 if none does."""
    found = [
        (piece.start(), token)
        for piece in _PIECE.finditer(line)
        for token in tokens(piece.group())
        if token in weights
    ]
    best, best_weight = 0, 0.0
    for at, (start, _) in enumerate(found):
        near = {token for place, token in found[at:] if place - start < SNIPPET_CHARS - _LEAD_CHARS}
        weight = sum(weights[token] for token in near)
        if weight > best_weight:
            best, best_weight = start, weight
    return best
