"""What a search came to, as far as an evaluation looks at it."""

from gdrive_rag_mcp.domain import FoundPassage, Passage, Reply, SearchOutcome


def reply_of(outcome: SearchOutcome) -> Reply:
    """The verdict and the passages; whether they are cited, the verdict says."""
    evidence, retrieved = outcome.evidence, outcome.retrieved
    return Reply(
        sufficient=evidence.sufficient,
        reason=evidence.reason.value,
        confidence=evidence.confidence,
        threshold=evidence.threshold,
        mode=outcome.mode.value,
        passages=tuple(_found(hit.passage) for hit in (retrieved.hits if retrieved else ())),
        missing_terms=evidence.missing_terms,
        warnings=outcome.warnings,
    )


def _found(passage: Passage) -> FoundPassage:
    """With what a passage is shown with, such as the header of its table."""
    reading = f"{passage.context}\n{passage.reading}".strip()
    return FoundPassage(passage.document_id, passage.path, reading)
