"""Finds the place that comes nearest to a quote which stands nowhere as it is given.

Stretches of the quote's bones that are rare in the document point to where it could stand; there
the words of both are aligned. The cost grows with the document once for each stretch, and with the
quote's length in a few windows only.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from heapq import nlargest
from itertools import islice

from gdrive_rag_mcp.domain import Difference, DifferenceKind, QuoteMatch, QuoteVerdict, Span
from gdrive_rag_mcp.evidence.quote_bones import Bones
from gdrive_rag_mcp.evidence.quote_words import Token, difference, tokens_of
from gdrive_rag_mcp.terms import fold, language_of

NEAR_FROM = 0.65
"""The similarity from which a place is near; `benchmarks/verify_quotes.py` measures it."""
_LONG, _SHORT = (14, 5), (6, 2)
"""Bones of a stretch, in scripts with and without blanks; the short where the long find none."""
_SHORTEST = (3, 2)
_MOST_STRETCHES = 48
_MOST_FINDS = 200
_WINDOWS = 4
_SLACK = 24
_CHANGED_NUMBER = 0.5
"""How much of a number counts that stands in another number's place."""
_RESEMBLING, _LONGEST_RESEMBLING = 0.7, 30
"""The share of letters from which a word in another's place counts, as in lawful, unlawful."""
_CLOSE_BY = 2
_GAP_COST = 0.5
"""What each letter between two stretches of alike words takes off them."""
_LONGEST_LANGUAGE_SAMPLE = 2_000


@dataclass(frozen=True, slots=True)
class _Find:
    """Where the whole quote would begin, in bones, if this stretch of it is where it was found."""

    begins: int
    stretch: int
    weight: float


def nearest(text: str, bones: Bones, quote: str) -> QuoteMatch | None:
    """The place whose words are most like the quote's, or None where none is near."""
    words = tokens_of(quote)
    best: QuoteMatch | None = None
    for lengths in (_LONG, _SHORT):
        for window in _windows(bones, words, lengths):
            found = _compared(text, window, quote, words)
            if found and (best is None or found.similarity > best.similarity):
                best = found
        if best is not None:
            break
    return best


# ── where to look ────────────────────────────────────────────────────────────


def _windows(bones: Bones, words: Sequence[Token], lengths: tuple[int, int]) -> list[Span]:
    """The places where the rarest stretches of a quote stand in a row, the likeliest first."""
    whole = "".join(word.bones for word in words)
    slack = _SLACK + len(whole) // 4
    finds = sorted(_finds(bones, words, whole, lengths), key=lambda find: find.begins)
    chosen: list[tuple[float, int, int]] = []
    for weight, first, last in nlargest(_WINDOWS * 4, _clusters(finds, slack)):
        if all(last < begins - slack or first > ends + slack for _, begins, ends in chosen):
            chosen.append((weight, first, last))
    return [
        _window(bones, first - slack, last + len(whole) + slack)
        for _, first, last in chosen[:_WINDOWS]
    ]


def _window(bones: Bones, start: int, end: int) -> Span:
    start, end = max(0, start), min(end, len(bones.letters))
    return bones.span(start, end - start)


def _finds(
    bones: Bones, words: Sequence[Token], whole: str, lengths: tuple[int, int]
) -> Iterator[_Find]:
    for at, stretch in _stretches(words, whole, lengths):
        places = list(islice(bones.places(stretch), _MOST_FINDS))
        for place in places:
            yield _Find(place - at, at, len(stretch) / len(places))


def _stretches(
    words: Sequence[Token], whole: str, lengths: tuple[int, int]
) -> list[tuple[int, str]]:
    """Stretches of the bones that begin where a word does, evenly chosen where there are many."""
    found: list[tuple[int, str]] = []
    at = 0
    for word in words:
        length, shortest = lengths[word.unspaced], _SHORTEST[word.unspaced]
        stretch = whole[at : at + max(length, len(word.bones) if len(words) == 1 else 0)]
        if word.bones and len(stretch) >= shortest:
            found.append((at, stretch))
        at += len(word.bones)
    step = max(1, len(found) / _MOST_STRETCHES)
    return [found[int(number * step)] for number in range(int(len(found) / step))]


def _clusters(finds: Sequence[_Find], slack: int) -> Iterator[tuple[float, int, int]]:
    """Runs of finds that agree on where the quote begins, give or take: (weight, first, last)."""
    inside: Counter[int] = Counter()
    weights: dict[int, float] = {}
    first = 0
    for find in finds:
        inside[find.stretch] += 1
        weights[find.stretch] = find.weight
        while find.begins - finds[first].begins > slack:
            inside[finds[first].stretch] -= 1
            first += 1
        weight = sum(weights[stretch] for stretch, number in inside.items() if number)
        yield weight, finds[first].begins, find.begins


# ── what stands there ────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class _Stretch:
    """Words from..to of the quote, and those of the document that stand for them."""

    alike: bool
    quote: slice
    document: slice


def _compared(text: str, window: Span, quote: str, words: Sequence[Token]) -> QuoteMatch | None:
    there = tokens_of(text, window.start, window.end)
    stretches = _aligned(words, there)
    if not stretches:
        return None
    place = there[stretches[0].document.start : stretches[-1].document.stop]
    sample = text[window.start : window.end][:_LONGEST_LANGUAGE_SAMPLE]
    language = language_of(sample)
    differences = tuple(
        difference(words[part.quote], there[part.document], (quote, text), language)
        for part in stretches
        if not part.alike
    )
    similarity = _similarity(stretches, words, there, differences)
    if similarity < NEAR_FROM:
        return None
    if not differences:  # the same words, and yet not the same
        spaced = text[place[0].start : place[-1].end]
        differences = (Difference(DifferenceKind.SPACING, quote, spaced),)
    return QuoteMatch(
        QuoteVerdict.NEAR,
        places=(Span(place[0].start, place[-1].end),),
        differences=differences,
        similarity=similarity,
    )


def _weight(tokens: Sequence[Token]) -> int:
    return sum(token.weight for token in tokens)


def _similarity(
    stretches: Sequence[_Stretch],
    words: Sequence[Token],
    there: Sequence[Token],
    differences: Sequence[Difference],
) -> float:
    """Twice the letters of words in common over the letters of both, 0 to 1 (Dice)."""
    common = float(sum(_weight(words[part.quote]) for part in stretches if part.alike))
    for changed in differences:
        common += _resemblance(changed) * min(len(changed.quote), len(changed.document))
    place = there[stretches[0].document.start : stretches[-1].document.stop]
    both = _weight(words) + _weight(place)
    return min(1.0, 2 * common / both) if both else 0.0


def _resemblance(changed: Difference) -> float:
    """How much of a changed word counts as being there, 0 to 1."""
    if not changed.quote or not changed.document:
        return 0.0
    if max(len(changed.quote), len(changed.document)) <= _LONGEST_RESEMBLING:
        ratio = SequenceMatcher(None, fold(changed.quote), fold(changed.document)).ratio()
        if ratio >= _RESEMBLING:
            return ratio
    numbers = changed.kind is DifferenceKind.NUMBER and _one_each(changed)
    return _CHANGED_NUMBER if numbers else 0.0


def _one_each(changed: Difference) -> bool:
    sides = [tokens_of(side) for side in (changed.quote, changed.document)]
    return all(len(side) == 1 or all(token.text.isnumeric() for token in side) for side in sides)


def _aligned(words: Sequence[Token], there: Sequence[Token]) -> list[_Stretch]:
    """The quote's words beside those of the document, alike and otherwise, in order."""
    runs = _connected(_alike(words, there, 0), words, there)
    if not runs:
        return []
    # A word at an end may have been taken for the same one far away: look again close by.
    before, after = runs[0].quote.start, len(words) - runs[-1].quote.stop
    begins = max(0, runs[0].document.start - 2 * before - _CLOSE_BY)
    ends = runs[-1].document.stop + 2 * after + _CLOSE_BY
    closer = _connected(_alike(words, there[begins:ends], begins), words, there)
    return list(_with_what_differs(closer or runs, words, there))


def _alike(words: Sequence[Token], there: Sequence[Token], offset: int) -> list[_Stretch]:
    """Stretches of words in common; `there` begins at the document's token `offset`."""
    matcher = SequenceMatcher(None, [token.key for token in words], [token.key for token in there])
    return [
        _Stretch(True, slice(a, a + size), slice(offset + b, offset + b + size))
        for a, b, size in matcher.get_matching_blocks()
        if size
    ]


def _connected(
    runs: Sequence[_Stretch], words: Sequence[Token], there: Sequence[Token]
) -> list[_Stretch]:
    """The best run of stretches, without stray words far from the others."""
    best, best_score, score, first = (0, 0), 0.0, 0.0, 0
    for number, run in enumerate(runs):
        gain = _weight(words[run.quote])
        gap = 0.0
        if number:
            between = there[runs[number - 1].document.stop : run.document.start]
            gap = _GAP_COST * _weight(between)
        if score - gap <= 0:
            score, first, gap = 0.0, number, 0.0
        score += gain - gap
        if score > best_score:
            best, best_score = (first, number + 1), score
    return list(runs[slice(*best)])


def _with_what_differs(
    runs: Sequence[_Stretch], words: Sequence[Token], there: Sequence[Token]
) -> Iterator[_Stretch]:
    """The stretches with what lies between them, and with what stands in place of the ends."""
    lead = runs[0].quote.start
    begins = _opening(there, runs[0].document.start, lead)
    at_word, at_there = 0, begins
    for run in runs:
        between = _Stretch(
            False, slice(at_word, run.quote.start), slice(at_there, run.document.start)
        )
        if between.quote.stop > between.quote.start or between.document.stop > at_there:
            yield between
        yield run
        at_word, at_there = run.quote.stop, run.document.stop
    if at_word < len(words):
        ends = _closing(there, at_there, len(words) - at_word)
        yield _Stretch(False, slice(at_word, len(words)), slice(at_there, ends))


def _opening(there: Sequence[Token], at: int, room: int) -> int:
    """From where the words stand that take the place of the quote's first ones."""
    start = at
    while start > 0 and at - start < room and not there[start - 1].ends_sentence:
        start -= 1
    return start


def _closing(there: Sequence[Token], at: int, room: int) -> int:
    """Up to where the words stand that take the place of the quote's last ones."""
    end = at
    while end < len(there) and end - at < room:
        end += 1
        if there[end - 1].ends_sentence:
            break
    return end
