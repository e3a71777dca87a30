"""What stands in the way of an index that can be searched, in words, each with its remedy."""

from gdrive_rag_mcp.domain import Coverage, FileState, IndexStatus, Reason

_LATER = "run `gdrive-rag-mcp sync` again later"
_SHARE = "share it with the account that `gdrive-rag-mcp doctor` names"
_FILL = "put documents into it"
_ADMIT = "give the account access to them; `gdrive-rag-mcp doctor` names it"
_CONFIRM = "if they are really gone, run `gdrive-rag-mcp sync --allow-mass-delete`"
_REMEDIES = {
    Reason.NEEDS_OCR: "their pages are pictures: run a text recognition over them",
    Reason.UNSUPPORTED_TYPE: "save the documents as PDF, DOCX, XLSX, Markdown or text",
    Reason.ENCRYPTED: "save them without a password",
    Reason.DOWNLOAD_FORBIDDEN: "let readers download them, in their sharing settings",
    Reason.ACCESS_DENIED: _ADMIT,
    Reason.NOT_FOUND: _ADMIT,
    Reason.NETWORK: _LATER,
    Reason.RATE_LIMITED: _LATER,
    Reason.MASS_DELETE: _CONFIRM,
}
_LOOK = "`gdrive-rag-mcp status --files` says of each file why"
_UNREAD = "run `gdrive-rag-mcp sync` again: they were not read yet"


def counted(coverage: Coverage) -> str:
    """The reasons why items are not searchable as they are, the commonest first: `3 network`."""
    numbers = [(number, reason.value) for reason, number in coverage.by_reason.items() if number]
    pending = coverage.by_state.get(FileState.PENDING, 0)
    numbers += [(pending, FileState.PENDING.value)] if pending else []
    return ", ".join(f"{number} {name}" for number, name in sorted(numbers, key=_commonest))


def _commonest(item: tuple[int, str]) -> tuple[int, str]:
    return -item[0], item[1]


def nothing_searchable(coverage: Coverage) -> tuple[str, str] | None:
    """What to say of files of which not one can be searched as it is now, and the remedy."""
    if not coverage.in_scope or coverage.searchable:
        return None
    problem = f"nothing can be searched: of {coverage.in_scope} in scope, {counted(coverage)}"
    if not coverage.by_reason:
        return problem, _UNREAD
    reason = max(sorted(coverage.by_reason), key=lambda one: coverage.by_reason[one])
    return problem, _REMEDIES.get(reason, _LOOK)


def explained(warning: str, status: IndexStatus) -> str:
    """A warning of an index as a sentence, where its name alone does not say what to do."""
    if warning == "nothing_searchable" and (found := nothing_searchable(status.coverage)):
        return f"{warning}: {'; '.join(found)}"
    if warning == "nothing_in_scope":
        drive = (status.root or "").startswith("drive:")
        return f"{warning}: there is no file in {status.root}; {_SHARE if drive else _FILL}"
    if warning == "mass_delete_held":
        held = status.coverage.by_state.get(FileState.HELD, 0)
        return f"{warning}: {held} files were not there any more; {_CONFIRM}"
    return warning
