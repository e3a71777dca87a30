"""What is embedded above a chunk's own text: title, headings, a table's header row; kept short."""

from collections.abc import Sequence
from dataclasses import dataclass

from gdrive_rag_mcp.chunking.cutting import pieces
from gdrive_rag_mcp.chunking.reading import Reading
from gdrive_rag_mcp.chunking.tokens import estimate_tokens

_ELLIPSIS = "…"


@dataclass(frozen=True, slots=True)
class Lead:
    """The parts of a lead, and what they cost together in estimated tokens."""

    title: str
    headings: tuple[str, ...]
    context: str
    tokens: int


def fit_lead(title: str, headings: Sequence[str], context: str, limit: int) -> Lead:
    """Shorten what is too long: title and headings may take a third each, the context the rest."""
    title = shorten(title, limit // 3)
    headings = _innermost(headings, limit // 3)
    used = estimate_tokens(title) + _path_tokens(headings)
    context = shorten(context, limit - used)
    return Lead(title, headings, context, used + estimate_tokens(context))


def shorten(text: str, limit: int) -> str:
    """The start of a text, marked with `…` where it was cut; empty if not even that has room."""
    if estimate_tokens(text) <= limit:
        return text
    room = limit - estimate_tokens(_ELLIPSIS)
    if room < 1:
        return ""
    start = text[: next(pieces(Reading(text), 0, len(text), room))].rstrip()
    return start + _ELLIPSIS if estimate_tokens(start) <= room else ""


def _innermost(headings: Sequence[str], limit: int) -> tuple[str, ...]:
    """The most specific headings that fit, at least a part of the last one."""
    kept: tuple[str, ...] = ()
    for heading in reversed(headings):
        longer = (heading, *kept)
        if _path_tokens(longer) > limit:
            break
        kept = longer
    if headings and not kept:
        kept = tuple(filter(None, [shorten(headings[-1], limit)]))
    return kept


def _path_tokens(headings: Sequence[str]) -> int:
    return estimate_tokens(" > ".join(headings))
