"""The full-text side of the index: FTS5 rows, the corpus's vocabulary, and BM25 search."""

import math
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

import apsw

from gdrive_rag_mcp.domain import (
    Chunk,
    Filters,
    QueryTerm,
    Scope,
    TermStatistics,
    TextMatch,
)
from gdrive_rag_mcp.store.scoping import filter_condition, scope_tokens
from gdrive_rag_mcp.terms import index_text, is_single_sign, language_of, starts_of_forms, stem

# Weights of title, headings, body, name; the scope column never ranks.
_BM25 = "bm25(2.0, 1.5, 1.0, 1.0, 0.0)"
_WORDS = "{title headings body name}"
_MOST_FORMS = 12
_MOST_PAIRS = 64
_VOCABULARY_SCAN = 400


@dataclass(frozen=True, slots=True)
class TextRow:
    """What the full-text index keeps of a chunk."""

    chunk: int
    title: str
    headings: Sequence[str]
    body: str
    name: str
    scope: str


class TextIndex:
    """One generation's full-text table, over a connection it does not own."""

    def __init__(self, connection: apsw.Connection, generation: int) -> None:
        self._connection = connection
        self._table = f"text_g{generation}"
        self._vocabulary = f"words_g{generation}"

    def add(self, rows: Iterable[TextRow]) -> None:
        self._connection.executemany(
            f"INSERT INTO {self._table} (rowid, title, headings, body, name, scope) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            (
                (
                    row.chunk,
                    index_text(row.title),
                    index_text(" ".join(row.headings)),
                    index_text(row.body),
                    index_text(row.name),
                    row.scope,
                )
                for row in rows
            ),
        )

    def remove(self, chunks: Iterable[int]) -> None:
        self._connection.executemany(
            f"DELETE FROM {self._table} WHERE rowid = ?", ((chunk,) for chunk in chunks)
        )

    def term_statistics(
        self, terms: Sequence[QueryTerm], scope: Scope, filters: Filters, chunks: int
    ) -> tuple[TermStatistics, ...]:
        """What the corpus in scope knows of each term; `chunks` is the corpus's size."""
        language = language_of(" ".join(term.surface for term in terms))
        places = None if scope.everything else scope_tokens(self._connection, scope)
        allowed = self._allowed(scope, filters) if filters.any else None
        found = []
        for term in terms:
            if not term.key:
                # Whether it is there at all: counting would read the longest lists of the index.
                known = self._known([term.token], places, allowed, most=1)
                found.append(TermStatistics(term.surface, (term.token,), known, 0.0, key=False))
                continue
            forms = self._forms(term.token, language)
            known = self._known(forms, places, allowed)
            idf = inverse_document_frequency(known, chunks)
            found.append(TermStatistics(term.surface, forms or (term.token,), known, idf))
        return tuple(found)

    def _forms(self, token: str, language: str) -> tuple[str, ...]:
        """The vocabulary's words with the token's stem: itself, then the most frequent ones.

        The index keeps words as written; a question finds their other forms here, in range scans of
        the vocabulary from what the forms begin with.
        """
        if is_single_sign(token):
            return (token, *self._pairs_beginning_with(token))
        exact = tuple(word for word, _ in self._words("term = ?", token))
        root = stem(token, language)
        others = {
            (-count, word)
            for start in starts_of_forms(token, language)
            for word, count in self._beginning_with(start)
            if word != token and stem(word, language) == root
        }
        return exact + tuple(word for _, word in sorted(others)[:_MOST_FORMS])

    def _beginning_with(self, start: str) -> list[tuple[str, int]]:
        return self._words(
            "term >= ? AND term < ? LIMIT ?", start, _just_after(start), _VOCABULARY_SCAN
        )

    def _pairs_beginning_with(self, sign: str) -> list[str]:
        # No pair is left out of the scan: a sign has some hundreds, and any may be the commonest.
        pairs = self._words(
            "term > ? AND term < ? ORDER BY doc DESC, term LIMIT ?",
            sign,
            _just_after(sign),
            _MOST_PAIRS,
        )
        return [pair for pair, _ in pairs]

    def _words(self, condition: str, *parameters: str | int) -> list[tuple[str, int]]:
        """Words of the vocabulary, each with about how many chunks hold it."""
        return [
            (word, count)
            for word, count in self._connection.execute(
                f"SELECT term, doc FROM {self._vocabulary} WHERE {condition}", parameters
            )
        ]

    def _known(
        self,
        forms: Sequence[str],
        places: Sequence[str] | None,
        allowed: Container[int] | None,
        *,
        most: int = -1,
    ) -> int:
        """How many chunks in scope, and among the allowed ones, hold any form; up to `most`."""
        expression = _expression(_phrases(forms), places)
        if expression is None:
            return 0
        statement = f"SELECT rowid FROM {self._table} WHERE {self._table} MATCH ?"
        if allowed is None:
            row = self._connection.execute(
                f"SELECT count(*) FROM ({statement} LIMIT ?)", (expression, most)
            ).fetchone()
            return int(row[0]) if row else 0
        rows = self._connection.execute(statement, (expression,))
        matching = (chunk for (chunk,) in rows if chunk in allowed)
        return sum(1 for _ in islice(matching, most if most >= 0 else None))

    def search(
        self, terms: Sequence[TermStatistics], scope: Scope, filters: Filters, limit: int
    ) -> tuple[TextMatch, ...]:
        """Rank chunks that hold any form of any term by BM25, as FTS5 computes it."""
        places = None if scope.everything else scope_tokens(self._connection, scope)
        phrases = [phrase for term in terms if term.chunks for phrase in _phrases(term.forms)]
        expression = _expression(phrases, places)
        if expression is None:
            return ()
        if not filters.any:
            rows = self._connection.execute(
                f"SELECT rowid, -rank FROM {self._table} WHERE {self._table} MATCH ? "
                f"AND rank MATCH '{_BM25}' ORDER BY rank LIMIT ?",
                (expression, limit),
            )
            return tuple(TextMatch(chunk, score) for chunk, score in rows)
        return self._filtered(expression, scope, filters, limit)

    def _filtered(
        self, expression: str, scope: Scope, filters: Filters, limit: int
    ) -> tuple[TextMatch, ...]:
        """Walk down the ranking until enough chunks have passed the filters.

        `rowid IN (SELECT …)` beside MATCH would make FTS5 look every row up in its posting lists.
        """
        allowed = self._allowed(scope, filters)
        found: list[TextMatch] = []
        ranking = self._connection.execute(
            f"SELECT rowid, -rank FROM {self._table} WHERE {self._table} MATCH ? "
            f"AND rank MATCH '{_BM25}' ORDER BY rank",
            (expression,),
        )
        for chunk, score in ranking:
            if len(found) == limit:
                break
            if chunk in allowed:
                found.append(TextMatch(chunk, score))
        return tuple(found)

    def _allowed(self, scope: Scope, filters: Filters) -> frozenset[int]:
        condition, parameters = filter_condition(scope, filters)
        rows = self._connection.execute(
            f"SELECT c.num FROM files f CROSS JOIN chunks c ON c.file = f.num WHERE {condition}",
            parameters,
        )
        return frozenset(number for (number,) in rows)


def inverse_document_frequency(known: int, chunks: int) -> float:
    """The idf that FTS5's bm25() uses (sqlite.org/fts5.html §5.1.1), never below its floor."""
    if chunks <= 0:
        return 0.0
    return max(math.log((chunks - known + 0.5) / (known + 0.5)), 1e-6)


def _just_after(start: str) -> str:
    """The first string that sorts behind all that begin with `start`."""
    return start[:-1] + chr(ord(start[-1]) + 1)


def _phrases(forms: Sequence[str]) -> list[str]:
    """The FTS5 phrases that find a term's forms.

    A single sign is looked for as what words begin with: one phrase, which BM25 weighs by all
    chunks that hold the sign, and which leaves no rare pair out.
    """
    if forms and is_single_sign(forms[0]):
        return [f"{_quoted(forms[0])} *"]
    return [_quoted(form) for form in forms]


def _expression(phrases: Sequence[str], scope: Sequence[str] | None) -> str | None:
    """An FTS5 query for any of the phrases within any of the scope tokens; None matches nothing."""
    if not phrases or (scope is not None and not scope):
        return None
    anything = " OR ".join(dict.fromkeys(phrases))
    if scope is None:
        return f"{_WORDS} : ({anything})"
    places = " OR ".join(_quoted(token) for token in scope)
    return f"(scope : ({places})) AND ({_WORDS} : ({anything}))"


def _quoted(token: str) -> str:
    return '"' + token.replace('"', '""') + '"'


def scope_text(tokens: Iterable[str]) -> str:
    """The scope column of a chunk."""
    return " ".join(tokens)


def rows_of(
    chunks: Iterable[tuple[int, Chunk]], name: str, scope: Iterable[str]
) -> Iterable[TextRow]:
    """The full-text rows of a document's chunks."""
    places = scope_text(scope)
    for number, chunk in chunks:
        yield TextRow(number, chunk.title, chunk.headings, chunk.reading, name, places)
