"""The verdict: is what was retrieved enough to answer, and if not, why not."""

import math
from collections.abc import Mapping

from gdrive_rag_mcp.domain import Calibration, Evidence, Mode, Retrieved, VerdictReason
from gdrive_rag_mcp.evidence.calibrated import calibrated, rarity_in
from gdrive_rag_mcp.evidence.measuring import measure
from gdrive_rag_mcp.evidence.model import model_for
from gdrive_rag_mcp.evidence.reading import Reading, read
from gdrive_rag_mcp.evidence.reasons import (
    leaves_a_question_open,
    much_is_missing,
    reason_for,
    shortfall,
)
from gdrive_rag_mcp.evidence.signals import corpus_coverage, cosine_height
from gdrive_rag_mcp.terms import detected_language

DEFAULT_THRESHOLD = 0.5
WARY_THRESHOLD = 0.6
CAUTIOUS_THRESHOLD = 0.7

ACROSS = "across"
"""The model for questions in another language than the nearest passage."""
TOKENS, TOKENS_ACROSS = "tokens", "tokens_across"
"""The models where the question's tokens can be compared with those of the passages."""
_ACROSS_LANGUAGES = frozenset((ACROSS, TOKENS_ACROSS))

# Of the question's idf: below, more confidence is asked for.
_KNOWN = 0.7
_KNOWN_BY_HALF = 0.5


def judge(
    retrieved: Retrieved, calibration: Calibration | None = None, threshold: float | None = None
) -> Evidence:
    """Judge the hits; a pure function of what was retrieved, and what the index knows of itself.

    The signals become a confidence through the model that fits what could be compared: words and
    vectors, words alone, or, across languages, vectors alone. It is 0 when a code or a year that
    was asked for stands nowhere in scope, and when there is nothing to judge by. Evidence is
    sufficient from the threshold on; without one, from what `required` says. Of several questions
    in one, none may ask for what stands nowhere.
    """
    usual = DEFAULT_THRESHOLD if threshold is None else threshold
    if not retrieved.statistics.chunks:
        return Evidence(False, VerdictReason.SCOPE_EMPTY, 0.0, usual)
    reading = read(retrieved, rarity_in(calibration))
    if not retrieved.hits:
        reason = VerdictReason.TERMS_ABSENT if much_is_missing(reading) else VerdictReason.NO_MATCH
        lacking = shortfall(reading, reason, across=False)
        return Evidence(False, reason, 0.0, usual, reading.missing, shortfall=lacking)
    measured = calibrated(measure(reading), calibration)
    model = model_name(reading, measured)
    coverage = measured[corpus_coverage.__name__]
    threshold = required(model, coverage) if threshold is None else threshold
    confidence = model_for(model).confidence(measured) if model else 0.0
    across = crosses_languages(retrieved)
    in_part = not across and leaves_a_question_open(reading)
    sufficient = confidence >= threshold and not in_part
    reason = VerdictReason.OK if sufficient else reason_for(reading, across=across)
    # Of a question in another language, the other words were never looked for.
    only_codes = across and reason is VerdictReason.TERMS_ABSENT
    return Evidence(
        sufficient=sufficient,
        reason=reason,
        confidence=confidence,
        threshold=threshold,
        missing_terms=reading.missing_codes if only_codes else reading.missing,
        signals={name: value for name, value in measured.items() if not math.isnan(value)},
        shortfall=shortfall(reading, reason, across=across),
    )


def required(model: str | None, coverage: float) -> float:
    """The confidence that is enough, unless the operator has said another.

    It is more if much of the question is about what nothing in scope mentions: passages about all
    the rest of it are what leads to a wrong answer. Where tokens can be compared, which are met in
    whatever word, that takes most of the question, and less is asked for on top; across languages
    words say nothing.
    """
    if model == TOKENS:
        return WARY_THRESHOLD if coverage < _KNOWN_BY_HALF else DEFAULT_THRESHOLD
    words_tell = model not in _ACROSS_LANGUAGES
    return CAUTIOUS_THRESHOLD if words_tell and coverage < _KNOWN else DEFAULT_THRESHOLD


def model_name(reading: Reading, signals: Mapping[str, float]) -> str | None:
    """Which model is to judge; None where a code stands nowhere or nothing is there to judge by."""
    across = crosses_languages(reading.retrieved)
    if reading.missing_codes or not _can_be_judged(reading, signals, across=across):
        return None
    if reading.meetings is not None and reading.retrieved.mode is Mode.HYBRID:
        return TOKENS_ACROSS if across else TOKENS
    return ACROSS if across else reading.retrieved.mode.value


def _can_be_judged(reading: Reading, signals: Mapping[str, float], *, across: bool) -> bool:
    """Whether anything tells an answer from a chance hit; if not, abstaining is all that is honest.

    Across languages that is how far the nearest passage stands out, which a handful of passages
    does not show. Otherwise it is the question's words, of which function words tell nothing: where
    no other word of it stands anywhere in scope, vectors alone are no evidence.
    """
    if across:
        return not math.isnan(signals[cosine_height.__name__])
    return any(term.key and term.chunks for term in reading.retrieved.statistics.terms)


def crosses_languages(retrieved: Retrieved) -> bool:
    """Whether the nearest passage is in another language than the question.

    Then the question's words cannot be expected in it, and their absence proves nothing. A text
    that does not show its language is taken to be in the question's.
    """
    if retrieved.mode is Mode.KEYWORD:
        return False
    nearest = next((hit for hit in retrieved.hits if hit.vector_rank == 1), None)
    asked = detected_language(retrieved.query.text)
    if nearest is None or asked is None:
        return False
    found = detected_language(nearest.passage.text)
    return found is not None and found != asked
