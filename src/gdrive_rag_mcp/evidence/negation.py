"""Whether a text denies or excludes something, in the words of its language."""

import re
from functools import cache

from gdrive_rag_mcp.evidence.lexicon_negation import (
    CASE_ENDINGS,
    NEGATED_PARTS,
    NEGATIONS,
    OPENINGS,
)
from gdrive_rag_mcp.terms import fold


def denies(text: str, language: str) -> bool:
    """Whether a text has a word of negation of that language."""
    pattern = _pattern(language)
    return pattern is not None and pattern.search(fold(text)) is not None


@cache
def _pattern(language: str) -> re.Pattern[str] | None:
    if language in NEGATED_PARTS:
        return re.compile(_either(NEGATED_PARTS[language]))
    if language not in NEGATIONS:
        return None
    forms = [f"(?:{_either(NEGATIONS[language])})(?![\\w\u0900-\u0903\u093a-\u094f])"]
    if language in OPENINGS:
        forms.append(f"(?:{_either(OPENINGS[language])})")
    if language in CASE_ENDINGS:
        forms.append(f"\\w+(?:{_either(CASE_ENDINGS[language])})")
    return re.compile(f"(?<!\\w)(?:{'|'.join(forms)})")


def _either(listed: str) -> str:
    return "|".join(re.escape(fold(form)) for form in listed.split())
