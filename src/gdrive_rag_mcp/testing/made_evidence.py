"""Retrieved passages made by hand, for tests of what judges them."""

import math
from collections.abc import Mapping

from gdrive_rag_mcp.domain import (
    CosineBackground,
    Hit,
    Locator,
    Mode,
    Passage,
    Query,
    RetrievalStatistics,
    Retrieved,
    TermStatistics,
)
from gdrive_rag_mcp.terms import query_terms


def idf(known: int, chunks: int) -> float:
    """The index's inverse document frequency."""
    return max(math.log((chunks - known + 0.5) / (known + 0.5)), 1e-6)


def terms_of(
    question: str, known: Mapping[str, int], chunks: int = 100
) -> tuple[TermStatistics, ...]:
    """Statistics of a question's terms; what `known` does not name is in no chunk."""
    return tuple(
        TermStatistics(
            term.surface,
            (term.token,),
            known.get(term.token, 0),
            idf(known.get(term.token, 0), chunks) if term.key else 0.0,
            term.key,
        )
        for term in query_terms(question)
    )


def passage(text: str, number: int = 1, title: str = "", context: str = "") -> Passage:
    """A passage of document `d<number>`."""
    return Passage(
        chunk_id=f"d{number}:0:00000000",
        document_id=f"d{number}",
        title=title,
        name=f"{number}.txt",
        path=f"{number}.txt",
        mime_type="text/plain",
        text=text,
        context=context,
        headings=(),
        start=0,
        end=len(text),
        locator=Locator("lines", "1"),
        url=None,
        modified_time=None,
        indexed_at=None,
        revision=None,
    )


def hit(
    text: str,
    rank: int = 1,
    *,
    cosine: float | None = None,
    bm25: float | None = None,
    keyword_rank: int | None = None,
    vector_rank: int | None = None,
    title: str = "",
) -> Hit:
    """A hit; a retriever that scored it also ranked it there, unless told otherwise."""
    keyword_rank = rank if keyword_rank is None and bm25 is not None else keyword_rank
    vector_rank = rank if vector_rank is None and cosine is not None else vector_rank
    return Hit(
        passage(text, rank, title), rank, 1 / (60 + rank), keyword_rank, vector_rank, bm25, cosine
    )


def retrieved(
    question: str,
    hits: tuple[Hit, ...],
    known: Mapping[str, int],
    *,
    chunks: int = 100,
    mode: Mode = Mode.HYBRID,
    background: CosineBackground | None = None,
) -> Retrieved:
    """What a retriever would hand over for these hits; `known` has chunks by token."""
    terms = terms_of(question, known, chunks)
    ideal = sum(term.idf for term in terms if term.key)
    statistics = RetrievalStatistics(chunks, chunks, terms, ideal, background)
    return Retrieved(Query(question), mode, hits, statistics)
