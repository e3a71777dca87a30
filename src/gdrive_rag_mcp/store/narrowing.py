"""What a scope and filters let through: how many documents and chunks, which files, which chunks.

TODO(lead): schema 4 has to run `file_facts.FILE_LOG`; share one `Narrowing` a connection: it is what
`VectorIndex` asks (`admitted(scope, filters).files`: bool by file number), `TextIndex(connection,
generation, narrowing)`, and `SqliteSearchIndex.statistics` (`counts(scope, filters)`).
"""

from collections import OrderedDict
from dataclasses import dataclass
from functools import cached_property

import apsw

from gdrive_rag_mcp.domain import EVERYTHING, Filters, Scope
from gdrive_rag_mcp.store.connection import fetch
from gdrive_rag_mcp.store.file_facts import FileFacts, Mask

_KEPT = 8
_FEW = 1_000
_UNFILTERED = Filters()


@dataclass(frozen=True, slots=True)
class Counts:
    """What a search may find at most."""

    documents: int
    chunks: int
    vectors: int


class Admitted:
    """What a scope and filters let through at one state of the index."""

    def __init__(self, facts: FileFacts, scope: Scope, filters: Filters) -> None:
        self._facts = facts
        self.files: Mask = facts.fitting(scope, filters)
        """By file number, whether its chunks may be found."""
        self.counts = Counts(*facts.counts(self.files))

    @cached_property
    def chunks(self) -> bytes:
        """A byte a chunk, that of chunk 1 first: 1 where it may be found."""
        return self._facts.flags(self.files)


class Narrowing:
    """The answers for one connection, each for the state of the index that it sees by then.

    All is worked out from arrays (`FileFacts`), which are brought in step with the log of what has
    changed about files; a connection that has itself written since may have rolled back, and reads
    them anew.
    """

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._state = (-1, -1)
        self._facts: FileFacts | None = None
        self._facts_at = self._state
        self._whole: Counts | None = None
        self._admitted: OrderedDict[tuple[Scope, Filters], Admitted] = OrderedDict()

    def counts(self, scope: Scope = EVERYTHING, filters: Filters = _UNFILTERED) -> Counts:
        """How much there is in the scope that passes the filters."""
        if not scope.everything or filters.any:
            return self.admitted(scope, filters).counts
        self._notice_changes()
        if self._whole is None:
            [found] = fetch(
                self._connection,
                """SELECT count(*), coalesce(sum(chunk_count), 0), coalesce(sum(vector_count), 0)
                FROM files WHERE chunk_count > 0""",
            )
            self._whole = Counts(*found)
        return self._whole

    def admitted(self, scope: Scope, filters: Filters) -> Admitted:
        """Which files and chunks may be found."""
        self._notice_changes()
        asked = (scope, filters)
        if asked not in self._admitted:
            self._admitted[asked] = Admitted(self._present_facts(), scope, filters)
        self._admitted.move_to_end(asked)
        if len(self._admitted) > _KEPT:
            self._admitted.popitem(last=False)
        return self._admitted[asked]

    def _notice_changes(self) -> None:
        [(seq,)] = fetch(self._connection, "SELECT coalesce(max(seq), 0) FROM file_log")
        state = (seq, self._connection.total_changes())
        if state != self._state:
            self._state = state
            self._whole = None
            self._admitted.clear()

    def _present_facts(self) -> FileFacts:
        seq, own = self._state
        known, own_then = self._facts_at
        changed: list[int] = []
        if self._facts is not None and own == own_then and known < seq:
            rows = fetch(
                self._connection,
                "SELECT file FROM file_log WHERE seq > ? ORDER BY seq DESC LIMIT ?",
                (known, _FEW + 1),
            )
            changed = [file for (file,) in rows]
        if self._facts is None or own != own_then or known > seq or len(changed) > _FEW:
            self._facts = FileFacts(self._connection)
        elif changed:
            self._facts.look_again(changed)
        self._facts_at = self._state
        return self._facts
