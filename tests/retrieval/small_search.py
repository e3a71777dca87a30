"""A retriever over a handful of texts, for tests of the order in which they come."""

from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from gdrive_rag_mcp.chunking.structural import StructuralChunker
from gdrive_rag_mcp.domain import Mode, Query, Retrieved
from gdrive_rag_mcp.retrieval import NO_SYNONYMS, Retriever, Thesaurus
from gdrive_rag_mcp.store import Store
from gdrive_rag_mcp.testing.hashing_embedder import HashingEmbedder
from gdrive_rag_mcp.testing.small_index import fill_index, plain_document


class SmallSearch:
    """Indexes texts and asks questions of them; what it opened is closed by the stack."""

    def __init__(self, folder: Path, opened: ExitStack) -> None:
        self._folder = folder
        self._opened = opened
        self._made = 0

    def ask(
        self,
        texts: Mapping[str, str],
        question: str,
        *,
        mode: Mode = Mode.HYBRID,
        thesaurus: Thesaurus = NO_SYNONYMS,
        limit: int = 5,
    ) -> Retrieved:
        self._made += 1
        path = self._folder / f"{self._made}.db"
        documents = ((key, plain_document(text)) for key, text in texts.items())
        fill_index(path, documents, StructuralChunker(300, 40), HashingEmbedder())
        store = self._opened.enter_context(Store.open_for_reading(path))
        retriever = Retriever(store.index, HashingEmbedder(), mode, thesaurus=thesaurus)
        return retriever.retrieve(Query(question, limit=limit))


def found(retrieved: Retrieved) -> list[str]:
    """The documents of the hits in order."""
    return [hit.passage.document_id for hit in retrieved.hits]


def known(retrieved: Retrieved) -> dict[str, int]:
    """The key terms of the question, each with how many chunks hold it."""
    return {term.surface: term.chunks for term in retrieved.statistics.terms if term.key}
