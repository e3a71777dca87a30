"""The ledger and the index as JSON objects: what can be counted and audited."""

from collections.abc import Iterable, Mapping
from enum import StrEnum

from gdrive_rag_mcp.domain import (
    CalibrationStatus,
    Coverage,
    EmbeddingIdentity,
    FileRecord,
    FileState,
    IndexStatus,
    LedgerPage,
    Passage,
    Reason,
)
from gdrive_rag_mcp.presentation.objects import (
    headings_beside,
    iso,
    locator_object,
    shortened,
    value,
)
from gdrive_rag_mcp.presentation.shapes import (
    CalibrationObject,
    EmbeddingObject,
    EntryObject,
    ExportChunkObject,
    ExportObject,
    LedgerObject,
    StatusObject,
    TotalsObject,
)


def totals_object(coverage: Coverage) -> TotalsObject:
    """Counts that add up to `in_scope`; states and reasons that do not occur are left out."""
    return TotalsObject(
        in_scope=coverage.in_scope,
        searchable=coverage.searchable,
        unreadable=coverage.unreadable,
        by_state=counts_object(coverage.by_state),
        by_reason=counts_object(coverage.by_reason),
    )


def counts_object(numbers: Mapping[FileState, int] | Mapping[Reason, int]) -> dict[str, int]:
    """Numbers by name, in order, without those that are nought."""
    named: Iterable[tuple[StrEnum, int]] = numbers.items()
    return {name.value: number for name, number in sorted(named) if number}


def _entry(record: FileRecord) -> EntryObject:
    return EntryObject(
        document_id=record.id,
        path=shortened(record.path),
        mime_type=record.mime_type,
        state=record.state.value,
        reason=value(record.reason),
        detail=record.detail,
        size=record.size,
        modified_time=iso(record.modified_time),
        chunk_count=record.chunk_count,
        attempts=record.attempts,
        next_attempt=iso(record.next_attempt),
    )


def ledger_object(page: LedgerPage) -> LedgerObject:
    """A page of the ledger under the totals of all that was asked for."""
    return LedgerObject(
        totals=totals_object(page.coverage),
        next_cursor=page.next_cursor,
        files=[_entry(record) for record in page.records],
    )


def _calibration(status: CalibrationStatus) -> CalibrationObject:
    return CalibrationObject(
        made_at=iso(status.made_at),
        chunks=status.chunks,
        probes=status.probes,
        separation=None if status.separation is None else round(status.separation, 3),
        lacking=status.lacking,
    )


def status_object(status: IndexStatus) -> StatusObject:
    """What an index holds and what made it."""
    return StatusObject(
        root=status.root,
        last_sync=iso(status.last_sync),
        last_crawl=iso(status.last_crawl),
        last_poll=iso(status.last_poll),
        documents=status.documents,
        chunks=status.chunks,
        vectors=status.vectors,
        vector_backend=status.vector_backend,
        embedding=embedding_object(status.embedding),
        changing_to=embedding_object(status.building),
        chunking=status.chunking,
        schema_version=status.schema_version,
        generation=status.generation,
        coverage=totals_object(status.coverage),
        retries={
            reason.value: said
            for reason, moment in sorted(status.retries.items())
            if (said := iso(moment))
        },
        unsupported=dict(status.unsupported),
        calibration=_calibration(status.calibration),
        warnings=list(status.warnings),
    )


def embedding_object(identity: EmbeddingIdentity | None) -> EmbeddingObject | None:
    """Whose vectors: no endpoint, no key; None for words alone."""
    if identity is None:
        return None
    return EmbeddingObject(
        provider=identity.provider,
        model=identity.model,
        dimensions=identity.dimensions,
        fingerprint=identity.fingerprint,
    )


def export_object(
    record: FileRecord, chunks: Iterable[tuple[int, Passage]] | None = None
) -> ExportObject:
    """One line of `export`; `chunks` is there when they were asked for."""
    shown = ExportObject(
        id=record.id,
        path=record.path,
        name=record.name,
        mime=record.mime_type,
        state=record.state.value,
        reason=value(record.reason),
        revision=record.revision,
        content_hash=record.content_hash,
        chunk_count=record.chunk_count,
        indexed_at=iso(record.indexed_at),
    )
    if chunks is not None:
        shown["chunks"] = [_export_chunk(ordinal, chunk) for ordinal, chunk in chunks]
    return shown


def _export_chunk(ordinal: int, chunk: Passage) -> ExportChunkObject:
    shown = ExportChunkObject(
        id=chunk.chunk_id,
        ordinal=ordinal,
        text=chunk.text,
        start=chunk.start,
        end=chunk.end,
        locator=locator_object(chunk.locator),
    )
    if headings := headings_beside(chunk):
        shown["headings"] = headings
    return shown
