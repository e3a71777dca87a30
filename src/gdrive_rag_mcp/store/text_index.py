"""The full-text side of the index: FTS5 rows, the corpus's vocabulary, and BM25 search."""

import math
from collections.abc import Iterable, Sequence
from functools import lru_cache

import apsw

from gdrive_rag_mcp.domain import (
    Chunk,
    Filters,
    PhraseStatistics,
    QueryPhrase,
    QueryTerm,
    Scope,
    TermStatistics,
    TextMatch,
)
from gdrive_rag_mcp.store.connection import fetch
from gdrive_rag_mcp.store.narrowing import Narrowing
from gdrive_rag_mcp.store.vocabulary import Vocabulary, phrases
from gdrive_rag_mcp.terms import index_text, language_of

_WEIGHTS = "2.0, 1.5, 1.0, 1.0"
"""Of title, headings, body and name."""


_OPTIONS = {"hashsize": 4 * 2**20, "automerge": 8}
"""How FTS5 writes (sqlite.org/fts5.html §6): how many bytes it gathers in memory before it writes a
piece of the index, and how many pieces of a size it lets come together before it merges them. With
its own choice, 1 MiB and 4, it writes most of what it is given three times."""

TextRow = tuple[int, str, str, str, str]
"""A chunk's number, then what is indexed of its title, headings, body and name."""
_lead = lru_cache(maxsize=256)(index_text)  # what stands above all chunks of a document or section


class TextIndex:
    """One generation's full-text table, over a connection it does not own."""

    def __init__(self, connection: apsw.Connection, generation: int, narrowing: Narrowing) -> None:
        self._connection = connection
        self._narrowing = narrowing
        self._table = f"text_g{generation}"
        self._vocabulary = Vocabulary(connection, f"words_g{generation}")
        self._added: dict[int, TextRow] = {}
        self._removed: list[int] = []
        self._tuned = False

    # ── writing ──────────────────────────────────────────────────────────────

    def add(self, rows: Iterable[TextRow]) -> None:
        """Take rows in, which are written with all others of the transaction."""
        self._added.update((row[0], row) for row in rows)

    def remove(self, chunks: Iterable[int]) -> None:
        """Take chunks out, likewise."""
        for chunk in chunks:
            if self._added.pop(chunk, None) is None:
                self._removed.append(chunk)

    def write_out(self) -> None:
        """Write what has been taken in and out.

        FTS5 gathers rows in memory, and writes them into the file before each statement that
        changes many rows of another table: so they come last, and together.
        """
        if not (self._removed or self._added):
            return
        self._tune()
        if self._removed:
            self._connection.executemany(
                f"DELETE FROM {self._table} WHERE rowid = ?", ((chunk,) for chunk in self._removed)
            )
        if self._added:
            self._connection.executemany(
                f"INSERT INTO {self._table} (rowid, title, headings, body, name) "
                "VALUES (?, ?, ?, ?, ?)",
                self._added.values(),
            )
        self._added, self._removed = {}, []

    def _tune(self) -> None:
        """Have FTS5 write as we need it, which the index keeps, and which changes only the pace."""
        if self._tuned:
            return
        self._tuned = True
        set_so_far = dict(fetch(self._connection, f"SELECT k, v FROM {self._table}_config"))
        for name, value in _OPTIONS.items():
            if set_so_far.get(name) != value:
                self._connection.execute(
                    f"INSERT INTO {self._table} ({self._table}, rank) VALUES (?, ?)", (name, value)
                )

    def forget_unwritten(self) -> None:
        """Give up what has not been written, as the transaction is rolled back."""
        self._added, self._removed = {}, []
        self._tuned = False  # that may have been part of it

    # ── searching ────────────────────────────────────────────────────────────

    def term_statistics(
        self, terms: Sequence[QueryTerm], scope: Scope, filters: Filters, chunks: int
    ) -> tuple[TermStatistics, ...]:
        """What the corpus in scope knows of each term; `chunks` is the corpus's size."""
        self.write_out()
        language = language_of(" ".join(term.surface for term in terms))
        flags = self._flags(scope, filters)
        # Beside words that say more, function words are not asked for; looking for them among few
        # chunks would read the longest lists of the index to their ends.
        flags_of_others = None if any(term.key for term in terms) else flags
        key = [term.token for term in terms if term.key]
        found = []
        for term in terms:
            if not term.key:
                known = self._known([term.token], (), flags_of_others, most=1)
                found.append(TermStatistics(term.surface, (term.token,), known, 0.0, key=False))
                continue
            others = [token for token in key if token != term.token]
            forms = self._vocabulary.forms(term, language, others)
            known = self._known(forms, (), flags)
            near = () if known else self._vocabulary.parts(term.token, language)
            if near:
                known = self._known(forms, near, flags)
            idf = inverse_document_frequency(known, chunks)
            found.append(TermStatistics(term.surface, forms, known, idf, near=near))
        return tuple(found)

    def phrase_statistics(
        self, asked: Sequence[QueryPhrase], scope: Scope, filters: Filters, chunks: int
    ) -> tuple[PhraseStatistics, ...]:
        """How many chunks in scope hold each phrase in any of its forms."""
        flags = self._flags(scope, filters) if asked else None
        known = [self._known(phrase.forms, (), flags) for phrase in asked]
        return tuple(
            PhraseStatistics(phrase, count, inverse_document_frequency(count, chunks))
            for phrase, count in zip(asked, known, strict=True)
        )

    def _flags(self, scope: Scope, filters: Filters) -> bytes | None:
        """A byte a chunk, 1 where it may be found; None where all may."""
        if scope.everything and not filters.any:
            return None
        admitted = self._narrowing.admitted(scope, filters)
        return None if admitted.counts == self._narrowing.counts() else admitted.chunks

    def _known(
        self,
        forms: Sequence[str],
        near: Sequence[tuple[str, str]],
        flags: bytes | None,
        *,
        most: int = -1,
    ) -> int:
        """How many chunks that may be found hold any of the forms; up to `most`."""
        matching, parameters = self._matching(phrases(forms, near), flags)
        row = self._connection.execute(
            f"SELECT count(*) FROM (SELECT rowid {matching} LIMIT ?)", (*parameters, most)
        ).fetchone()
        return int(row[0]) if row else 0

    def search(
        self, terms: Sequence[TermStatistics], scope: Scope, filters: Filters, limit: int
    ) -> tuple[TextMatch, ...]:
        """Rank chunks that hold any form of any term by BM25, as FTS5 computes it; then by number.

        SQLite sorts, as it keeps no more than the best; FTS5 itself would sort all that match.
        """
        self.write_out()
        asked = [one for term in terms if term.chunks for one in phrases(term.forms, term.near)]
        if not asked:
            return ()
        matching, parameters = self._matching(asked, self._flags(scope, filters))
        rows = fetch(
            self._connection,
            f"SELECT rowid, -bm25({self._table}, {_WEIGHTS}) AS score {matching} "
            "ORDER BY score DESC, rowid LIMIT ?",
            (*parameters, limit),
        )
        return tuple(TextMatch(chunk, score) for chunk, score in rows)

    def _matching(
        self, asked: Sequence[str], flags: bytes | None
    ) -> tuple[str, tuple[str | bytes, ...]]:
        """FROM and WHERE of the chunks that may be found and hold any of what is asked.

        A look at the chunk's flag comes before any reckoning of its score, and costs a tenth of it.
        `rowid IN (SELECT …)` beside MATCH would make FTS5 look every row up in its posting lists.
        """
        clause = f"FROM {self._table} WHERE {self._table} MATCH ?"
        expression = " OR ".join(dict.fromkeys(asked))
        if flags is None:
            return clause, (expression,)
        return f"{clause} AND substr(?, rowid, 1) = x'01'", (expression, flags)


def inverse_document_frequency(known: int, chunks: int) -> float:
    """The idf that FTS5's bm25() uses (sqlite.org/fts5.html §5.1.1), never below its floor."""
    if chunks <= 0:
        return 0.0
    return max(math.log((chunks - known + 0.5) / (known + 0.5)), 1e-6)


def rows_of(chunks: Iterable[tuple[int, Chunk]], name: str) -> Iterable[TextRow]:
    """The full-text rows of a document's chunks."""
    name = index_text(name)
    for number, chunk in chunks:
        headings = _lead(" ".join(chunk.headings))
        yield number, _lead(chunk.title), headings, index_text(chunk.reading), name
