"""Other engines that install here, each built and asked the way its own manual does it.

They live in a folder of their own (`make peers`), which is added behind everything else, so that
what they bring along does not take the place of what the product uses. One that is not there is
left out, and the reason is told.
"""

import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from benchmarks.corpus import Corpus
from benchmarks.made_vectors import DIMENSIONS, Floats
from benchmarks.made_words import FUNCTION_WORDS
from benchmarks.measuring import Stopwatch

PEERS = Path(".venv") / "peers"
_LIMIT = 50
_BATCH = 10_000
_ASKED_WITH = frozenset({"what"}) | frozenset(FUNCTION_WORDS)


def add_peers(folder: Path) -> None:
    """Make the libraries of a folder importable, after all others."""
    if folder.is_dir() and str(folder) not in sys.path:
        sys.path.append(str(folder.resolve()))


class Engine(Protocol):
    """One way to find the nearest vectors, or the best texts, of a corpus."""

    def build(self, corpus: Corpus, vectors: Floats) -> Stopwatch:
        """Put a corpus in, and leave it on disk where the engine can."""

    def open(self) -> None:
        """Make ready to be asked."""

    def nearest(self, vector: Floats) -> list[int]:
        """Rows by distance, from 0; none where it knows no vectors."""

    def matching(self, text: str) -> list[int]:
        """Rows by their words, from 0; none where it knows no words."""


class _Vectors:
    """An engine that knows no words."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def matching(self, text: str) -> list[int]:
        return []


class Faiss(_Vectors):
    """Exact, all in memory."""

    _index: Any

    def build(self, corpus: Corpus, vectors: Floats) -> Stopwatch:
        watch = Stopwatch()
        faiss = import_module("faiss")
        with watch.running():
            index = faiss.IndexFlatIP(DIMENSIONS)
            for start in range(0, len(vectors), _BATCH):
                index.add(np.array(vectors[start : start + _BATCH]))
            faiss.write_index(index, str(self.path))
        return watch

    def open(self) -> None:
        faiss = import_module("faiss")
        faiss.omp_set_num_threads(1)
        self._index = faiss.read_index(str(self.path))

    def nearest(self, vector: Floats) -> list[int]:
        _, rows = self._index.search(vector[None], _LIMIT)
        found: list[int] = rows[0].tolist()
        return found


class Hnswlib(_Vectors):
    """A graph in memory: M 16, ef of construction 150, ef 200."""

    _index: Any

    def build(self, corpus: Corpus, vectors: Floats) -> Stopwatch:
        watch = Stopwatch()
        with watch.running():
            index = import_module("hnswlib").Index("ip", DIMENSIONS)
            index.init_index(len(vectors), ef_construction=150, M=16, random_seed=7)
            for start in range(0, len(vectors), _BATCH):
                index.add_items(vectors[start : start + _BATCH], num_threads=1)
            index.save_index(str(self.path))
        return watch

    def open(self) -> None:
        self._index = import_module("hnswlib").Index("ip", DIMENSIONS)
        self._index.load_index(str(self.path))
        self._index.set_ef(200)

    def nearest(self, vector: Floats) -> list[int]:
        rows, _ = self._index.knn_query(vector, k=_LIMIT, num_threads=1)
        found: list[int] = rows[0].tolist()
        return found


class Lance(_Vectors):
    """A table on disk, scanned; it computes on threads of its own."""

    _table: Any

    def build(self, corpus: Corpus, vectors: Floats) -> Stopwatch:
        watch = Stopwatch()
        arrow = import_module("pyarrow")
        schema = arrow.schema(
            [("row", arrow.int64()), ("vector", arrow.list_(arrow.float32(), DIMENSIONS))]
        )

        def portions() -> Iterator[Any]:
            for start in range(0, len(vectors), _BATCH):
                part = np.array(vectors[start : start + _BATCH])
                numbers = arrow.array(np.arange(start, start + len(part)))
                column = arrow.FixedSizeListArray.from_arrays(
                    arrow.array(part.reshape(-1)), DIMENSIONS
                )
                yield arrow.RecordBatch.from_arrays([numbers, column], schema=schema)

        with watch.running():
            database = import_module("lancedb").connect(str(self.path))
            self._prepare(database.create_table("chunks", portions(), schema=schema))
        return watch

    def _prepare(self, table: Any) -> None:  # noqa: ANN401 - the library has no types
        """Nothing more than the rows."""

    def open(self) -> None:
        self._table = import_module("lancedb").connect(str(self.path)).open_table("chunks")

    def _search(self, vector: Floats) -> Any:  # noqa: ANN401 - the library has no types
        return self._table.search(vector).distance_type("dot")

    def nearest(self, vector: Floats) -> list[int]:
        found = self._search(vector).select(["row", "_distance"]).limit(_LIMIT).to_arrow()
        rows: list[int] = found["row"].to_pylist()
        return rows


class LanceQuantised(Lance):
    """The same with IVF_PQ, 20 probes, refined 40 times."""

    def _prepare(self, table: Any) -> None:  # noqa: ANN401 - the library has no types
        table.create_index(metric="dot", vector_column_name="vector", index_type="IVF_PQ")

    def _search(self, vector: Floats) -> Any:  # noqa: ANN401 - the library has no types
        return super()._search(vector).nprobes(20).refine_factor(40)


class Tantivy:
    """Full text with block-max WAND; `short` leaves stop words out of the question, as we do."""

    _index: Any
    _searcher: Any

    def __init__(self, path: Path, *, short: bool = False) -> None:
        self.path = path
        self._short = short

    def build(self, corpus: Corpus, vectors: Floats) -> Stopwatch:
        watch = Stopwatch()
        tantivy = import_module("tantivy")
        shutil.rmtree(self.path, ignore_errors=True)
        self.path.mkdir()
        schema = tantivy.SchemaBuilder()
        schema.add_unsigned_field("row", stored=True)
        schema.add_text_field("body", stored=True, tokenizer_name="default")
        index = tantivy.Index(schema.build(), path=str(self.path))
        writer = index.writer(heap_size=128_000_000, num_threads=1)
        for made in corpus:
            with watch.running():
                for at, text in enumerate(made.texts):
                    writer.add_document(tantivy.Document(row=made.first_row + at, body=text))
        with watch.running():
            writer.commit()
            writer.wait_merging_threads()
        return watch

    def open(self) -> None:
        self._index = import_module("tantivy").Index.open(str(self.path))
        self._searcher = self._index.searcher()

    def nearest(self, vector: Floats) -> list[int]:
        return []

    def matching(self, text: str) -> list[int]:
        words = [word for word in text.split() if not (self._short and word in _ASKED_WITH)]
        query = self._index.parse_query(" ".join(words), ["body"])
        hits = self._searcher.search(query, _LIMIT, count=False).hits
        return [self._searcher.doc(address)["row"][0] for _, address in hits]


@dataclass(frozen=True)
class Peer:
    """A named engine, what it needs, how large a corpus it is given, and where it lies."""

    name: str
    kind: type[Engine]
    library: str
    file: str
    largest: int
    options: tuple[tuple[str, bool], ...] = ()
    shares: bool = False
    """Whether the peer before has built what it asks."""

    def engine(self, folder: Path) -> Engine:
        # The protocol says nothing of how an engine is made.
        made: Engine = self.kind(folder / self.file, **dict(self.options))  # type: ignore[call-arg] # see above
        return made

    def missing(self, chunks: int) -> str | None:
        """Why it takes no part; None where it does."""
        try:
            import_module(self.library)
        except ImportError as error:
            return f"not installed ({error})"
        return None if chunks <= self.largest else f"built up to {self.largest:,} chunks only"


ANY, GRAPHS = 10**9, 100_000
PEERS_KNOWN = (
    Peer("faiss IndexFlatIP", Faiss, "faiss", "faiss.index", ANY),
    Peer("hnswlib, ef 200", Hnswlib, "hnswlib", "hnsw.index", GRAPHS),
    Peer("lancedb, flat", Lance, "lancedb", "lance", GRAPHS),
    Peer("lancedb, IVF_PQ", LanceQuantised, "lancedb", "pq-lance", GRAPHS),
    Peer("tantivy, all words", Tantivy, "tantivy", "tantivy", ANY),
    Peer("tantivy, no stop words", Tantivy, "tantivy", "tantivy", ANY, (("short", True),), True),
)
