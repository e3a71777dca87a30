"""Why a question gets no answer."""

from dataclasses import dataclass

from gdrive_rag_mcp.domain import Hit, SearchOutcome, VerdictReason

CANDIDATES = 3
"""How many of the nearest passages are worth a look by whoever asked."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """The verdict's reason, the words nothing in scope mentions, and leads that are no sources."""

    reason: VerdictReason
    missing_terms: tuple[str, ...]
    candidates: tuple[Hit, ...]


def refused(outcome: SearchOutcome) -> Refusal | None:
    """The refusal that a verdict demands; None where the evidence is sufficient."""
    evidence = outcome.evidence
    if evidence.sufficient:
        return None
    hits = outcome.retrieved.hits if outcome.retrieved else ()
    return Refusal(evidence.reason, evidence.missing_terms, hits[:CANDIDATES])
