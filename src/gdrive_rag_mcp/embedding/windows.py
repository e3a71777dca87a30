"""Texts that no single vector can stand for: cut, sent in batches, and averaged to one again.

Tokens are estimated here, as the model's tokenizer may be out of reach.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate

import numpy as np

from gdrive_rag_mcp.embedding.contract import unit_rows
from gdrive_rag_mcp.protocols import Vectors

# Rough on purpose: a chunk is sized by a better estimate before it comes here. This one is for what
# nobody sized, such as a page pasted as a question: about a token a Han, Kana or Hangul character,
# and one of three characters in other scripts.
CHARACTERS_A_TOKEN = 3
_DENSE = re.compile("[\u2e80-\ufaff\U00020000-\U0003ffff]")


def estimated_tokens(text: str) -> float:
    """About as many tokens as a multilingual tokenizer makes of the text."""
    dense = len(_DENSE.findall(text))
    return dense + (len(text) - dense) / CHARACTERS_A_TOKEN


def cut(text: str, max_tokens: int) -> list[str]:
    """The text in parts that fit, cut at white space where there is some."""
    parts = []
    while estimated_tokens(text) > max_tokens:
        end = _fitting(text, max_tokens)
        blank = max(text.rfind(" ", end // 2, end), text.rfind("\n", end // 2, end))
        end = blank if blank > 0 else end
        parts.append(text[:end])
        text = text[end:].lstrip()
    return [*parts, text] if text or not parts else parts


def cut_to_fit(text: str, room: int, tokens: Callable[[str], int]) -> list[str]:
    """The text in parts that fit by the count of the model's own tokenizer."""
    if len(text) <= 1 or tokens(text) <= room:
        return [text]
    pieces = cut(text, room)
    if len(pieces) == 1:  # the estimate was too low for it
        middle = len(text) // 2
        pieces = [text[:middle], text[middle:]]
    return [part for piece in pieces for part in cut_to_fit(piece, room, tokens)]


def _fitting(text: str, max_tokens: int) -> int:
    """How many of the first characters fit; at least one."""
    head = text[: max_tokens * CHARACTERS_A_TOKEN]
    sizes = (1 if _DENSE.match(character) else 1 / CHARACTERS_A_TOKEN for character in head)
    return max(1, bisect_right([*accumulate(sizes)], max_tokens))


def batches(parts: Sequence[str], *, texts: int, tokens: float) -> Iterator[list[str]]:
    """Parts in the same order, in calls of at most so many texts and estimated tokens."""
    batch: list[str] = []
    total = 0.0
    for part in parts:
        size = estimated_tokens(part)
        if batch and (len(batch) == texts or total + size > tokens):
            yield batch
            batch, total = [], 0.0
        batch.append(part)
        total += size
    if batch:
        yield batch


def average(weights: Sequence[Sequence[float]], vectors: Vectors, *, provider: str) -> Vectors:
    """One unit row a text, from the unit rows of its parts, one after another, and their weights.

    Raises:
        EmbeddingError: the parts of a text cancel each other out.
    """
    if len(weights) == len(vectors):
        return vectors
    means, at = np.empty((len(weights), vectors.shape[1])), 0
    for row, of_parts in enumerate(weights):
        means[row] = np.average(vectors[at : at + len(of_parts)], axis=0, weights=of_parts)
        at += len(of_parts)
    return unit_rows(means, count=len(weights), dimensions=vectors.shape[1], provider=provider)
