"""Indexes the evidence sets with the real parts and writes down every question's signals."""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.evidence_sets import EvidenceSet, Question
from gdrive_rag_mcp.chunking.structural import StructuralChunker
from gdrive_rag_mcp.domain import EmbeddingIdentity, Mode, Query, Retrieved
from gdrive_rag_mcp.embedding.onnx import OnnxEmbedder
from gdrive_rag_mcp.evidence.reading import read
from gdrive_rag_mcp.evidence.signals import measure
from gdrive_rag_mcp.evidence.verdict import model_name
from gdrive_rag_mcp.protocols import Chunker, Embedder, EmbedRole
from gdrive_rag_mcp.retrieval import Retriever
from gdrive_rag_mcp.settings import Settings
from gdrive_rag_mcp.store import Store
from gdrive_rag_mcp.testing.small_index import fill_index, plain_document

if TYPE_CHECKING:
    from gdrive_rag_mcp.protocols import Vectors

Row = dict[str, Any]
_TOP = 5
_BATCH = 32


def local_embedder(folder: Path) -> Embedder:
    """The embedded model from its folder."""
    return OnnxEmbedder(folder)


def default_chunker() -> Chunker:
    """The chunker as a sync sets it up by default."""
    fields = Settings.model_fields
    return StructuralChunker(fields["chunk_size"].default, fields["chunk_overlap"].default)


class RememberingEmbedder:
    """Keeps every vector in a folder, so that the next run embeds nothing."""

    def __init__(self, inner: Embedder, folder: Path) -> None:
        self._inner = inner
        self._file = folder / f"vectors-{inner.identity.fingerprint[:12]}.npz"
        self._known: dict[str, Any] = {}
        if self._file.exists():
            with np.load(self._file) as stored:
                self._known = dict(zip(stored["keys"], stored["vectors"], strict=True))

    @property
    def identity(self) -> EmbeddingIdentity:
        return self._inner.identity

    @property
    def max_tokens(self) -> int:
        return self._inner.max_tokens

    @property
    def parallel_calls(self) -> int:
        return 1  # what is known is kept in one place

    def calls(self, texts: int, characters: int) -> int:
        return self._inner.calls(texts, characters)

    def embed(self, texts: Sequence[str], *, role: EmbedRole) -> Vectors:
        keys = [hashlib.sha256(f"{role}\0{text}".encode()).hexdigest()[:24] for text in texts]
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._known}
        for start in range(0, len(new), _BATCH):
            batch = list(new.items())[start : start + _BATCH]
            vectors = self._inner.embed([text for _, text in batch], role=role)
            self._known.update(zip((key for key, _ in batch), vectors, strict=True))
        return np.stack([self._known[key] for key in keys])

    def save(self) -> None:
        np.savez(
            self._file, keys=np.array(list(self._known)), vectors=np.stack([*self._known.values()])
        )


def signal_rows(kit: EvidenceSet, embedder: Embedder) -> list[Row]:
    """One row a question: its kind, where its answer ranked, and its signals in every mode."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "index.db"
        documents = ((text.id, plain_document(text.text, text.title)) for text in kit.corpus)
        fill_index(path, documents, default_chunker(), embedder)
        store = Store.open_for_reading(path)
        retrievers = {mode: Retriever(store.index, embedder, mode) for mode in Mode}
        rows = [_row(question, retrievers) for question in kit.questions]
        store.close()
    return rows


def _row(question: Question, retrievers: dict[Mode, Retriever]) -> Row:
    query = Query(question.text, limit=_TOP)
    found = {mode: retriever.retrieve(query) for mode, retriever in retrievers.items()}
    hybrid = found[Mode.HYBRID]
    readings = {mode.value: read(found[mode]) for mode in Mode}
    signals = {mode: measure(reading) for mode, reading in readings.items()}
    return {
        "id": question.id,
        "kind": question.kind,
        "group": question.group,
        "gold_rank": {mode.value: _gold_rank(question, found[mode]) for mode in Mode},
        "judged_by": {mode: model_name(readings[mode], signals[mode]) for mode in readings},
        "cosine": max((hit.cosine or 0.0 for hit in hybrid.hits), default=0.0),
        "signals": signals,
    }


def _gold_rank(question: Question, retrieved: Retrieved) -> int | None:
    hits = retrieved.hits[:_TOP]
    return next((hit.rank for hit in hits if hit.passage.document_id in question.gold), None)


def cached_rows(kit: EvidenceSet, embedder: RememberingEmbedder, folder: Path) -> list[Row]:
    """The rows of a set, made once; delete the file to make them again."""
    file = folder / f"{kit.name.replace('/', '-')}.json"
    if not file.exists():
        rows = signal_rows(kit, embedder)
        embedder.save()
        file.write_text(json.dumps(rows, ensure_ascii=False), encoding="utf-8")
    rows = json.loads(file.read_text(encoding="utf-8"))
    return [{**row, "set": kit.name.split("~", maxsplit=1)[0]} for row in rows]
