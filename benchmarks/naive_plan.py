"""What a first version of such a server does: vec0 float32, FTS5 over all words, ranks fused."""

from pathlib import Path

import apsw
import sqlite_vec

from benchmarks.corpus import Corpus
from benchmarks.made_vectors import DIMENSIONS, Floats
from benchmarks.measuring import Stopwatch

_PER_SIDE = 50
_ROWS = 4000
# The pragmas that such a plan is usually given; with a map of the file, vec0 is 1.6 times as fast.
_PRAGMAS = ("journal_mode=WAL", "synchronous=NORMAL", "cache_size=-65536", f"mmap_size={2**33}")


class NaivePlan:
    """Two tables in one file."""

    def __init__(self, path: Path) -> None:
        self._connection = apsw.Connection(str(path))
        self._connection.enable_load_extension(True)
        self._connection.load_extension(sqlite_vec.loadable_path())
        for pragma in _PRAGMAS:
            self._connection.execute(f"PRAGMA {pragma}").fetchall()

    def build(self, corpus: Corpus) -> Stopwatch:
        """Fill both tables, some thousands of chunks a transaction."""
        watch = Stopwatch()
        self._connection.execute(f"CREATE VIRTUAL TABLE v USING vec0(e float[{DIMENSIONS}])")
        self._connection.execute("CREATE VIRTUAL TABLE t USING fts5(body)")
        rows: list[tuple[int, str, bytes]] = []
        for made in corpus:
            rows += [
                (made.first_row + at + 1, text, vector.tobytes())
                for at, (text, vector) in enumerate(zip(made.texts, made.vectors, strict=True))
            ]
            if len(rows) >= _ROWS or made.number == corpus.documents - 1:
                with watch.running(), self._connection:
                    self._insert(rows)
                rows = []
        with watch.running():
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        return watch

    def _insert(self, rows: list[tuple[int, str, bytes]]) -> None:
        self._connection.executemany(
            "INSERT INTO v (rowid, e) VALUES (?, ?)", ((row, vector) for row, _, vector in rows)
        )
        self._connection.executemany(
            "INSERT INTO t (rowid, body) VALUES (?, ?)", ((row, text) for row, text, _ in rows)
        )

    def by_words(self, text: str) -> list[int]:
        """Rows by BM25 of any word of the question."""
        words = " OR ".join(f'"{word}"' for word in text.split())
        found = self._connection.execute(
            "SELECT rowid FROM t WHERE t MATCH ? ORDER BY rank LIMIT ?", (words, _PER_SIDE)
        )
        return [int(str(row)) for (row,) in found]

    def by_vector(self, vector: Floats) -> list[int]:
        """Rows by exact distance."""
        found = self._connection.execute(
            "SELECT rowid FROM v WHERE e MATCH ? AND k = ?", (vector.tobytes(), _PER_SIDE)
        )
        return [int(str(row)) for (row,) in found]

    def search(self, text: str, vector: Floats) -> list[str]:
        """The ten best chunks by both, with their texts."""
        scores: dict[int, float] = {}
        for ranking in (self.by_words(text), self.by_vector(vector)):
            for rank, row in enumerate(ranking, start=1):
                scores[row] = scores.get(row, 0.0) + 1 / (60 + rank)
        best = sorted(scores, key=lambda row: -scores[row])[:10]
        return [
            str(self._connection.execute("SELECT body FROM t WHERE rowid = ?", (row,)).fetchone())
            for row in best
        ]

    def close(self) -> None:
        self._connection.close()
