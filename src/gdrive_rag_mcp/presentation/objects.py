"""What was found, as JSON objects: hits with their verdict, documents, and one file's metadata."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from enum import StrEnum

from gdrive_rag_mcp.domain import (
    FileRecord,
    FileState,
    Hit,
    Locator,
    Passage,
    SearchOutcome,
    StoredDocument,
)
from gdrive_rag_mcp.presentation.links import deep_link
from gdrive_rag_mcp.presentation.messages import message
from gdrive_rag_mcp.presentation.shapes import (
    CitationObject,
    DocumentObject,
    EvidenceObject,
    HitObject,
    LocatorObject,
    MetadataObject,
    SearchObject,
)

_NAME_CHARS = 600


def shortened(name: str) -> str:
    """A name or path of a length that can be shown: its beginning and its end."""
    if len(name) <= _NAME_CHARS:
        return name
    half = _NAME_CHARS // 2
    return f"{name[:half]} … {name[-half:]}"


def as_json(shown: Mapping[str, object]) -> str:
    """One line of JSON in the characters the documents are written in."""
    return json.dumps(shown, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def iso(moment: datetime | None) -> str | None:
    """ISO 8601 in UTC, to the second: `2026-03-01T09:30:00Z`."""
    if moment is None:
        return None
    return moment.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def locator_object(locator: Locator) -> LocatorObject:
    """Kind and value always; first, last and label where they are known.

    Text that was recognised is marked `ocr`, with the confidence in percent.
    """
    shown = LocatorObject(kind=locator.kind, value=locator.value)
    if locator.first is not None:
        shown["first"] = locator.first
    if locator.last is not None:
        shown["last"] = locator.last
    if locator.label is not None:
        shown["label"] = locator.label
    if locator.ocr is not None:
        shown["ocr"] = True
        shown["confidence"] = locator.ocr
    return shown


def headings_beside(passage: Passage) -> list[str]:
    """The headings that a passage stands under, where its locator is not made of them."""
    return [] if passage.locator.kind == "heading" else list(passage.headings)


def citation_object(passage: Passage) -> CitationObject:
    """Where a passage stands, and which revision of its document was read when."""
    return CitationObject(
        url=deep_link(passage.url, passage.mime_type, passage.locator, passage.anchor),
        path=passage.path,
        locator=locator_object(passage.locator),
        modified_time=iso(passage.modified_time),
        indexed_at=iso(passage.indexed_at),
        revision=passage.revision,
    )


def _rounded(number: float | None, digits: int) -> float | None:
    return None if number is None else round(number, digits)


def hit_object(hit: Hit, ideal_bm25: float, outdated: FileState | None = None) -> HitObject:
    """A hit as it is cited; `text` is the chunk, character for character."""
    passage = hit.passage
    of_ideal = min(1.0, hit.bm25 / ideal_bm25) if hit.bm25 is not None and ideal_bm25 > 0 else None
    shown: HitObject = {
        "rank": hit.rank,
        "chunk_id": passage.chunk_id,
        "document_id": passage.document_id,
        "title": passage.title,
        "text": passage.text,
        "score": round(hit.score, 6),
        "signals": {
            "keyword_rank": hit.keyword_rank,
            "vector_rank": hit.vector_rank,
            "cosine": _rounded(hit.cosine, 4),
            "bm25_of_ideal": _rounded(of_ideal, 4),
        },
        "citation": citation_object(passage),
    }
    if headings := headings_beside(passage):
        shown["headings"] = headings
    if passage.context:
        shown["context"] = passage.context
    if outdated is not None:
        shown["state"] = outdated.value
    if hit.before:
        shown["before"] = hit.before
    if hit.after:
        shown["after"] = hit.after
    if hit.duplicates:
        shown["duplicates"] = [
            {
                "chunk_id": copy.chunk_id,
                "document_id": copy.document_id,
                "path": shortened(copy.path),
                "exact": copy.exact,
            }
            for copy in hit.duplicates
        ]
    return shown


def evidence_object(outcome: SearchOutcome, *, sufficient: str | None = None) -> EvidenceObject:
    """The verdict; `sufficient` is said of sufficient evidence, see `message`."""
    evidence, coverage = outcome.evidence, outcome.coverage
    return EvidenceObject(
        sufficient=evidence.sufficient,
        reason=evidence.reason.value,
        confidence=round(evidence.confidence, 4),
        threshold=round(evidence.threshold, 4),
        missing_terms=list(evidence.missing_terms),
        lacking_terms=list(evidence.shortfall.lacking_terms),
        weaknesses=[weakness.value for weakness in evidence.shortfall.weaknesses],
        supported_parts=list(evidence.shortfall.supported_parts),
        unsupported_parts=list(evidence.shortfall.unsupported_parts),
        mode=outcome.mode.value,
        warnings=list(outcome.warnings),
        message=message(outcome, sufficient=sufficient),
        coverage={
            "in_scope": coverage.in_scope,
            "searchable": coverage.searchable,
            "unreadable": coverage.unreadable,
            "last_sync": iso(outcome.last_sync),
        },
    )


def search_object(outcome: SearchOutcome) -> SearchObject:
    """A search's outcome; `results` stays empty unless the evidence is sufficient."""
    retrieved = outcome.retrieved
    ideal = retrieved.statistics.ideal_bm25 if retrieved else 0.0
    hits = [
        hit_object(hit, ideal, outcome.outdated.get(hit.passage.document_id))
        for hit in (retrieved.hits if retrieved else ())
    ]
    sufficient = outcome.evidence.sufficient
    return SearchObject(
        query=outcome.question,
        scope={"id": outcome.scope_id, "documents": outcome.coverage.searchable},
        evidence=evidence_object(outcome),
        results=hits if sufficient else [],
        candidate_results=[] if sufficient else hits,
    )


def document_object(document: StoredDocument) -> DocumentObject:
    """A page of a document's text, with where it starts and where the next one does."""
    record, end = document.record, document.start + len(document.text)
    return DocumentObject(
        document_id=record.id,
        url=record.url,
        mime_type=record.mime_type,
        state=record.state.value,
        modified_time=iso(record.modified_time),
        indexed_at=iso(record.indexed_at),
        revision=record.revision,
        start=document.start,
        end=end,
        length=document.length,
        next_start=end if end < document.length else None,
        title=document.title,
        path=record.path,
        text=document.text,
    )


def metadata_object(record: FileRecord) -> MetadataObject:
    """Everything the ledger knows of a file."""
    return MetadataObject(
        document_id=record.id,
        url=record.url,
        mime_type=record.mime_type,
        state=record.state.value,
        reason=value(record.reason),
        size=record.size,
        md5=record.md5,
        content_hash=record.content_hash,
        version=record.version,
        revision=record.revision,
        modified_time=iso(record.modified_time),
        indexed_at=iso(record.indexed_at),
        chunk_count=record.chunk_count,
        attempts=record.attempts,
        next_attempt=iso(record.next_attempt),
        name=shortened(record.name),
        path=shortened(record.path),
        detail=record.detail,
    )


def value(member: StrEnum | None) -> str | None:
    """The word a state or reason is written with."""
    return None if member is None else member.value
