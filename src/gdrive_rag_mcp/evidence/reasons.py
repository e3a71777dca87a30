"""Why evidence is not sufficient, so that whoever asked can do something about it."""

import math
from collections.abc import Callable, Mapping, Sequence

from gdrive_rag_mcp.domain import PhraseKind, Shortfall, VerdictReason, Weakness
from gdrive_rag_mcp.evidence.asked_signals import (
    answer_type_near,
    dates_held,
    entities_held,
    negation_agrees,
    numbers_held,
    opposites_agree,
)
from gdrive_rag_mcp.evidence.missing import words_lacking
from gdrive_rag_mcp.evidence.parts import Part, parts_of
from gdrive_rag_mcp.evidence.question_types import without_question_words
from gdrive_rag_mcp.evidence.reading import Reading
from gdrive_rag_mcp.evidence.signals import cosine_height
from gdrive_rag_mcp.terms import words

_MUCH = 0.2  # of the question's idf
_MOST = 0.5
_OF_A_PART = 0.5  # of its idf
_NEARLY_ALL = 0.6
"""Of the idf of a part that is said to be supported though much of the question stands nowhere."""
_BY_CHANCE = 0.2
"""Of the way from the question's background to a text like itself: so high reach chance hits."""
_SHOWN = 3
_Check = Callable[[Reading], bool]


def reason_for(reading: Reading, *, across: bool) -> VerdictReason:
    """Why the hits are not enough; a code that stands nowhere is a reason in any language.

    `across`: the nearest passage is in another language, where the question's words prove nothing;
    nor do function words, where it has no others.
    """
    if reading.missing_codes:
        return VerdictReason.TERMS_ABSENT
    if across or not any(term.key for term in reading.retrieved.statistics.terms):
        return VerdictReason.WEAK_MATCH
    much_missing = much_is_missing(reading)
    supported, unsupported = supported_parts(reading)
    if much_missing and supported:
        supported, _ = supported_parts(reading, _NEARLY_ALL)
    if supported and unsupported:
        return VerdictReason.PARTLY_SUPPORTED
    if much_missing:
        return VerdictReason.TERMS_ABSENT
    fullest = max(map(reading.weight, reading.held), default=0.0)
    if fullest >= _MOST and reading.weight(_unheld(reading)) >= _MUCH:
        return VerdictReason.PARTLY_SUPPORTED
    return VerdictReason.WEAK_MATCH


def leaves_a_question_open(reading: Reading) -> bool:
    """Whether one of several questions is covered, and another asks for what stands nowhere.

    It does where nothing in scope holds a word that it alone has, and no hit half of such words.
    Words that only the hits do not hold prove too little: an answer may have others. A member of an
    enumeration is no question of its own: "research and development" is one thing.
    """
    parts = parts_of(reading.retrieved.query.text, reading.asked.language)
    if len(parts) <= 1 or not all(part.clause for part in parts):
        return False
    places = [at for part in parts if (at := _places(part, reading))]
    covered = any(_is_covered(at, reading, _OF_A_PART) for at in places)
    return covered and any(_asks_for_the_unknown(at, places, reading) for at in places)


def _asks_for_the_unknown(
    part: frozenset[int], parts: Sequence[frozenset[int]], reading: Reading
) -> bool:
    own = part.difference(*(other for other in parts if other is not part))
    held = max((reading.weight(held & own) for held in reading.held), default=0.0)
    return not own <= reading.known and held < _OF_A_PART * reading.weight(own)


def much_is_missing(reading: Reading) -> bool:
    """Whether words that nothing in scope holds carry much of the question's weight."""
    return bool(reading.missing) and 1 - reading.weight(reading.known) >= _MUCH


def shortfall(reading: Reading, reason: VerdictReason, *, across: bool) -> Shortfall:
    """What the hits lack; of sufficient evidence, only which quotations stand nowhere.

    Of either, whether the nearest passage is in another language.
    """
    quotations = tuple(
        found.phrase.surface
        for found in reading.retrieved.statistics.phrases
        if found.phrase.kind is PhraseKind.QUOTATION and not found.chunks
    )
    if reason is VerdictReason.OK or not reading.held:
        return Shortfall(quotations=quotations, another_language=across)
    partly = reason is VerdictReason.PARTLY_SUPPORTED
    supported, unsupported = supported_parts(reading) if partly and not across else ((), ())
    return Shortfall(
        weaknesses=_weaknesses(reading, across=across),
        lacking_terms=() if across else _lacking_terms(reading, reason),
        supported_parts=supported,
        unsupported_parts=unsupported,
        quotations=quotations,
        another_language=across,
    )


# ── the parts of a question ──────────────────────────────────────────────────


def supported_parts(
    reading: Reading, share: float = _OF_A_PART
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The parts of a question that some hit covers by that share of idf, and the others.

    Different hits may cover different parts. Both are empty where the question has one part only.
    """
    parts = parts_of(reading.retrieved.query.text, reading.asked.language)
    places = [_places(part, reading) for part in parts]
    told = [(part, at) for part, at in zip(parts, places, strict=True) if at]
    if len(told) <= 1:
        return (), ()
    all_places = [at for _, at in told]
    covered = [
        _is_covered(at, reading, share) and not _asks_for_the_unknown(at, all_places, reading)
        for at in all_places
    ]
    texts = [part.text for part, _ in told]
    return (
        tuple(text for text, held in zip(texts, covered, strict=True) if held),
        tuple(text for text, held in zip(texts, covered, strict=True) if not held),
    )


def _places(part: Part, reading: Reading) -> frozenset[int]:
    """The key terms of a part, as positions."""
    asked = without_question_words(part.text, reading.asked.language)
    said = {token for _, own in words(asked) for token in own}
    return frozenset(place for place, term in enumerate(reading.terms) if term.forms[0] in said)


def _is_covered(places: frozenset[int], reading: Reading, share: float) -> bool:
    """Whether one hit holds that share of a part; of a single term, together with any other."""
    whole = reading.weight(places)
    return any(
        reading.weight(held & places) >= share * whole and (len(places) > 1 or len(held) > 1)
        for held in reading.held
        if held & places
    )


# ── the best candidate ───────────────────────────────────────────────────────


def _lacking_terms(reading: Reading, reason: VerdictReason) -> tuple[str, ...]:
    """The words of the question that no hit holds or, of a weak match, the best does not hold."""
    partly = reason is VerdictReason.PARTLY_SUPPORTED
    lacking = _unheld(reading) if partly else reading.known - reading.held[0]
    unknown = frozenset(range(len(reading.terms))) - reading.known
    absent = {reading.terms[place].forms[0] for place in lacking | unknown}
    return words_lacking(reading.retrieved.query.text, absent)


def _unheld(reading: Reading) -> frozenset[int]:
    return reading.known.difference(*reading.held)


def _weaknesses(reading: Reading, *, across: bool) -> tuple[Weakness, ...]:
    checks = _OF_MEANING if across else _CHECKS
    found = (weakness for weakness, is_weak in checks.items() if is_weak(reading))
    return tuple(found)[:_SHOWN]


def _below(signal: Callable[[Reading], float], bound: float) -> _Check:
    """Whether a signal that can be had is below a bound."""

    def is_weak(reading: Reading) -> bool:
        value = signal(reading)
        return not math.isnan(value) and value < bound

    return is_weak


def _quotation_absent(reading: Reading) -> bool:
    return any(
        found.phrase.kind is PhraseKind.QUOTATION and not found.chunks
        for found in reading.retrieved.statistics.phrases
    )


def _lacks_terms(reading: Reading) -> bool:
    return 1 - reading.weight(reading.held[0]) >= _MUCH


_NONE = 1e-9
_CHECKS: Mapping[Weakness, _Check] = {
    Weakness.FAR_IN_MEANING: _below(cosine_height, _BY_CHANCE),
    Weakness.QUOTATION_ABSENT: _quotation_absent,
    Weakness.LACKS_NUMBERS: _below(numbers_held, 1.0),
    Weakness.LACKS_NAMES: _below(entities_held, _MOST),
    Weakness.SAYS_OPPOSITE: _below(opposites_agree, _MOST),
    Weakness.NO_SUCH_ANSWER: _below(answer_type_near, _NONE),
    Weakness.LACKS_TERMS: _lacks_terms,
    Weakness.NEGATION_DIFFERS: _below(negation_agrees, _MOST),
    Weakness.LACKS_DATES: _below(dates_held, 1.0),
}
"""Most telling first, by how much oftener each is seen where the documents do not answer."""
_OF_MEANING: Mapping[Weakness, _Check] = {
    weakness: _CHECKS[weakness]
    for weakness in (Weakness.LACKS_DATES, Weakness.LACKS_NUMBERS, Weakness.FAR_IN_MEANING)
}
"""What can be told where the passages are in another language than the question."""
