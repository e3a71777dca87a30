"""The parts of a question that asks for more than one thing, in the asker's own words."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from gdrive_rag_mcp.evidence.lexicon_conjunctions import JOINING, PREFIXED, RANGES
from gdrive_rag_mcp.evidence.question_types import asks
from gdrive_rag_mcp.evidence.written import whole_words
from gdrive_rag_mcp.terms import query_terms

_MOST = 4
"""Parts; a question with more is a list, of which the last part has the rest."""
_SENTENCE = re.compile(r"([^?!？！。؟;；।]+)([?!？！。؟;；।]*)")
_FULL_STOP = re.compile(r"(?<=[^\W\d_]{3})\.\s+")
_DIGIT = re.compile(r"\d")
_COMMA = re.compile(r"[,،、，]\s*")
_LINK = re.compile(r"(?<=[\uac00-\ud7a3][고며])[, ]+")
"""Korean joins clauses by the ending of a verb."""
_MARKS_OF_QUESTIONS = frozenset("?？؟;")
_EDGES = " \t\n,،、，.:;—–-()\u00bf\u00a1"
_WITHOUT_BLANKS = frozenset(("ja", "ko", "th", "zh"))
_FREE_ORDER = _WITHOUT_BLANKS | {"tr", "hi", "fa", "vi", "id"}
"""Languages whose question words may stand at the end of what they ask."""
_OPENING = 3
"""Words of a clause among which its question word is, elsewhere: "and by whom"."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a question; `clause` where it asks by a question word of its own."""

    text: str
    clause: bool


@dataclass(frozen=True, slots=True)
class _Joint:
    start: int
    end: int
    word: bool
    """Whether a conjunction stands there; else a comma alone."""


def parts_of(question: str, language: str) -> tuple[Part, ...]:
    """Split a question where it goes on to ask for something else; whole where it does not.

    Clauses with a question word each are parts; within the only clause, so are the members of an
    enumeration. A sentence that asks nothing ("State that and explain why.") is none.

    >>> [part.text for part in parts_of("What is the notice period and who signs it?", "en")]
    ['What is the notice period', 'who signs it']
    """
    text = unicodedata.normalize("NFC", question)
    clauses = [
        clause
        for sentence in _asking_sentences(text, language)
        for clause in _clauses(sentence, language)
    ]
    if len(clauses) == 1:
        members = _members(clauses[0], language)
        return tuple(Part(member, clause=len(members) == 1) for member in members)
    return tuple(Part(clause, clause=True) for clause in _limited(clauses))


def _limited(pieces: Sequence[str]) -> Sequence[str]:
    return [*pieces[: _MOST - 1], " ".join(pieces[_MOST - 1 :])] if len(pieces) > _MOST else pieces


def _asking_sentences(text: str, language: str) -> Iterator[str]:
    sentences = [
        (part, mark)
        for body, mark in _SENTENCE.findall(text)
        for part in _FULL_STOP.split(body)
        if _has_key(part)
    ]
    asking = [
        part
        for part, mark in sentences
        if not _MARKS_OF_QUESTIONS.isdisjoint(mark) or asks(_opening(part, language), language)
    ]
    for sentence in asking or [text]:
        trimmed = _trimmed(sentence)
        opening = _joining(language).match(trimmed)
        yield _trimmed(trimmed[opening.end() :]) if opening else trimmed


def _clauses(sentence: str, language: str) -> list[str]:
    """Split before each joint that another question follows."""
    pieces: list[str] = []
    start = 0
    for joint in _joints(sentence, language):
        left, right = sentence[start : joint.start], sentence[joint.end :]
        joined = sentence[joint.start :]
        if _is_question(left, joined, language) and _begins_question(right, joint, language):
            pieces.append(_trimmed(left))
            start = joint.end
    return [*pieces, _trimmed(sentence[start:])]


def _is_question(piece: str, goes_on: str, language: str) -> bool:
    return asks(piece, language, goes_on) and _has_key(piece)


def _begins_question(piece: str, joint: _Joint, language: str) -> bool:
    """Whether it does; after a comma alone, most languages go on with a relative clause."""
    if not _has_key(piece) or not (joint.word or language in _WITHOUT_BLANKS):
        return False
    return asks(_opening(piece, language), language)


def _opening(clause: str, language: str) -> str:
    """Where a clause has its question word, if it has one."""
    return clause if language in _FREE_ORDER else " ".join(clause.split()[:_OPENING])


def _members(clause: str, language: str) -> list[str]:
    """The members of an enumeration, the first with what comes before and the last with the rest.

    Commas part it only where a conjunction closes it, and the two ends of a range are one thing.
    """
    joints = [
        joint for joint in _joints(clause, language) if not _in_range(clause, joint.start, language)
    ]
    closing = [number for number, joint in enumerate(joints) if joint.word]
    if not closing:
        return [clause]
    pieces: list[str] = []
    start = 0
    for joint in joints[: closing[-1] + 1]:
        left, right = clause[start : joint.start], clause[joint.end :]
        if _has_key(left) and _has_key(right):
            pieces.append(_trimmed(left))
            start = joint.end
    return [*_limited([*pieces, _trimmed(clause[start:])])]


def _joints(text: str, language: str) -> list[_Joint]:
    found = [
        _Joint(match.start(), match.end(), word=True) for match in _joining(language).finditer(text)
    ]
    marks = [*_COMMA.finditer(text), *(_LINK.finditer(text) if language == "ko" else ())]
    for comma in marks:
        if not any(joint.start <= comma.end() and comma.start() <= joint.end for joint in found):
            found.append(_Joint(comma.start(), comma.end(), word=False))
    return sorted(found, key=lambda joint: joint.start)


def _in_range(text: str, place: int, language: str) -> bool:
    announced = _ranges(language)
    return announced is not None and announced.search(text[:place]) is not None


def _has_key(piece: str) -> bool:
    """Whether a piece says something by itself; a year or another number does not."""
    return any(term.key and not _DIGIT.search(term.surface) for term in query_terms(piece))


def _trimmed(piece: str) -> str:
    return piece.strip(_EDGES)


@cache
def _joining(language: str) -> re.Pattern[str]:
    words = JOINING.get(language, JOINING["en"])
    if language in _WITHOUT_BLANKS:
        return re.compile(words)
    own = whole_words(words).pattern
    prefixed = PREFIXED.get(language)
    both = f"{own}|{prefixed}" if prefixed else own
    return re.compile(rf"(?:[,،]\s*)?(?:{both})", re.IGNORECASE)


@cache
def _ranges(language: str) -> re.Pattern[str] | None:
    words = RANGES.get(language)
    return re.compile(whole_words(words).pattern, re.IGNORECASE) if words else None
