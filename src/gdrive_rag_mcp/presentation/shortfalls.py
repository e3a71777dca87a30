"""What evidence lacks, in words: why the best candidate is not enough, and what to ask instead.

Only words of the question are repeated, and never any of a document's.
"""

from collections.abc import Mapping

from gdrive_rag_mcp.domain import Evidence, Weakness

TERMS_SHOWN = 8
_LONGEST = 80
_LONGEST_PART = 200
_LACKS_TERMS = "does not hold {terms}"
WEAKNESSES: Mapping[Weakness, str] = {
    Weakness.SAYS_OPPOSITE: "says the opposite of a word of the question",
    Weakness.NEGATION_DIFFERS: "does not deny what the question takes to be denied",
    Weakness.QUOTATION_ABSENT: "does not have {quotations} word for word, nor has any other",
    Weakness.LACKS_DATES: "does not have the dates of the question near its words",
    Weakness.LACKS_NUMBERS: "does not have the numbers of the question near its words",
    Weakness.LACKS_NAMES: "does not hold the names in the question",
    Weakness.NO_SUCH_ANSWER: "has nothing of the kind asked for near the question's words",
    Weakness.LACKS_TERMS: _LACKS_TERMS,
    Weakness.FAR_IN_MEANING: "is no nearer in meaning than passages are by chance",
}


def quoted(words: tuple[str, ...], longest: int = _LONGEST) -> str:
    """Words in quotation marks, the first of many."""
    shown = ", ".join(f"“{word[:longest]}”" for word in words[:TERMS_SHOWN])
    more = len(words) - TERMS_SHOWN
    return f"{shown} and {more} more" if more > 0 else shown


def quoted_parts(parts: tuple[str, ...]) -> str:
    """Parts of a question in quotation marks."""
    return quoted(parts, _LONGEST_PART)


def why_not(evidence: Evidence) -> str:
    """`: the best of them does not hold “rent”, and …`; nothing where no weakness is known."""
    said = [_said(weakness, evidence) for weakness in evidence.shortfall.weaknesses]
    if not said:
        return ""
    *others, last = said
    listed = f"{', '.join(others)} and {last}" if others else last
    return f": the best of them {listed}"


def _said(weakness: Weakness, evidence: Evidence) -> str:
    lacking = evidence.shortfall
    return WEAKNESSES[weakness].format(
        terms=quoted(lacking.lacking_terms) or "much of the question",
        quotations=quoted(lacking.quotations),
    )
