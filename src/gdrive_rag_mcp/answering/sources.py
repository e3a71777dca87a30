"""The passages an answer may rest on, numbered as they are to be cited."""

from dataclasses import dataclass

from gdrive_rag_mcp.domain import FileState, Passage, SearchOutcome


@dataclass(frozen=True, slots=True)
class AnswerSource:
    """A passage that was judged, and the number it is cited by; what stands around it is none.

    `outdated` is its document's state where that is not shown as it is in the source now.
    """

    number: int
    passage: Passage
    outdated: FileState | None = None


def numbered_sources(outcome: SearchOutcome) -> tuple[AnswerSource, ...]:
    """The hits of a search as sources from 1 on, best first; none unless they are sufficient."""
    if not outcome.evidence.sufficient or outcome.retrieved is None:
        return ()
    passages = [hit.passage for hit in outcome.retrieved.hits]
    return tuple(
        AnswerSource(number, passage, outcome.outdated.get(passage.document_id))
        for number, passage in enumerate(passages, start=1)
    )
