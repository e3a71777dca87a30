"""What a scope and filters let through: how much, which files, and which chunks."""

from collections import OrderedDict
from dataclasses import dataclass
from functools import cached_property

import apsw
import numpy as np

from gdrive_rag_mcp.domain import EVERYTHING, Filters, Scope
from gdrive_rag_mcp.store.connection import fetch
from gdrive_rag_mcp.store.file_facts import FileFacts, Mask

_KEPT = 4
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

    def files_up_to(self, number: int) -> Mask:
        """The same for all file numbers up to this one, of which later ones may be unknown."""
        return np.pad(self.files, (0, max(0, number + 1 - len(self.files))))

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
        self._state = (-1, (0, 0))
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
        state = (seq, self._own_changes())
        if state != self._state:
            self._state = state
            self._whole = None
            self._admitted.clear()

    def _own_changes(self) -> tuple[int, int]:
        """0 and 0 for a reader, which sees one commit after the other, and whom the log tells all.

        What a writer saw may have been rolled back, and its place in the log taken by others.
        """
        own = self._connection.total_changes()
        return (own, self._connection.pragma("data_version")) if own else (0, 0)

    def _present_facts(self) -> FileFacts:
        changed = self._changed()
        if self._facts is None or changed is None:
            self._facts = FileFacts(self._connection)
        elif changed:
            self._facts.look_again(changed)
        self._facts_at = self._state
        return self._facts

    def _changed(self) -> list[int] | None:
        """The files to look at again; None for all, where nobody can tell or it is many."""
        (seq, own), (seq_then, own_then) = self._state, self._facts_at
        if own != own_then or seq < seq_then:
            return None
        newest = "SELECT file FROM file_log WHERE seq > ? ORDER BY seq DESC LIMIT ?"
        changed = fetch(self._connection, newest, (seq_then, _FEW + 1))
        return None if len(changed) > _FEW else [file for (file,) in changed]
