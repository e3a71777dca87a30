"""What a search came to, as far as an evaluation looks at it."""

from gdrive_rag_mcp.domain import FoundPassage, Hit, Reply, SearchOutcome


def reply_of(outcome: SearchOutcome) -> Reply:
    """The verdict and the passages; whether they are cited, the verdict says."""
    evidence, retrieved = outcome.evidence, outcome.retrieved
    return Reply(
        sufficient=evidence.sufficient,
        reason=evidence.reason.value,
        confidence=evidence.confidence,
        threshold=evidence.threshold,
        mode=outcome.mode.value,
        passages=tuple(map(_found, retrieved.hits if retrieved else ())),
        missing_terms=evidence.missing_terms,
        warnings=outcome.warnings,
    )


def _found(hit: Hit) -> FoundPassage:
    """With what a passage is shown with, such as the header of its table."""
    passage = hit.passage
    reading = f"{passage.context}\n{passage.reading}".strip()
    return FoundPassage(passage.document_id, passage.path, reading, hit.duplicates)
