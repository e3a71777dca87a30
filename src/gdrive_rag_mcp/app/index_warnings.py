"""What whoever asks an index must beware of: short names that clients can look for."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from gdrive_rag_mcp.domain import (
    SEARCHABLE_STATES,
    Coverage,
    FileState,
    Hit,
    IndexStatus,
    Scope,
)
from gdrive_rag_mcp.store.ledger import Ledger

STALE_AFTER = timedelta(days=7)
UNREADABLE_FILES = "unreadable_files_in_scope"
INDEX_STALE = "index_stale"
NOTHING_IN_SCOPE = "nothing_in_scope"
NOTHING_SEARCHABLE = "nothing_searchable"
MASS_DELETE_HELD = "mass_delete_held"
FIRST_SYNC_UNFINISHED = "first_sync_unfinished"


def scope_warnings(
    coverage: Coverage, last_sync: datetime | None, now: datetime
) -> tuple[str, ...]:
    """What a search of an index must say of its scope, whatever it found."""
    stale = last_sync is not None and now - last_sync > STALE_AFTER
    return (
        *((FIRST_SYNC_UNFINISHED,) if last_sync is None else ()),
        *((UNREADABLE_FILES,) if coverage.unreadable else ()),
        *((MASS_DELETE_HELD,) if coverage.by_state.get(FileState.HELD) else ()),
        *((INDEX_STALE,) if stale else ()),
    )


def status_warnings(status: IndexStatus, now: datetime) -> tuple[str, ...]:
    """The same of the index as a whole, and what keeps it from being what it should be."""
    coverage = status.coverage
    return (
        *scope_warnings(coverage, status.last_sync, now),
        *((NOTHING_IN_SCOPE,) if status.last_sync and not coverage.in_scope else ()),
        *((NOTHING_SEARCHABLE,) if coverage.in_scope and not coverage.searchable else ()),
    )


def outdated_documents(
    ledger: Ledger, scope: Scope, hits: Sequence[Hit]
) -> Mapping[str, FileState]:
    """The states of those documents among the hits that are shown as they once were.

    A file that is held, failed or waits to be read anew is still found by the text it had.
    """
    ids = dict.fromkeys(hit.passage.document_id for hit in hits)
    records = (ledger.get(document_id, scope) for document_id in ids)
    return {
        record.id: record.state
        for record in records
        if record is not None and record.state not in SEARCHABLE_STATES
    }
