"""Hybrid search against the naive plan, in one run: vec0 float32 and FTS5 OR of all words.

    python -m benchmarks.bench_search [--chunks 20000] [--check]

Both sides are warm, on one thread, and without embedding the question. CPU medians over the same
questions; `--check` fails when ours takes more than a quarter of the naive plan's time, or finds
less than 99 % of the ten nearest vectors that an exact scan finds.
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import apsw
import numpy as np
import sqlite_vec

from benchmarks.corpus import IDENTITY, Corpus, build_index, make_corpus
from gdrive_rag_mcp.domain import EVERYTHING, EmbeddingIdentity, Filters, Mode, Query
from gdrive_rag_mcp.protocols import EmbedRole, Vectors
from gdrive_rag_mcp.retrieval.retriever import Retriever
from gdrive_rag_mcp.store import Store, VectorMatrix

GOAL = 1 / 4
RECALL_GOAL = 0.99
_PER_SIDE = 50


class KnownVectors:
    """An embedder that has the questions' vectors ready."""

    max_tokens = 512

    def __init__(self, corpus: Corpus) -> None:
        self._place = {text: at for at, text in enumerate(corpus.questions)}
        self._vectors = corpus.question_vectors

    @property
    def identity(self) -> EmbeddingIdentity:
        return IDENTITY

    def embed(self, texts: Sequence[str], *, role: EmbedRole) -> Vectors:
        return self._vectors[[self._place[text] for text in texts]]


class NaivePlan:
    """What a first version of such a server does: two tables, all words, ranks fused."""

    def __init__(self, path: Path, corpus: Corpus) -> None:
        self._connection = apsw.Connection(str(path))
        self._connection.enable_load_extension(True)
        self._connection.load_extension(sqlite_vec.loadable_path())
        for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "cache_size=-65536"):
            self._connection.execute(f"PRAGMA {pragma}").fetchall()
        self._connection.execute(f"PRAGMA mmap_size={2**33}").fetchall()
        dimensions = corpus.vectors.shape[1]
        self._connection.execute(f"CREATE VIRTUAL TABLE v USING vec0(e float[{dimensions}])")
        self._connection.execute("CREATE VIRTUAL TABLE t USING fts5(body)")
        with self._connection:
            self._connection.executemany(
                "INSERT INTO v (rowid, e) VALUES (?, ?)",
                ((at + 1, row.tobytes()) for at, row in enumerate(corpus.vectors)),
            )
            self._connection.executemany(
                "INSERT INTO t (rowid, body) VALUES (?, ?)",
                ((at + 1, text) for at, text in enumerate(corpus.texts)),
            )

    def search(self, text: str, vector: Vectors) -> list[str]:
        words = " OR ".join(f'"{word}"' for word in text.split())
        by_words = self._connection.execute(
            "SELECT rowid FROM t WHERE t MATCH ? ORDER BY rank LIMIT ?", (words, _PER_SIDE)
        ).fetchall()
        by_vector = self._connection.execute(
            "SELECT rowid FROM v WHERE e MATCH ? AND k = ?", (vector.tobytes(), _PER_SIDE)
        ).fetchall()
        scores: dict[int, float] = {}
        for ranking in (by_words, by_vector):
            for rank, row in enumerate((int(str(found)) for (found,) in ranking), start=1):
                scores[row] = scores.get(row, 0.0) + 1 / (60 + rank)
        best = sorted(scores, key=lambda row: -scores[row])[:10]
        return [
            str(self._connection.execute("SELECT body FROM t WHERE rowid = ?", (row,)).fetchone())
            for row in best
        ]


def cpu_medians(asks: Sequence[Callable[[], object]], rounds: int = 3) -> float:
    """Median CPU milliseconds of one call, after one warm round."""
    for ask in asks:
        ask()
    spent = []
    for _ in range(rounds):
        for ask in asks:
            started = time.process_time()
            ask()
            spent.append(time.process_time() - started)
    return float(np.median(spent)) * 1000


def vector_recall(store: Store, corpus: Corpus, k: int = 10) -> float:
    """Share of the exact k nearest vectors that the index's k nearest are as near as."""
    found = 0
    for vector in corpus.question_vectors:
        exact = np.sort(corpus.vectors.astype(np.float16).astype(np.float32) @ vector)[-k:]
        matches = store.index.search_vectors(vector, EVERYTHING, Filters(), k).matches
        found += sum(match.cosine >= exact[0] - 1e-3 for match in matches)
    return found / (k * len(corpus.question_vectors))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunks", type=int, default=20_000)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    corpus = make_corpus(arguments.chunks)
    with tempfile.TemporaryDirectory() as folder:
        naive = NaivePlan(Path(folder) / "naive.db", corpus)
        path = Path(folder) / "index.db"
        build_index(path, corpus)
        with Store.open_for_reading(path, matrix=VectorMatrix()) as store:
            retriever = Retriever(store.index, KnownVectors(corpus), Mode.HYBRID)

            def ours(text: str) -> object:
                with store.reading():
                    return retriever.retrieve(Query(text, limit=10))

            pairs = list(zip(corpus.questions, corpus.question_vectors, strict=True))
            mine = cpu_medians([partial(ours, text) for text, _ in pairs])
            theirs = cpu_medians([partial(naive.search, text, vector) for text, vector in pairs])
            recall = vector_recall(store, corpus)
    print(f"{arguments.chunks} chunks x {corpus.vectors.shape[1]}, CPU medians of one search")
    print(f"naive plan   {theirs:8.2f} ms")
    print(f"hybrid       {mine:8.2f} ms   {mine / theirs:.3f} of it (goal: {GOAL})")
    print(
        f"recall@10 of the vector stage against an exact scan: {recall:.4f} (goal: {RECALL_GOAL})"
    )
    failed = mine > GOAL * theirs or recall < RECALL_GOAL
    return int(arguments.check and failed)


if __name__ == "__main__":
    sys.exit(main())
