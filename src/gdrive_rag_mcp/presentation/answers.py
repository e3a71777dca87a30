"""What a question may be answered from, or why it may not be, as a JSON object."""

from gdrive_rag_mcp.answering import RULES, AnswerSource, Grounds
from gdrive_rag_mcp.presentation.answer_shapes import AnswerObject, RefusalObject, SourceObject
from gdrive_rag_mcp.presentation.messages import BY_THE_RULES, refusal_to_pass_on
from gdrive_rag_mcp.presentation.objects import (
    citation_object,
    evidence_object,
    headings_beside,
    hit_object,
)
from gdrive_rag_mcp.presentation.shapes import HitObject


def answer_object(grounds: Grounds) -> AnswerObject:
    """Numbered sources with the rules of citing them, or a refusal with what to say instead."""
    outcome = grounds.outcome
    return AnswerObject(
        question=outcome.question,
        scope={"id": outcome.scope_id, "documents": outcome.coverage.searchable},
        answerable=grounds.refusal is None,
        evidence=evidence_object(outcome, sufficient=BY_THE_RULES),
        rules=list(RULES) if grounds.refusal is None else [],
        refusal=_refusal(grounds),
        sources=list(map(_source, grounds.sources)),
        candidate_results=_candidates(grounds),
    )


def _refusal(grounds: Grounds) -> RefusalObject | None:
    refusal = grounds.refusal
    if refusal is None:
        return None
    return RefusalObject(
        reason=refusal.reason.value,
        missing_terms=list(refusal.missing_terms),
        say=refusal_to_pass_on(grounds.outcome),
    )


def _source(source: AnswerSource) -> SourceObject:
    passage = source.passage
    shown: SourceObject = {
        "n": source.number,
        "chunk_id": passage.chunk_id,
        "document_id": passage.document_id,
        "title": passage.title,
        "text": passage.text,
        "citation": citation_object(passage),
    }
    if headings := headings_beside(passage):
        shown["headings"] = headings
    if passage.context:
        shown["context"] = passage.context
    if source.outdated is not None:
        shown["state"] = source.outdated.value
    return shown


def _candidates(grounds: Grounds) -> list[HitObject]:
    outcome, refusal = grounds.outcome, grounds.refusal
    ideal = outcome.retrieved.statistics.ideal_bm25 if outcome.retrieved else 0.0
    return [
        hit_object(hit, ideal, outcome.outdated.get(hit.passage.document_id))
        for hit in (refusal.candidates if refusal else ())
    ]
