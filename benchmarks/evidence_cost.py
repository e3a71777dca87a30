"""What a verdict costs: CPU time of judging what a search of a large, made-up index found."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from benchmarks.corpus import Corpus, Questions
from benchmarks.measuring import Times, in_turns
from benchmarks.our_index import KnownVectors, build_index
from gdrive_rag_mcp.domain import Mode, Query, Retrieved
from gdrive_rag_mcp.evidence import judge
from gdrive_rag_mcp.retrieval import Retriever
from gdrive_rag_mcp.store import Store

CHUNKS = 100_000
GOAL_MILLISECONDS = 5.0
_QUESTIONS = 60
_ROUNDS = 5


def cost(cache: Path | None, chunks: int = CHUNKS) -> Times:
    """CPU milliseconds of one verdict; an index in `cache` is kept, and not made again."""
    corpus = Corpus(chunks)
    questions = corpus.questions(_QUESTIONS)
    with tempfile.TemporaryDirectory() as own:
        path = (cache or Path(own)) / f"made-{chunks}.db"
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            growing = path.with_suffix(".growing")
            build_index(growing, corpus)
            growing.rename(path)
        found = retrieved(path, questions)
    return in_turns({"verdict": [partial(judge, one) for one in found]}, _ROUNDS)["verdict"]


def retrieved(path: Path, questions: Questions) -> Sequence[Retrieved]:
    """What a hybrid search finds for each question."""
    embedder = KnownVectors(questions.texts, questions.vectors)
    with Store.open_for_reading(path) as store:
        retriever = Retriever(store.index, embedder, Mode.HYBRID)
        return [retriever.retrieve(Query(text)) for text in questions.texts]


def told(times: Times) -> str:
    """The figure beside what it has to stay below."""
    said = "met" if times.p50 <= GOAL_MILLISECONDS else "MISSED"
    return (
        f"verdict over {CHUNKS:,} chunks: {times.p50:.2f} CPU ms in the median, {times.p95:.2f} at"
        f" the 95th percentile; at most {GOAL_MILLISECONDS:.0f}: {said}"
    )
