"""Whether a text denies or excludes something, in the words of its language."""

import re
from functools import cache

from gdrive_rag_mcp.evidence.lexicon_negation import (
    CASE_ENDINGS,
    NEGATED_PARTS,
    NEGATIONS,
    OPENINGS,
)
from gdrive_rag_mcp.evidence.written import comparable, listed, whole_words


def denies(text: str, language: str) -> bool:
    """Whether a text has a word of negation of that language."""
    pattern = _pattern(language)
    return pattern is not None and pattern.search(comparable(text, language)) is not None


@cache
def _pattern(language: str) -> re.Pattern[str] | None:
    if language in NEGATED_PARTS:
        return re.compile(_either(NEGATED_PARTS[language], language))
    if language not in NEGATIONS:
        return None
    forms = [_either(NEGATIONS[language], language)]
    if language in OPENINGS:
        forms.append(f"(?:{_either(OPENINGS[language], language)})\\w*")
    if language in CASE_ENDINGS:
        forms.append(f"\\w+(?:{_either(CASE_ENDINGS[language], language)})")
    return whole_words("|".join(forms))


def _either(forms: str, language: str) -> str:
    return "|".join(re.escape(comparable(form, language)) for form in listed(forms))
