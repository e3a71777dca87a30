"""What the client must do with a verdict: one text a reason, written so that a model abstains."""

from gdrive_rag_mcp.domain import (
    SEARCHABLE_STATES,
    STATE_OF_REASON,
    Coverage,
    FileState,
    Reason,
    SearchOutcome,
    VerdictReason,
)

_TERMS_SHOWN = 8
_SUFFICIENT = (
    "The evidence is sufficient. Answer from `results` only and cite the url and locator of every "
    "claim; say so where they leave a part of the question open."
)
_ABSTAIN = {
    VerdictReason.NO_INDEX: (
        "there is no index yet, so no document has been searched. Tell the user to run "
        "`gdrive-rag-mcp sync` first."
    ),
    VerdictReason.SCOPE_UNKNOWN: (
        "no folder or file with the id {scope} is in the index. Use an id that list_documents "
        "shows, or search without scope_id."
    ),
    VerdictReason.SCOPE_EMPTY: (
        "nothing in this scope can be searched. Tell the user so; list_documents shows what is "
        "there and why it could not be read."
    ),
    VerdictReason.NO_MATCH: (
        "no passage in scope matches the question. Tell the user that the documents do not answer "
        "it."
    ),
    VerdictReason.TERMS_ABSENT: (
        "no document in scope mentions {terms}. Tell the user so; `candidate_results` are about "
        "something else and support no answer."
    ),
    VerdictReason.WEAK_MATCH: (
        "the nearest passages do not support an answer. Tell the user that the documents do not "
        "answer the question; `candidate_results` may be offered as leads, never as evidence."
    ),
    VerdictReason.PARTLY_SUPPORTED: (
        "the passages cover only a part of the question{without}. Tell the user which part the "
        "documents do not answer; `candidate_results` may be offered as leads, never as evidence."
    ),
}
_FILTERED_OUT = (
    "no document in scope passes the filters (mime_type, modified_after, modified_before). Search "
    "without them, or tell the user so."
)
_NOT_FROM_MEMORY = "Do not fill the gap from memory or general knowledge."


def message(outcome: SearchOutcome) -> str:
    """The instruction that goes with a verdict, naming missing terms and what was not read."""
    evidence = outcome.evidence
    if evidence.sufficient:
        said = [_SUFFICIENT]
        if evidence.missing_terms:
            said.append(
                f"No document in scope mentions {_quoted(evidence.missing_terms)}: where the "
                "question turns on that, the passages do not answer it; say so."
            )
    else:
        terms = _quoted(evidence.missing_terms)
        why = _template(outcome).format(
            scope=_quoted((outcome.scope_id or "",)),
            terms=terms or "what the question is about",
            without=f": nothing mentions {terms}" if terms else "",
        )
        said = [f"Abstain: {why}", _NOT_FROM_MEMORY]
    if "embedder_unavailable" in outcome.warnings:
        said.append(
            "Only words were compared, because no embeddings are at hand: what is said in other "
            "words or in another language was not found."
        )
    if "index_stale" in outcome.warnings:
        said.append(
            f"The index was last synced on {outcome.last_sync:%Y-%m-%d}: later changes are not in "
            "it."
        )
    said.extend(_unread(outcome.coverage))
    return " ".join(said)


def _template(outcome: SearchOutcome) -> str:
    reason = outcome.evidence.reason
    if reason is VerdictReason.SCOPE_EMPTY and outcome.coverage.searchable:
        return _FILTERED_OUT
    return _ABSTAIN[reason]


def _quoted(words: tuple[str, ...]) -> str:
    shown = ", ".join(f"“{word[:80]}”" for word in words[:_TERMS_SHOWN])
    more = len(words) - _TERMS_SHOWN
    return f"{shown} and {more} more" if more > 0 else shown


def _unread(coverage: Coverage) -> list[str]:
    if not coverage.unreadable:
        return []
    causes = [f"{number} {reason.value}" for reason, number in _by_number(coverage)]
    if pending := coverage.by_state.get(FileState.PENDING, 0):
        causes.append(f"{pending} pending")
    because = f" ({', '.join(causes)})" if causes else ""
    said = (
        f"{coverage.unreadable} of {coverage.in_scope} files in scope could not be read as they "
        f"are now{because}, so an answer may stand in one of them; list_documents names them."
    )
    return [said]


def _by_number(coverage: Coverage) -> list[tuple[Reason, int]]:
    unread = [
        (reason, number)
        for reason, number in coverage.by_reason.items()
        if number and STATE_OF_REASON[reason] not in SEARCHABLE_STATES
    ]
    return sorted(unread, key=lambda item: (-item[1], item[0]))
