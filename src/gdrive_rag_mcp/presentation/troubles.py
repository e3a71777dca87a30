"""What stands in the way of an index that can be searched, in words, each with its remedy."""

from collections.abc import Callable, Mapping

from gdrive_rag_mcp.domain import (
    SEARCHABLE_STATES,
    STATE_OF_REASON,
    Coverage,
    FileState,
    IndexStatus,
    Reason,
)
from gdrive_rag_mcp.presentation.counting import counted

_LATER = "run `gdrive-rag-mcp sync` again later"
_SHARE = "share it with the account that `gdrive-rag-mcp doctor` names"
_FILL = "put documents into it"
_ADMIT = "give the account access to them; `gdrive-rag-mcp doctor` names it"
_CONFIRM = "if they are really gone, run `gdrive-rag-mcp sync --allow-mass-delete`"
REMEDIES: Mapping[Reason, str] = {
    Reason.NEEDS_OCR: "their pages are pictures: set GDRIVE_RAG_OCR_LANGUAGES, or run a text "
    "recognition over them",
    Reason.UNSUPPORTED_TYPE: "save the documents as PDF, DOCX, XLSX, Markdown or text",
    Reason.ENCRYPTED: "save them without a password",
    Reason.DOWNLOAD_FORBIDDEN: "let readers download them, in their sharing settings",
    Reason.ACCESS_DENIED: _ADMIT,
    Reason.NOT_FOUND: "see that they are still there, and that whoever reads may open them; "
    "`gdrive-rag-mcp doctor` names who that is",
    Reason.NETWORK: _LATER,
    Reason.RATE_LIMITED: _LATER,
    Reason.MASS_DELETE: _CONFIRM,
}
_LOOK = "`gdrive-rag-mcp status --files` names them and says why"
_FINISH = "run `gdrive-rag-mcp sync`, or wait for the one that is running"
_RUN = "run `gdrive-rag-mcp sync`"
_UNREAD = "run `gdrive-rag-mcp sync` again: they were not read yet"


def because(coverage: Coverage) -> str:
    """Why items cannot be searched as they are now, the commonest first: `3 network, 1 pending`."""
    numbers: dict[str, int] = {
        reason.value: number for reason, number in _unsearchable(coverage).items()
    }
    numbers[FileState.PENDING.value] = coverage.by_state.get(FileState.PENDING, 0)
    commonest = sorted(numbers.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{number} {name}" for name, number in commonest if number)


def commonest_remedy(coverage: Coverage) -> str:
    """`4 encrypted: save them without a password`, of the commonest reason that has a remedy."""
    helped = {
        reason: n for reason, n in _unsearchable(coverage).items() if reason in REMEDIES and n
    }
    if not helped:
        return ""
    reason = max(sorted(helped), key=lambda one: helped[one])
    return f"{helped[reason]} {reason.value}: {REMEDIES[reason]}"


def _unsearchable(coverage: Coverage) -> dict[Reason, int]:
    """By reason, those that cannot be found; of the held ones, most still can."""
    numbers = {
        reason: number
        for reason, number in coverage.by_reason.items()
        if STATE_OF_REASON[reason] not in SEARCHABLE_STATES
    }
    if held := numbers.get(Reason.MASS_DELETE, 0):
        numbers[Reason.MASS_DELETE] = held - coverage.held_with_text
    return numbers


def nothing_searchable(coverage: Coverage) -> tuple[str, str] | None:
    """What to say of files of which not one can be searched as it is now, and the remedy."""
    if not coverage.in_scope or coverage.searchable:
        return None
    problem = (
        f"nothing can be searched as it is now: of {coverage.in_scope} in scope, "
        f"{because(coverage)}"
    )
    if not coverage.by_reason:
        return problem, _UNREAD
    reason = max(sorted(coverage.by_reason), key=lambda one: coverage.by_reason[one])
    return problem, REMEDIES.get(reason, _LOOK)


def explained(warning: str, status: IndexStatus) -> str:
    """A warning of an index as a sentence, where its name alone does not say what to do."""
    explain = _EXPLANATIONS.get(warning)
    said = explain(status) if explain else ""
    return f"{warning}: {said}" if said else warning


def _nothing_searchable(status: IndexStatus) -> str:
    return "; ".join(nothing_searchable(status.coverage) or ())


def _nothing_in_scope(status: IndexStatus) -> str:
    drive = (status.root or "").startswith("drive:")
    return f"there is no file in {status.root}; {_SHARE if drive else _FILL}"


def _mass_delete_held(status: IndexStatus) -> str:
    held = counted(status.coverage.by_state.get(FileState.HELD, 0), "file")
    return f"{held} not seen in the source any more; {_CONFIRM}"


def _unreadable(status: IndexStatus) -> str:
    coverage = status.coverage
    causes = because(coverage)
    return (
        f"{coverage.unreadable} of {counted(coverage.in_scope, 'file')} cannot be searched "
        f"as {'it is' if coverage.unreadable == 1 else 'they are'} now"
        f"{f' ({causes})' if causes else ''}; {_LOOK}"
    )


_EXPLANATIONS: Mapping[str, Callable[[IndexStatus], str]] = {
    "nothing_searchable": _nothing_searchable,
    "nothing_in_scope": _nothing_in_scope,
    "mass_delete_held": _mass_delete_held,
    "unreadable_files_in_scope": _unreadable,
    "first_sync_unfinished": lambda _: f"documents are missing from the index; {_FINISH}",
    "index_stale": lambda _: f"later changes are not in the index; {_RUN}",
}
