"""What whoever asks an index must beware of: short names that clients can look for."""

from datetime import datetime, timedelta

from gdrive_rag_mcp.domain import Coverage, FileState, IndexStatus

STALE_AFTER = timedelta(days=7)
UNREADABLE_FILES = "unreadable_files_in_scope"
INDEX_STALE = "index_stale"
NOTHING_IN_SCOPE = "nothing_in_scope"
NOTHING_SEARCHABLE = "nothing_searchable"
MASS_DELETE_HELD = "mass_delete_held"


def scope_warnings(
    coverage: Coverage, last_sync: datetime | None, now: datetime
) -> tuple[str, ...]:
    """What a search must say of its scope, whatever it found."""
    stale = last_sync is not None and now - last_sync > STALE_AFTER
    return (
        *((UNREADABLE_FILES,) if coverage.unreadable else ()),
        *((INDEX_STALE,) if stale else ()),
    )


def status_warnings(status: IndexStatus, now: datetime) -> tuple[str, ...]:
    """The same of the index as a whole, and what keeps it from being what it should be."""
    coverage = status.coverage
    return (
        *scope_warnings(coverage, status.last_sync, now),
        *((NOTHING_IN_SCOPE,) if status.last_sync and not coverage.in_scope else ()),
        *((NOTHING_SEARCHABLE,) if coverage.in_scope and not coverage.searchable else ()),
        *((MASS_DELETE_HELD,) if coverage.by_state.get(FileState.HELD) else ()),
    )
