"""The search index over SQLite: documents in, ranked chunks out; both halves kept in step."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

import apsw

from gdrive_rag_mcp.domain import (
    Chunk,
    Document,
    EmbeddingOutlook,
    Filters,
    Passage,
    QueryPhrase,
    QueryTerm,
    RetrievalStatistics,
    Scope,
    TermStatistics,
    TextMatch,
    TokenVectors,
    VectorMatches,
)
from gdrive_rag_mcp.errors import DocumentNotFoundError
from gdrive_rag_mcp.protocols import Vector, Vectors
from gdrive_rag_mcp.store import documents
from gdrive_rag_mcp.store.chunk_rows import ChunkRows
from gdrive_rag_mcp.store.connection import fetch, transaction
from gdrive_rag_mcp.store.documents import Texts
from gdrive_rag_mcp.store.generation import Generation
from gdrive_rag_mcp.store.generations import Generations
from gdrive_rag_mcp.store.narrowing import Narrowing
from gdrive_rag_mcp.store.passages import (
    PASSAGE_COLUMNS,
    read_passage,
)
from gdrive_rag_mcp.store.scoping import scope_condition
from gdrive_rag_mcp.store.text_index import TextIndex, rows_of
from gdrive_rag_mcp.store.token_gaps import TokenGaps
from gdrive_rag_mcp.store.vector_index import VectorIndex


class SqliteSearchIndex:
    """Full text, and the vectors in service; replacing a document is one transaction."""

    def __init__(
        self,
        connection: apsw.Connection,
        text: TextIndex,
        vectors: VectorIndex,
        generations: Generations,
        narrowing: Narrowing,
    ) -> None:
        self._connection = connection
        self._text = text
        self._vectors = vectors
        self._narrowing = narrowing
        self._generations = generations
        self._serving = generations.serving
        self._chunks = ChunkRows(connection)

    # ── writing ──────────────────────────────────────────────────────────────

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Everything inside is kept, or nothing of it; joins a transaction that is open."""
        joined = self._connection.in_transaction
        try:
            with transaction(self._connection):
                yield
                if not joined:
                    self._text.write_out()
        except BaseException:
            if not joined:
                self.forget_unwritten()
            raise

    def forget_unwritten(self) -> None:
        """Give up what a transaction that was rolled back would still have written."""
        self._text.forget_unwritten()
        self._vectors.forget_rolled_back()

    def replace(
        self, document_id: str, document: Document, chunks: Sequence[Chunk], *, chunking: str
    ) -> int:
        """Put a document in place of its former self.

        Returns how many chunks got a vector that the index already had.

        Raises:
            DocumentNotFoundError: the ledger has no such file.
        """
        with self.transaction():
            file, name = self._file(document_id)
            former = self._forget_chunks(file)
            documents.write(self._connection, file, document, chunking)
            numbers = self._chunks.add(file, chunks)
            self._connection.execute(
                "UPDATE files SET chunk_count = ? WHERE num = ?", (len(chunks), file)
            )
            for generation in self._all_generations():
                generation.expect(numbers)
            reused = self._serving.attach_known(numbers)
            self._text.remove(former)
            self._text.add(rows_of(zip(numbers, chunks, strict=True), name))
            return len(reused)

    def remove(self, document_id: str) -> None:
        """Take a document out of search; its line in the ledger is the ledger's affair."""
        with self.transaction():
            row = self._connection.execute(
                "SELECT num FROM files WHERE id = ?", (document_id,)
            ).fetchone()
            if row:
                former = self._forget_chunks(row[0])
                self._connection.execute("DELETE FROM documents WHERE file = ?", row)
                self._connection.execute("UPDATE files SET indexed_at = NULL WHERE num = ?", row)
                self._text.remove(former)

    def _all_generations(self) -> tuple[Generation, ...]:
        """That in service and, where there is one, that which is being built."""
        building = self._generations.building
        return (self._serving, building) if building else (self._serving,)

    def _forget_chunks(self, file: int) -> list[int]:
        """Take a file's chunks out but for their full text; returns their numbers.

        The file is counted as one without any, even if as many follow: those who hold its chunks'
        numbers in memory read them anew when a count changes.
        """
        numbers = self._chunks.numbers_of(file)
        if not numbers:
            return []
        for generation in self._all_generations():
            generation.remove(numbers)
        self._chunks.remove(file)
        self._connection.execute(
            "UPDATE files SET chunk_count = 0, vector_count = 0 WHERE num = ?", (file,)
        )
        return numbers

    def refile(self, document_id: str) -> None:
        """Rewrite a document's full-text rows after it was renamed, and nothing else."""
        with self.transaction():
            file, name = self._file(document_id)
            chunks = self._chunks.of_file(file)
            self._text.remove([number for number, _ in chunks])
            self._text.add(rows_of(chunks, name))

    def _file(self, document_id: str) -> tuple[int, str]:
        row = self._connection.execute(
            "SELECT num, name FROM files WHERE id = ?", (document_id,)
        ).fetchone()
        if row is None:
            raise DocumentNotFoundError(f"the ledger has no file {document_id!r}")
        return int(row[0]), str(row[1])

    # ── vectors that are still to be made ────────────────────────────────────

    def without_vector(self, after: int, limit: int) -> list[tuple[int, Chunk]]:
        """Chunks that wait for a vector, in order of number, from beyond `after`."""
        return self._serving.without_vector(after, limit)

    def waiting(self) -> int:
        """How many chunks wait for a vector."""
        return self._serving.waiting()

    def outlook(self) -> EmbeddingOutlook:
        """What is still to be embedded."""
        return self._serving.outlook()

    def attach_known(self, numbers: Sequence[int]) -> set[int]:
        """Give waiting chunks the vectors that the index already has of their texts.

        Returns the numbers of those that got one.
        """
        return self._serving.attach_known(numbers)

    def attach_vectors(
        self,
        numbers: Sequence[int],
        hashes: Sequence[str],
        rows: Vectors,
        tokens: Sequence[TokenVectors] | None = None,
    ) -> None:
        """Give chunks their vectors, shape (len(numbers), dimensions), kept as float16.

        With the token vectors of each, where there are any. A chunk that has gone meanwhile, or
        holds another text, is left alone.
        """
        self._serving.attach_vectors(numbers, hashes, rows, tokens)

    def without_tokens(self, projection: int) -> TokenGaps:
        """The texts that have their vector, but no token vectors that this projection made."""
        return self._serving.without_tokens(projection)

    # ── searching ────────────────────────────────────────────────────────────

    def statistics(
        self,
        terms: Sequence[QueryTerm],
        scope: Scope,
        filters: Filters,
        phrases: Sequence[QueryPhrase] = (),
    ) -> RetrievalStatistics:
        """Count what is in scope and how many of its chunks know each term and phrase."""
        found = self._narrowing.counts(scope, filters)
        known = (
            self._text.term_statistics(terms, scope, filters, found.chunks) if found.chunks else ()
        )
        held = self._text.phrase_statistics(phrases, scope, filters, found.chunks)
        ideal = sum(term.idf for term in known if term.key)
        return RetrievalStatistics(
            found.documents,
            found.chunks,
            known,
            ideal,
            vectorless_chunks=found.chunks - found.vectors,
            phrases=held,
        )

    def search_text(
        self, terms: Sequence[TermStatistics], scope: Scope, filters: Filters, limit: int
    ) -> tuple[TextMatch, ...]:
        """Rank chunks by BM25, best first."""
        return self._text.search(terms, scope, filters, limit)

    def search_vectors(
        self, vector: Vector, scope: Scope, filters: Filters, limit: int
    ) -> VectorMatches:
        """Rank chunks by cosine, best first, with the background of that question."""
        return self._vectors.search(vector, scope, filters, limit)

    def beside(self, passage: Passage, reach: int) -> tuple[str, str]:
        """The text before and after a passage, as far as `reach` chunks of its document go."""
        ordinal = int(passage.chunk_id.rsplit(":", 2)[1])
        row = self._connection.execute(
            """SELECT c.file, min(c.start), max(c."end")
            FROM chunks c JOIN files f ON f.num = c.file
            WHERE f.id = ? AND c.ordinal BETWEEN ? AND ?""",
            (passage.document_id, ordinal - reach, ordinal + reach),
        ).fetchone()
        if row is None or row[0] is None:  # a sync has taken it out meanwhile
            return "", ""
        file, start, end = row
        texts = Texts(self._connection)
        return texts.part(file, start, passage.start), texts.part(file, passage.end, end)

    def passages(self, chunks: Sequence[int], scope: Scope) -> Mapping[int, Passage]:
        """Fetch the text and origin of chunks; what is outside the scope is left out."""
        condition, parameters = scope_condition(scope)
        rows = fetch(
            self._connection,
            f"{PASSAGE_COLUMNS} WHERE c.num IN (SELECT value FROM json_each(?)) AND {condition} "
            "ORDER BY c.num",
            (json.dumps([int(chunk) for chunk in chunks]), *parameters),
        )
        texts = Texts(self._connection)
        return {row[0]: read_passage(row, texts) for row in rows}

    def without_vectors(self, chunks: Sequence[int]) -> frozenset[int]:
        """Which of some chunks wait for their vector, and can be found by their words alone."""
        return self._serving.waiting_among(chunks)

    def token_vectors(self, chunks: Sequence[int], projection: int) -> Mapping[int, TokenVectors]:
        """The token vectors of some chunks, which are known to be in scope; some may have none."""
        return self._serving.tokens.of(chunks, projection)
