"""Reading the ledger: what became of every item in scope."""

import json
from collections.abc import Iterator
from typing import Any

import apsw

from gdrive_rag_mcp.cleaning import clean
from gdrive_rag_mcp.domain import (
    Coverage,
    FileRecord,
    FileState,
    LedgerPage,
    Reason,
    Scope,
)
from gdrive_rag_mcp.errors import QueryError
from gdrive_rag_mcp.store.connection import fetch
from gdrive_rag_mcp.store.scoping import read_time, scope_condition
from gdrive_rag_mcp.store.translation import decoding

_COLUMNS = """SELECT f.num, f.id, f.name, f.path, f.mime, f.state, f.reason, f.detail, f.version,
    coalesce(f.revision, f.version), f.size, f.md5, f.url, f.modified_time, f.attempts,
    f.next_attempt, f.content_hash, f.chunk_count, f.indexed_at, f.kind FROM files f"""

_SCOPES_KEPT = 64


class Ledger:
    """The ledger as readers see it; every read takes a scope."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._counted_at = -1
        self._counted: dict[Scope, Coverage] = {}

    def resolve_scope(self, scope_id: str, within: Scope) -> Scope | None:
        """The scope below one folder, or of one file; None when `within` holds no such item."""
        condition, parameters = scope_condition(within)
        file = self._connection.execute(
            f"SELECT 1 FROM files f WHERE f.id = ? AND {condition}", (scope_id, *parameters)
        ).fetchone()
        if file or self._sees_folder(scope_id, within):
            return Scope(frozenset({scope_id}))
        return None

    def _sees_folder(self, folder_id: str, within: Scope) -> bool:
        """Whether a folder is among the scope's folders, or below one of them."""
        row = self._connection.execute(
            """WITH RECURSIVE up (id) AS (
                SELECT id FROM folders WHERE id = ?
                UNION SELECT j.value FROM up JOIN folders d ON d.id = up.id, json_each(d.parents) j
                UNION SELECT j.value FROM up JOIN shortcuts s ON s.target = up.id AND s.gone = 0,
                    json_each(s.parents) j)
            SELECT count(*), max(id IN (SELECT value FROM json_each(?))) FROM up""",
            (folder_id, json.dumps(sorted(within.ids or ()))),
        ).fetchone()
        known, inside = row or (0, 0)
        return bool(known) and (within.everything or bool(inside))

    def get(self, document_id: str, scope: Scope) -> FileRecord | None:
        """One line of the ledger."""
        condition, parameters = scope_condition(scope)
        row = self._connection.execute(
            f"{_COLUMNS} WHERE f.id = ? AND {condition}", (document_id, *parameters)
        ).fetchone()
        return read_record(row) if row else None

    def page(
        self,
        scope: Scope,
        *,
        folder_id: str | None = None,
        state: FileState | None = None,
        query: str | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> LedgerPage:
        """The ledger in order of path; `query` is part of a name or path.

        Raises:
            QueryError: the cursor is not one that a page handed out.
        """
        condition, parameters = scope_condition(scope)
        if folder_id is not None:
            below, ids = scope_condition(Scope(frozenset({folder_id})))
            condition, parameters = f"{condition} AND {below}", parameters + ids
        coverage = self._coverage(condition, parameters)
        if state is not None:
            condition, parameters = f"{condition} AND f.state = ?", [*parameters, state.value]
        if query:
            condition += " AND instr(lower(f.path), lower(?))"
            parameters = [*parameters, clean(query)]
        path, number = _read_cursor(cursor)
        rows = self._connection.execute(
            f"{_COLUMNS} WHERE (f.path, f.num) > (?, ?) AND {condition} "
            "ORDER BY f.path, f.num LIMIT ?",
            (path, number, *parameters, limit + 1),
        ).fetchall()
        records = tuple(read_record(row) for row in rows[:limit])
        more = json.dumps([rows[limit - 1][3], rows[limit - 1][0]]) if len(rows) > limit else None
        return LedgerPage(records, coverage, more)

    def all(self, scope: Scope) -> Iterator[FileRecord]:
        """Every line of the ledger in order of path."""
        condition, parameters = scope_condition(scope)
        rows = self._connection.execute(
            f"{_COLUMNS} WHERE {condition} ORDER BY f.path, f.num", parameters
        ).fetchall()
        yield from map(read_record, rows)

    def holds_text(self, scope: Scope) -> bool:
        """Whether anything in scope can be found; a failed file's former text can."""
        condition, parameters = scope_condition(scope)
        row = self._connection.execute(
            f"SELECT 1 FROM files f WHERE f.chunk_count > 0 AND {condition} LIMIT 1", parameters
        ).fetchone()
        return row is not None

    def coverage(self, scope: Scope) -> Coverage:
        """How many items are in each state, and for which reasons.

        A reader counts once as long as nobody else writes; a writer may yet roll back what it sees.
        """
        if not self._connection.readonly("main"):
            return self._coverage(*scope_condition(scope))
        [(state,)] = fetch(self._connection, "PRAGMA data_version")
        if state != self._counted_at or len(self._counted) > _SCOPES_KEPT:
            self._counted_at, self._counted = state, {}
        if scope not in self._counted:
            self._counted[scope] = self._coverage(*scope_condition(scope))
        return self._counted[scope]

    @decoding()
    def _coverage(self, condition: str, parameters: list[str]) -> Coverage:
        by_state: dict[FileState, int] = {}
        by_reason: dict[Reason, int] = {}
        held_with_text = 0
        for state, reason, count, with_text in self._connection.execute(
            f"""SELECT f.state, f.reason, count(*), sum(f.chunk_count > 0) FROM files f
            WHERE {condition} GROUP BY 1, 2""",
            parameters,
        ):
            by_state[FileState(state)] = by_state.get(FileState(state), 0) + count
            if reason:
                by_reason[Reason(reason)] = by_reason.get(Reason(reason), 0) + count
            if state == FileState.HELD:
                held_with_text += with_text
        return Coverage(by_state, by_reason, held_with_text)


@decoding()
def read_record(row: tuple[Any, ...]) -> FileRecord:
    """A row of the ledger's columns as a record."""
    (_, identifier, name, path, mime, state, reason, detail, version, revision, size, md5, url,
     modified, attempts, next_attempt, digest, chunks, indexed, kind) = row  # fmt: skip
    return FileRecord(
        id=identifier,
        name=name,
        path=path,
        mime_type=mime,
        state=FileState(state),
        reason=Reason(reason) if reason else None,
        detail=detail,
        version=version,
        revision=revision,
        size=size,
        md5=md5,
        url=url,
        modified_time=read_time(modified),
        attempts=attempts,
        next_attempt=read_time(next_attempt),
        content_hash=digest,
        chunk_count=chunks,
        indexed_at=read_time(indexed),
        is_folder=kind == "folder",
    )


def _read_cursor(cursor: str | None) -> tuple[str, int]:
    if cursor is None:
        return "", -1
    try:
        place = json.loads(cursor)
    except (ValueError, RecursionError):
        place = None
    match place:
        case [str(path), int(number)] if path == clean(path) and 0 <= number < 2**63:
            return path, number
    raise QueryError(
        f"{cursor[:80]!r} is not a cursor of this list",
        hint="pass the `next_cursor` of the page before, or none to start again",
    )
