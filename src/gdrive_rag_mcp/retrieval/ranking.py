"""How hits are put in order: what was asked for whole, copies, one document's share."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from gdrive_rag_mcp.domain import Duplicate, Hit
from gdrive_rag_mcp.retrieval.copies import same_groups, wording
from gdrive_rag_mcp.retrieval.fusion import fused_scores

Fusion = Callable[
    [Mapping[int, float], Mapping[int, float], float | None, Collection[int]],
    Sequence[tuple[int, float]],
]
"""From BM25 scores, cosines and the cosines' background to items with a score, best first."""
_Number = TypeVar("_Number", int, float)
SHOWN_FIRST = 5
"""Hits among which no document takes more than its share."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """What takes part in the order of the hits, and by how much."""

    fuse: Fusion = fused_scores
    exact_first: bool = True
    collapse: bool = True
    most_of_a_document: int | None = 3
    near: float = 0.9
    """Of a hit's score, from which another document's hit may take its place."""
    tokens_pull: float = 4.0
    """How much a passage loses that meets the question's tokens less than another; see
    `reranking.by_tokens`."""


DEFAULT_RANKING = Ranking()


def without_copies(hits: Sequence[Hit]) -> list[Hit]:
    """Keep the first of those that say the same; it says where the others are.

    It takes over their best rank in each retriever: had they not been there, it would be its own.
    """
    found = same_groups([hit.passage for hit in hits])
    return [_merged([hits[place] for place in group]) for group in found]


def _merged(group: Sequence[Hit]) -> Hit:
    first, *others = group
    if not others:
        return first
    return replace(
        first,
        keyword_rank=_best(min, [hit.keyword_rank for hit in group]),
        vector_rank=_best(min, [hit.vector_rank for hit in group]),
        bm25=_best(max, [hit.bm25 for hit in group]),
        cosine=_best(max, [hit.cosine for hit in group]),
        duplicates=tuple(_duplicate(first, hit) for hit in others),
    )


def _best(pick: Callable[[list[_Number]], _Number], found: list[_Number | None]) -> _Number | None:
    known = [number for number in found if number is not None]
    return pick(known) if known else None


def _duplicate(first: Hit, other: Hit) -> Duplicate:
    passage = other.passage
    exact = wording(first.passage).words == wording(passage).words
    return Duplicate(passage.chunk_id, passage.document_id, passage.path, exact)


def shared_out(hits: Sequence[Hit], most: int, near: float) -> list[Hit]:
    """Let no document have more than `most` of the first hits where another's are as good.

    As good is a score of at least `near` times that of the hit it goes before. The first hit stays,
    and hits of the same document keep their order.
    """
    ahead, first = list(hits), list[Hit]()
    taken: Counter[str] = Counter()
    while ahead and len(first) < SHOWN_FIRST:
        lowest = near * ahead[0].score
        allowed = (hit for hit in ahead if taken[hit.passage.document_id] < most)
        chosen = next((hit for hit in allowed if hit.score >= lowest), ahead[0])
        ahead.remove(chosen)
        first.append(chosen)
        taken[chosen.passage.document_id] += 1
    return [*first, *ahead]


def numbered(hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """The hits with their ranks, from 1."""
    return tuple(replace(hit, rank=rank) for rank, hit in enumerate(hits, start=1))


def held_first(
    fused: Sequence[tuple[int, float]], held: Mapping[int, tuple[int, int]]
) -> list[tuple[int, float]]:
    """Put chunks first that hold what was asked for whole: quotations before codes."""
    if not held:
        return list(fused)
    nothing = (0, 0)
    return sorted(
        fused, key=lambda scored: tuple(-number for number in held.get(scored[0], nothing))
    )
