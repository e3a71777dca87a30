"""What is embedded above a chunk's own text: title, headings, a table's header row; kept short."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from gdrive_rag_mcp.chunking.cutting import pieces
from gdrive_rag_mcp.chunking.reading import Reading
from gdrive_rag_mcp.chunking.tokens import as_tokens, estimate_tokens, measure

_ELLIPSIS = "…"
_ARROW = " > "


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
    used = _tokens(title) + _path_tokens(headings)
    context = shorten(context, limit - used)
    return Lead(title, headings, context, used + _tokens(context))


def shorten(text: str, limit: int) -> str:
    """The start of a text, marked with `…` where it was cut; empty if not even that has room."""
    if _tokens(text) <= limit:
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
    """The estimate of a path, from its parts: blanks part them, so their costs add up."""
    if not headings:
        return 0
    return as_tokens(sum(map(_cost, headings)) + (len(headings) - 1) * _cost(_ARROW))


@lru_cache(maxsize=1024)
def _cost(text: str) -> int:
    """What a title or heading costs; one stands above many chunks."""
    return measure(text)


def _tokens(text: str) -> int:
    return as_tokens(_cost(text)) if text else 0
