"""Makes a question from a passage: one of its sentences, with a part of its words left out.

It knows no language. What is left out, and which sentence it is, is decided by hashes, so that a
passage always makes the same question.
"""

import hashlib
import re
from collections.abc import Iterator
from itertools import islice

from gdrive_rag_mcp.chunking.reading import Reading
from gdrive_rag_mcp.chunking.sentences import sentence_ends
from gdrive_rag_mcp.terms import UNSPACED, query_terms, words

DROPPED = 0.4
"""Of the words that tell something; people ask with fewer words than documents answer with."""
_FEWEST = 3
"""Words that tell something, for a question to be about anything."""
_MOST = 14
"""Words of a sentence that are taken; a row of a table may have hundreds."""
_THAI_VOWELS = "\u0e30-\u0e3a\u0e47-\u0e4e\u0eb0-\u0ebc\u0ec8-\u0ece"
# Where there are no blanks between words, about as many characters make one; in scripts whose
# vowels are signs of their own, these do not count, and never come first.
_STRETCH = re.compile(f"(?:[^{_THAI_VOWELS}][{_THAI_VOWELS}]*){{1,3}}|.+")
_UNSPACED_RUN = re.compile(f"[{UNSPACED}]+")
_HANGUL = re.compile("[\uac00-\ud7a3]")


def question_from(text: str, key: str) -> str | None:
    """A question that the passage `text` answers; None where it has too few words for one.

    `key` is what tells the passage from others: by its hash are sentence and words chosen.
    """
    sentences = sorted(_sentences(text), key=lambda one: _lot(key, one))
    for sentence in sentences:
        question = _shortened(sentence, key)
        if question is not None:
            return question
    return None


def _sentences(text: str) -> Iterator[str]:
    start = 0
    for end in sentence_ends(Reading(text), 0, len(text)):
        if sentence := text[start:end].strip():
            yield sentence
        start = end


def _shortened(sentence: str, key: str) -> str | None:
    """The sentence's words in order without some; None where too few tell anything."""
    pieces = list(islice(_pieces(sentence), _MOST))
    telling = [place for place, piece in enumerate(pieces) if _tells(piece)]
    if len(telling) <= _FEWEST:
        return None
    drawn = sorted(telling, key=lambda place: _lot(key, f"{place} {pieces[place]}"))
    left_out = set(drawn[: min(round(DROPPED * len(telling)), len(telling) - _FEWEST)])
    kept = ("\0" if place in left_out else piece for place, piece in enumerate(pieces))
    return " ".join("".join(kept).replace("\0", " ").split())


def _pieces(sentence: str) -> Iterator[str]:
    """The words of a sentence; of scripts without blanks, stretches about as long as a word.

    Words have a blank behind them, stretches of one run have none between them.
    """
    for word, _ in words(sentence):
        if _UNSPACED_RUN.fullmatch(word) and not _HANGUL.search(word):
            yield from _STRETCH.findall(word)
            yield " "
        else:
            yield f"{word} "


def _tells(piece: str) -> bool:
    return any(term.key for term in query_terms(piece))


def _lot(key: str, text: str) -> bytes:
    return hashlib.sha256(f"{key} {text}".encode()).digest()
