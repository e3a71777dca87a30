"""Whether a document holds a quote: exactly, nearly or not at all, and where.

The quote is looked for character for character; then by its bones, which tolerates how it is spaced
and written; then in parts, where it marks omissions; and at last for what comes nearest.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice, pairwise

from gdrive_rag_mcp.cleaning import clean
from gdrive_rag_mcp.domain import (
    Difference,
    DifferenceKind,
    QuoteMatch,
    QuoteVerdict,
    Span,
)
from gdrive_rag_mcp.errors import QueryError
from gdrive_rag_mcp.evidence.quote_bones import Bones, bones_of
from gdrive_rag_mcp.evidence.quote_forms import ELLIPSIS, QUOTE_SIGNS, alike, overlooked
from gdrive_rag_mcp.evidence.quote_near import nearest
from gdrive_rag_mcp.evidence.quote_words import difference, straddling, tokens_of
from gdrive_rag_mcp.terms import FOLDED_MARKS, language_of

MAX_QUOTE_CHARACTERS = 50_000
PLACES_KEPT = 10
CUT_WORD, ELISION = "cut_word", "elision"
"""Tolerances beside those of writing: an end inside a word, and omissions that are marked."""
_MOST_PLACES = 100_000
_MOST_TOLERANT_PLACES = 20_000
_MOST_PARTS = 12
_MOST_PLACES_OF_A_PART = 1_000
_ABSENT = QuoteMatch(QuoteVerdict.ABSENT)
_DOTS = ELLIPSIS.pattern
_OMISSION = re.compile(rf"\s*(?:\[\s*(?:{_DOTS})\s*\]|\(\s*(?:{_DOTS})\s*\)|{_DOTS})\s*")
_ENCLOSED = re.compile(rf"\s*[{QUOTE_SIGNS}]+\s*(.+?)\s*[{QUOTE_SIGNS}]+\s*", re.DOTALL)
_MARKS_AFTER = re.compile(f"[{FOLDED_MARKS}]*")
_ROOM_FOR_EDGE = 8
"""Characters by which punctuation at an end may be longer in the document."""
_UNBEARABLE = frozenset((DifferenceKind.NUMBER, DifferenceKind.DATE, DifferenceKind.NEGATION))
"""What must not be cut off a word at a quote's end: 30 off 130, lawful off unlawful."""


def checked_quote(text: str) -> str:
    """Bring a quote to the form that documents are stored in.

    Raises:
        QueryError: nothing is left of it, or it is too long.
    """
    quote = clean(text).strip()
    if not quote:
        raise QueryError(
            "the quote is empty", hint="give the words that are said to stand in the document"
        )
    if len(quote) > MAX_QUOTE_CHARACTERS:
        raise QueryError(
            f"the quote has {len(quote):,} characters; the limit is {MAX_QUOTE_CHARACTERS:,}",
            hint="verify it in parts",
        )
    return quote


def verify(text: str, quote: str) -> QuoteMatch:
    """Look for a quote in a text; both are clean.

    >>> verify("Give notice of 60 days.", "notice of 30 days").differences
    (Difference(kind=<DifferenceKind.NUMBER: 'number'>, quote='30', document='60'),)
    """
    return _Searched(text).verify(quote)


@dataclass(slots=True)
class _Places:
    """The first places of a kind, and how many there are."""

    first: list[Span] = field(default_factory=list)
    count: int = 0

    def add(self, span: Span) -> None:
        self.count += 1
        if len(self.first) < PLACES_KEPT:
            self.first.append(span)


class _Searched:
    """A text in which a quote, or several parts of one, are looked for."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def _bones(self) -> Bones:
        return Bones(self._text)

    def verify(self, quote: str) -> QuoteMatch:
        found = self._standing(quote)
        if found:
            return found
        enclosed = _ENCLOSED.fullmatch(quote)
        if enclosed:
            quote = enclosed[1]
            if found := self._standing(quote):
                return _overlooking(found, "quotation_marks")
        parts = [part for part in _OMISSION.split(quote) if bones_of(part)]
        elided = self._in_parts(parts, quote) if len(parts) <= _MOST_PARTS else None
        if elided and elided.verdict is not QuoteVerdict.ABSENT:
            return elided
        return nearest(self._text, self._bones, quote) or elided or _ABSENT

    # ── where it stands ──────────────────────────────────────────────────────

    def _standing(self, quote: str, after: int = 0, most: int = _MOST_PLACES) -> QuoteMatch | None:
        """The quote as it is given, or as it may be written; within words only at last."""
        verbatim, verbatim_cut = self._told_apart(quote, islice(self._verbatim(quote, after), most))
        if verbatim.count:
            return self._exact(quote, verbatim)
        tolerant, tolerant_cut = self._told_apart(quote, islice(self._tolerant(quote, after), most))
        if tolerant.count:
            return self._exact(quote, tolerant)
        for cut in (verbatim_cut, tolerant_cut):
            if cut.count:
                return _overlooking(self._exact(quote, cut), CUT_WORD)
        return None

    def _exact(self, quote: str, places: _Places) -> QuoteMatch:
        first = places.first[0]
        found = self._text[first.start : first.end]
        return QuoteMatch(
            QuoteVerdict.EXACT,
            places=tuple(places.first),
            occurrences=places.count,
            tolerated=() if found == quote else overlooked(quote, found),
            similarity=1.0,
        )

    def _verbatim(self, quote: str, after: int) -> Iterator[Span]:
        at = self._text.find(quote, after)
        while at >= 0:
            yield Span(at, at + len(quote))
            at = self._text.find(quote, at + 1)

    def _tolerant(self, quote: str, after: int) -> Iterator[Span]:
        bones = bones_of(quote)
        if not bones:
            return
        lead, trail = _edges(quote)
        known: dict[str, bool] = {}
        for at in islice(self._bones.places(bones, after), _MOST_TOLERANT_PLACES):
            span = self._with_edges(self._bones.span(at, len(bones)), lead, trail)
            found = self._text[span.start : span.end]
            if found not in known:
                known[found] = alike(quote, found)
            if known[found]:
                yield span

    def _with_edges(self, span: Span, lead: str, trail: str) -> Span:
        """A place with the quote's first and last punctuation, as far as it is there."""
        text, start = self._text, span.start
        end = _MARKS_AFTER.match(text, span.end).end()  # type: ignore[union-attr] # may be empty
        if lead:
            room = range(min(start, len(lead) + _ROOM_FOR_EDGE) + 1)
            start -= next((n for n in room if alike(lead, text[start - n : start])), 0)
        if trail:
            room = range(min(len(text) - end, len(trail) + _ROOM_FOR_EDGE) + 1)
            end += next((n for n in room if alike(trail, text[end : end + n])), 0)
        return Span(start, end)

    def _told_apart(self, quote: str, spans: Iterator[Span]) -> tuple[_Places, _Places]:
        """Places at whole words, and those where no more than a part of a word is cut off."""
        whole, cut = _Places(), _Places()
        bearable: dict[tuple[str, str], bool] = {}
        for span in spans:
            ends = (self._cut_at(span.start), self._cut_at(span.end))
            if not any(ends):
                whole.add(span)
                continue
            if ends not in bearable:
                bearable[ends] = self._bearable(quote, span)
            if bearable[ends]:
                cut.add(span)
        return whole, cut

    def _cut_at(self, at: int) -> str:
        token = straddling(self._text, at)
        return token.text if token else ""

    def _bearable(self, quote: str, span: Span) -> bool:
        words = tokens_of(quote)
        sample = self._text[max(0, span.start - 500) : span.end + 500][:2_000]
        language = language_of(sample)
        for at, word in ((span.start, words[0]), (span.end, words[-1])):
            token = straddling(self._text, at)
            if token and (
                difference([word], [token], (quote, self._text), language).kind in _UNBEARABLE
            ):
                return False
        return True

    # ── in parts ─────────────────────────────────────────────────────────────

    def _in_parts(self, parts: Sequence[str], quote: str) -> QuoteMatch | None:
        """A quote with omissions; None where it marks none."""
        if not parts or parts == [quote]:
            return None
        if len(parts) == 1:
            found = self._standing(parts[0])
            return found and _overlooking(found, ELISION)
        found_parts = self._in_order(parts)
        if found_parts:
            return _joined(found_parts)
        apart = [
            self._standing(part, most=_MOST_PLACES_OF_A_PART)
            or nearest(self._text, self._bones, part)
            or _ABSENT
            for part in parts
        ]
        return _joined(apart, disordered=parts)

    def _in_order(self, parts: Sequence[str]) -> list[QuoteMatch]:
        """The parts one after the other, as close together as they stand; empty if they do not."""
        found: list[QuoteMatch] = []
        after = 0
        for part in parts:
            match = self._standing(part, after, _MOST_PLACES_OF_A_PART)
            if match is None:
                return []
            found.append(match)
            after = match.places[0].end
        for number in reversed(range(len(found) - 1)):
            place = found[number].places[0]
            before = found[number + 1].places[0].start
            found[number] = self._moved(found[number], place, before)
        return found

    def _moved(self, match: QuoteMatch, place: Span, before: int) -> QuoteMatch:
        """A part at the last place where the same text stands before an offset."""
        text = self._text[place.start : place.end]
        at = self._text.rfind(text, place.start, before)
        inside = any(straddling(self._text, end) for end in (at, at + len(text)))
        if at <= place.start or inside:
            return match
        return replace(match, places=(Span(at, at + len(text)),))


def _joined(parts: Sequence[QuoteMatch], disordered: Sequence[str] = ()) -> QuoteMatch:
    """What is to be said of a quote whose parts were looked for by themselves."""
    verdicts = {part.verdict for part in parts}
    tolerated = dict.fromkeys(name for part in parts for name in part.tolerated)
    together = QuoteMatch(
        QuoteVerdict.ABSENT,
        tolerated=(*tolerated, ELISION),
        parts=tuple(parts),
        similarity=sum(part.similarity for part in parts) / len(parts),
    )
    if QuoteVerdict.ABSENT in verdicts:
        return together
    places = [part.places[0] for part in parts]
    differences = [difference for part in parts for difference in part.differences]
    if any(left.end > right.start for left, right in pairwise(places)):
        differences.append(Difference(DifferenceKind.ORDER, " … ".join(disordered), ""))
    exact = not differences
    return replace(
        together,
        verdict=QuoteVerdict.EXACT if exact else QuoteVerdict.NEAR,
        places=(Span(min(p.start for p in places), max(p.end for p in places)),),
        occurrences=int(exact),
        differences=tuple(differences),
    )


def _overlooking(match: QuoteMatch, tolerance: str) -> QuoteMatch:
    return replace(match, tolerated=tuple(dict.fromkeys((*match.tolerated, tolerance))))


def _edges(quote: str) -> tuple[str, str]:
    """What stands before a quote's first letter or digit, and behind its last."""
    bony = [at for at, sign in enumerate(quote) if bones_of(sign)]
    end = _MARKS_AFTER.match(quote, bony[-1] + 1).end()  # type: ignore[union-attr] # may be empty
    return quote[: bony[0]], quote[end:]
