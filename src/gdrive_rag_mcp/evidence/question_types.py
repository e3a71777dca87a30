"""What kind of answer a question expects, by its question words in its own language."""

import re
from enum import StrEnum
from functools import cache

from gdrive_rag_mcp.evidence.lexicon_questions import QUESTION_WORDS
from gdrive_rag_mcp.evidence.written import comparable, whole_words

_WITHOUT_BLANKS = {"ja", "ko", "th", "zh"}


class AnswerType(StrEnum):
    """What would answer: a name, a time, a place, a count, a measure, a duration, or anything."""

    HOW_LONG = "how_long"
    HOW_MUCH = "how_much"
    HOW_MANY = "how_many"
    WHEN = "when"
    WHERE = "where"
    WHO = "who"
    OTHER = "other"


def answer_type(question: str, language: str) -> AnswerType:
    """The type that the first question word asks for.

    The first counts because later ones begin clauses: "What happens when it rains?" asks for no
    time. After the answer types of question classification: Li & Roth, "Learning question
    classifiers", COLING 2002.
    """
    if language not in QUESTION_WORDS:
        return AnswerType.OTHER
    found = _question_words(language).search(comparable(question, language))
    return AnswerType(found.lastgroup) if found and found.lastgroup else AnswerType.OTHER


def asks(text: str, language: str, goes_on: str = "") -> bool:
    """Whether a text has a question word of any type, also when read with what goes on after it.

    "When it rains" asks, and in "When it rains, what happens?" it does not.
    """
    if language not in QUESTION_WORDS:
        return False
    found = _question_words(language).search(comparable(text + goes_on, language))
    return found is not None and found.start() < len(comparable(text, language))


def without_question_words(text: str, language: str) -> str:
    """The folded text, blanks in place of its question words."""
    folded = comparable(text, language)
    return _question_words(language).sub(" ", folded) if language in QUESTION_WORDS else folded


@cache
def _question_words(language: str) -> re.Pattern[str]:
    table = QUESTION_WORDS[language]
    types = "|".join(f"(?P<{kind}>{comparable(table[kind], language)})" for kind in AnswerType)
    return re.compile(types) if language in _WITHOUT_BLANKS else whole_words(types)
