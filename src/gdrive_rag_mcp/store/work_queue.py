"""The ledger's work: which files are to be read, and what became of each."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import apsw

from gdrive_rag_mcp.cleaning import clean
from gdrive_rag_mcp.domain import STATE_OF_REASON, FileState, Reason, SourceFile
from gdrive_rag_mcp.store.connection import fetch
from gdrive_rag_mcp.store.scoping import read_time, stored_time
from gdrive_rag_mcp.store.translation import decoding

_FIRST_DELAY = timedelta(minutes=5)
_LONGEST_DELAY = timedelta(hours=24)
_EAGER_ATTEMPTS = 2
_LONGEST_DETAIL = 2000
_DUE = """kind = 'file' AND gone = 0 AND adrift = 0 AND (state = 'pending'
    OR (state = 'failed' AND coalesce(next_attempt, '') <= ?1)
    OR num IN (SELECT num FROM files WHERE next_attempt <= ?1 AND +state = 'skipped'))"""
_READ = """state = ?, reason = ?, detail = ?, anchors = ?, attempts = 0, next_attempt = NULL"""
_MAY_BE_LIFTED = frozenset({Reason.DOWNLOAD_FORBIDDEN, Reason.ABUSE_FLAGGED})
"""What is refused when a file is read, though it was not listed as refused: no change of the file
tells when that is over."""


@dataclass(frozen=True, slots=True)
class WorkItem:
    """A file whose content is to be read, and what is known of its content so far."""

    file: SourceFile
    content_hash: str | None
    extraction: str | None
    attempts: int
    searchable: bool


def retry_delay(attempts: int) -> timedelta:
    """How long a failed file rests: not at all at first, then doubling from 5 min up to a day."""
    if attempts <= _EAGER_ATTEMPTS:
        return timedelta(0)
    doublings = min(attempts - _EAGER_ATTEMPTS - 1, 20)
    return min(_FIRST_DELAY * (1 << doublings), _LONGEST_DELAY)


def folder_delay(attempts: int) -> timedelta:
    """How long a folder that cannot be looked into rests: from 5 min up to a day."""
    return retry_delay(attempts + _EAGER_ATTEMPTS)


class WorkQueue:
    """Files that wait to be read; the outcome of each is one state with one reason."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def look_again(self, *, extraction: str, everything: bool, with_ocr: str = "") -> None:
        """Queue what another extraction read or refused or, on request, what is not indexed whole.

        `with_ocr` is what those files have been read by to which it matters how text is recognised.
        """
        condition = "state IN ('skipped', 'empty', 'failed', 'partial')"
        if not everything:
            condition += " AND extraction IS NOT NULL AND extraction NOT IN (?, ?)"
        self._connection.execute(
            f"""UPDATE files SET state = 'pending', next_attempt = NULL
            WHERE kind = 'file' AND ({condition})""",
            () if everything else (extraction, with_ocr),
        )
        self._connection.execute(
            """UPDATE files SET state = 'pending' WHERE kind = 'file' AND state = 'indexed'
            AND extraction NOT IN (?, ?)""",
            (extraction, with_ocr),
        )

    def work(self, now: datetime) -> list[WorkItem]:
        """The files to read now, in order of path."""
        rows = fetch(
            self._connection,
            f"""SELECT id, name, mime, parents, version, size, md5, modified_time, url, revision,
                obstacle, feed, resource_key, content_hash, extraction, attempts, chunk_count
            FROM files WHERE {_DUE} ORDER BY path, num""",
            (stored_time(now),),
        )
        return [_work_item(row) for row in rows]

    def hurry(self, file_id: str) -> None:
        """The source has something new about a file: whatever refused it may be over."""
        self._connection.execute(
            """UPDATE files SET next_attempt = '' WHERE id = ? AND next_attempt IS NOT NULL
            AND state IN ('failed', 'skipped')""",
            (file_id,),
        )

    def outlook(
        self, now: datetime, supported: Callable[[str], bool]
    ) -> tuple[list[tuple[str, str]], list[tuple[str, Reason]]]:
        """What is in store for the files whose turn it is now, by path.

        Returns those to be fetched, each with why (added, updated or retry), and those that will
        not be, each with the reason.
        """
        rows = fetch(
            self._connection,
            f"""SELECT path, iif(attempts > 0, 'retry',
                iif(indexed_at IS NULL, 'added', 'updated')), mime, obstacle FROM files
            WHERE {_DUE} ORDER BY path, num""",
            (stored_time(now),),
        )
        to_read: list[tuple[str, str]] = []
        to_skip: list[tuple[str, Reason]] = []
        for path, why, mime_type, obstacle in rows:
            if obstacle is not None:
                to_skip.append((path, Reason(obstacle)))
            elif supported(mime_type):
                to_read.append((path, why))
            else:
                to_skip.append((path, Reason.UNSUPPORTED_TYPE))
        return to_read, to_skip

    def indexed(self, file_id: str, *, content_hash: str, extraction: str,
                failures: tuple[str, ...], now: datetime, anchors: Mapping[str, str] = {},
                note: str = "") -> None:  # fmt: skip
        """A file was read; with failures it is partial, and they are what the detail says.

        It was added if there was no text of it before, and updated if there was. `anchors` are as
        in `Fetched`; the note is what else there is to say.
        """
        self._connection.execute(
            f"""UPDATE files SET {_READ}, content_hash = ?, extraction = ?, indexed_at = ?,
                change = iif(indexed_at IS NULL, 'added', 'updated')
            WHERE id = ?""",
            (
                *_outcome(failures, anchors, note),
                content_hash,
                extraction,
                stored_time(now),
                file_id,
            ),
        )

    def same_content(self, file_id: str, failures: tuple[str, ...], *,
                     anchors: Mapping[str, str] = {}, note: str = "") -> None:  # fmt: skip
        """A file was read and holds what it held: it is as before, and no update after all."""
        self._connection.execute(
            f"UPDATE files SET {_READ} WHERE id = ?",
            (*_outcome(failures, anchors, note), file_id),
        )

    def refused(self, file_id: str, reason: Reason, detail: str, *, extraction: str,
                now: datetime) -> None:  # fmt: skip
        """A file could not be indexed; failed ones are tried again, later and later.

        So are those that the source does not give out now, and may one day.
        """
        state = STATE_OF_REASON[reason]
        attempts, obstacle = self._connection.execute(
            "SELECT attempts + 1, obstacle FROM files WHERE id = ?", (file_id,)
        ).fetchone() or (1, None)
        later = None
        if state is FileState.FAILED:
            later = now + retry_delay(attempts)
        elif reason in _MAY_BE_LIFTED and obstacle is None:
            later = now + folder_delay(attempts)
        self._connection.execute(
            """UPDATE files SET state = ?, reason = ?, detail = ?, attempts = ?, next_attempt = ?,
                extraction = ?, content_hash = iif(? = 'failed', content_hash, NULL)
            WHERE id = ?""",
            (
                state,
                reason,
                clean(detail)[:_LONGEST_DETAIL],
                attempts,
                stored_time(later),
                extraction,
                state,
                file_id,
            ),
        )

    def changes(self) -> dict[str, int]:
        """How many searchable files this run added, updated or moved; '' are the unchanged."""
        return dict(
            self._connection.execute(
                """SELECT coalesce(change, ''), count(*) FROM files
                WHERE state IN ('indexed', 'partial') GROUP BY 1"""
            )
        )


def _outcome(
    failures: tuple[str, ...], anchors: Mapping[str, str], note: str
) -> tuple[str | None, ...]:
    """What `_READ` sets."""
    state, reason = (
        (FileState.PARTIAL, Reason.PARTS_FAILED) if failures else (FileState.INDEXED, None)
    )
    detail = clean("; ".join((*failures, *([note] if note else []))))[:_LONGEST_DETAIL]
    return state, reason, detail, json.dumps(dict(anchors)) if anchors else None


@decoding()
def _work_item(row: tuple[Any, ...]) -> WorkItem:
    (identifier, name, mime, parents, version, size, md5, modified, url, revision, obstacle, feed,
     resource_key, digest, extraction, attempts, chunks) = row  # fmt: skip
    file = SourceFile(
        id=identifier,
        name=name,
        mime_type=mime,
        parents=tuple(json.loads(parents)),
        version=version,
        size=size,
        md5=md5,
        modified_time=read_time(modified),
        url=url,
        revision=revision,
        obstacle=Reason(obstacle) if obstacle else None,
        feed=feed,
        resource_key=resource_key,
    )
    return WorkItem(file, digest, extraction, attempts, searchable=bool(chunks))
