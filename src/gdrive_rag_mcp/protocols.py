"""The seams: what has, or will have, a second implementation, or is slow, paid or remote."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias, runtime_checkable

from gdrive_rag_mcp.domain import (
    ChangePage,
    Chunk,
    Document,
    EmbeddingIdentity,
    Fetched,
    Filters,
    FolderToList,
    ItemToLookUp,
    Passage,
    QueryPhrase,
    QueryTerm,
    RetrievalStatistics,
    Scope,
    SourceFile,
    SourceUsage,
    TermStatistics,
    TextMatch,
    TokenVectors,
    VectorMatches,
)

if TYPE_CHECKING:  # numpy costs a tenth of a second that `--help` and `tools/list` need not pay
    import numpy as np
    import numpy.typing as npt

Vector: TypeAlias = "npt.NDArray[np.float32]"
Vectors: TypeAlias = "npt.NDArray[np.float32]"
Pieces: TypeAlias = "npt.NDArray[np.int32]"

EmbedRole = Literal["query", "document"]


class Frontier(Protocol):
    """What the ledger knows of, but has not seen the inside of; it outlives the process."""

    def folders(self) -> Sequence[FolderToList]:
        """Folders in scope whose content was not listed to its end; empty when all were."""

    def lookups(self) -> Sequence[ItemToLookUp]:
        """Items in scope that no listing shows, and that are due for a look."""

    def unknown(self, ids: Iterable[str]) -> frozenset[str]:
        """Of ids, those that the ledger knows nothing of."""


class Source(Protocol):
    """Where files come from; it only ever reads."""

    @property
    def root(self) -> str:
        """What is synced, as one stable string, such as `folder:/srv/docs` or `drive:1AbC`."""

    @property
    def usage(self) -> SourceUsage:
        """What reading has cost since this object was made."""

    def check(self) -> None:
        """See that the root is there and readable.

        Raises:
            SourceAuthError: the credentials are missing, malformed or refused.
            RootUnavailableError: the root is gone, is no folder, or may not be read.
            SourceUnavailableError: it cannot be reached.
        """

    def changes(self, cursor: str | None, frontier: Frontier) -> Iterator[ChangePage]:
        """Yield the news since `cursor` (None: list everything), in pages to commit one by one.

        The next page is asked for only when the one before is kept, so that `frontier` knows of it.
        That the iterator ends means that there is nothing more to be known.

        Raises:
            SourceAuthError: the credentials were refused on the way.
            SourceUnavailableError: the listing broke off; what came before stays valid.
        """

    def read(self, file: SourceFile, into: Path) -> Fetched:
        """Write the file's content to `into`, never more than the source's size limit.

        Raises:
            FileUnreadableError: this one file cannot be had; carries the ledger reason.
            SourceAuthError: the credentials were refused.
            SourceUnavailableError: nothing can be read any more, such as after a day's quota.
            DiskFullError: there is no room for the content.
        """


class Extractor(Protocol):
    """Turns the bytes of one file into text; knows neither its name nor its path."""

    def extract(self, content: Path, mime_type: str) -> Document:
        """Read a file.

        Raises:
            ExtractionError: the file cannot be read; carries the ledger reason.
        """


class Chunker(Protocol):
    """Cuts a document into the units that are embedded and ranked; deterministic."""

    @property
    def identity(self) -> str:
        """Name, version and sizes: when it changes, every document is cut again."""

    def chunk(self, document: Document) -> tuple[Chunk, ...]:
        """Cut a document; `document.text[c.start:c.end] == c.text` for every chunk."""


class Embedder(Protocol):
    """Turns texts into unit vectors."""

    @property
    def identity(self) -> EmbeddingIdentity:
        """What must match for two vectors to be comparable."""

    @property
    def max_tokens(self) -> int:
        """The longest text, in the model's own tokens, that one vector stands for."""

    @property
    def parallel_calls(self) -> int:
        """How many `embed` calls are worth making side by side, from threads of one process.

        1 for a model that runs here, as it uses the processors by itself. Every embedder is safe
        for as many threads as there are.
        """

    def calls(self, texts: int, characters: int) -> int:
        """Forecast what so many texts, of so many characters in all, cost: calls to a provider.

        As the provider counts them against its quota and bills them: some count requests, some
        every text in them. 0 for a model that runs here. Nothing is sent.
        """

    def embed(self, texts: Sequence[str], *, role: EmbedRole) -> Vectors:
        """Embed texts in order: float32, shape (len(texts), dimensions), rows of length 1.

        Raises:
            EmbedderUnavailableError: other texts would fare no better: the provider cannot be
                reached, refuses the key or the model, or makes vectors of another length.
            EmbeddingError: one of these texts may be the cause: they were refused, or the answer
                has the wrong count or is not finite.
        """


@dataclass(frozen=True, slots=True, eq=False)
class Embedded:
    """What became of some texts: a vector each, and their token vectors where there are any."""

    vectors: Vectors
    tokens: tuple[TokenVectors, ...] | None = None


@runtime_checkable
class TokenEmbedder(Protocol):
    """An embedder that may tell the tokens of a text apart as well."""

    def token_projection(self) -> int | None:
        """Which projection makes its token vectors; None if this model has none."""

    def embed_with_tokens(self, texts: Sequence[str], *, role: EmbedRole) -> Embedded:
        """As `Embedder.embed`, and as long; with the token vectors of all of each text."""

    def pieces(self, texts: Sequence[str]) -> Sequence[Pieces]:
        """Which pieces of the model's vocabulary the tokens of each text are, in order.

        They are those of its token vectors, found without running the model.

        Raises:
            EmbedderUnavailableError: the model cannot be read.
        """


def token_projection_of(embedder: Embedder | None) -> int | None:
    """Which projection makes an embedder's token vectors; None if it makes none."""
    if isinstance(embedder, TokenEmbedder):
        return embedder.token_projection()
    return None


def pieces_of(embedder: Embedder, texts: Sequence[str]) -> Sequence[Pieces] | None:
    """The pieces that each text consists of; None if the embedder makes no token vectors.

    Raises:
        EmbedderUnavailableError: as `TokenEmbedder.pieces`.
    """
    if isinstance(embedder, TokenEmbedder) and embedder.token_projection() is not None:
        return embedder.pieces(texts)
    return None


def embed_with_tokens(embedder: Embedder, texts: Sequence[str], *, role: EmbedRole) -> Embedded:
    """Embed texts, with token vectors where the embedder makes them.

    Raises:
        EmbeddingError: as `Embedder.embed`.
    """
    if isinstance(embedder, TokenEmbedder):
        return embedder.embed_with_tokens(texts, role=role)
    return Embedded(embedder.embed(texts, role=role))


class SearchIndex(Protocol):
    """What another search engine would have to offer. Chunk numbers are private to the index."""

    def replace(
        self, document_id: str, document: Document, chunks: Sequence[Chunk], *, chunking: str
    ) -> int:
        """Put a document in place of its former self.

        Returns how many of its chunks got a vector that the index already had.
        """

    def remove(self, document_id: str) -> None:
        """Take a document out; unknown ids are ignored."""

    def statistics(
        self,
        terms: Sequence[QueryTerm],
        scope: Scope,
        filters: Filters,
        phrases: Sequence[QueryPhrase] = (),
    ) -> RetrievalStatistics:
        """Count what is in scope and how many of its chunks know each term and phrase."""

    def search_text(
        self, terms: Sequence[TermStatistics], scope: Scope, filters: Filters, limit: int
    ) -> tuple[TextMatch, ...]:
        """Rank chunks by BM25, best first."""

    def search_vectors(
        self, vector: Vector, scope: Scope, filters: Filters, limit: int
    ) -> VectorMatches:
        """Rank chunks by cosine, best first, with the background of that question."""

    def passages(self, chunks: Sequence[int], scope: Scope) -> Mapping[int, Passage]:
        """Fetch the text and origin of chunks; what is outside the scope is left out."""

    def without_vectors(self, chunks: Sequence[int]) -> frozenset[int]:
        """Which of some chunks wait for their vector, and can be found by their words alone."""

    def token_vectors(self, chunks: Sequence[int], projection: int) -> Mapping[int, TokenVectors]:
        """The token vectors of some chunks, which are known to be in scope; some may have none."""
