"""What a search is narrowed by, as arrays over all files with text, which follow the index.

To ask the tables which of the files fit costs a search more than the search itself, and to ask them
for each chunk in a ranking even more. The arrays answer in the time of a memory scan.
"""

import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

import apsw
import numpy as np
import numpy.typing as npt

from gdrive_rag_mcp.domain import Filters, Scope
from gdrive_rag_mcp.store.connection import fetch
from gdrive_rag_mcp.store.scoping import stored_time
from gdrive_rag_mcp.store.translation import decoding

Mask = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.int64]

_SORTABLE = 26  # characters of a stored time, but for its zone, which is the same for all
_FACTS = np.dtype(
    [("mime", np.int32), ("modified", f"S{_SORTABLE}"), ("chunks", np.int64), ("vectors", np.int64)]
)
_SCOPES_KEPT = 16
_RUN = np.dtype([("start", np.int64), ("length", np.int64), ("file", np.int64)])

# `file_log`: when the facts of a file with text last changed, by a number that only grows; a file
# that has gone keeps its line. What follows the index looks at the lines that are new to it.
# A file loses its text before it is struck, and its placements only to others.
_LOGGED = """INSERT OR REPLACE INTO file_log (file, seq)
    SELECT {file}, coalesce(max(seq), 0) + 1 FROM file_log;"""
FILE_LOG = (
    "CREATE TABLE file_log (file INTEGER PRIMARY KEY, seq INTEGER NOT NULL UNIQUE)",
    f"""CREATE TRIGGER file_described AFTER UPDATE OF mime, modified_time, chunk_count, vector_count
    ON files WHEN (OLD.mime, OLD.modified_time, OLD.chunk_count, OLD.vector_count)
        IS NOT (NEW.mime, NEW.modified_time, NEW.chunk_count, NEW.vector_count)
        AND OLD.chunk_count + NEW.chunk_count > 0
    BEGIN {_LOGGED.format(file="NEW.num")} END""",
    f"""CREATE TRIGGER file_placed AFTER INSERT ON placements
    WHEN (SELECT chunk_count FROM files WHERE num = NEW.file) > 0
    BEGIN {_LOGGED.format(file="NEW.file")} END""",
)
"""The step of the schema that this module needs."""


class FileFacts:
    """The files with text at one state of the index: arrays by file number, and runs of chunks."""

    @decoding()
    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._types: dict[str, int] = {}
        self._facts = np.zeros(0, _FACTS)
        self._runs = np.zeros(0, _RUN)
        self._placed: dict[frozenset[str], Mask] = {}
        self._take_in(None)

    @decoding()
    def look_again(self, files: Sequence[int]) -> None:
        """Learn anew of some files."""
        among = np.array(files, np.int64)
        self._facts[among[among < len(self._facts)]] = 0
        self._runs = self._runs[~np.isin(self._runs["file"], among)]
        self._take_in(files)

    def _take_in(self, files: Sequence[int] | None) -> None:
        """Read what the index says of these files, or of all."""
        facts = self._fetch(
            f"""SELECT num, mime, CAST(substr(coalesce(modified_time, ''), 1, {_SORTABLE}) AS BLOB),
            chunk_count, vector_count FROM files WHERE chunk_count > 0""",
            "num",
            files,
        )
        runs = self._read_runs(files)
        files_found, types, *others = zip(*facts, strict=True) if facts else [()] * 5
        numbers = _numbers(files_found)
        self._grow(max(numbers.max(initial=0), runs["file"].max(initial=0)) + 1)
        self._facts["mime"][numbers] = [self._type(mime) for mime in types]
        for column, values in zip(("modified", "chunks", "vectors"), others, strict=True):
            self._facts[column][numbers] = np.array(values, _FACTS[column])
        runs = np.concatenate([self._runs, runs])
        self._runs = runs[np.argsort(runs["start"], kind="stable")]
        again = _numbers(files or ())
        for ids, mask in self._placed.items():
            # A file that came and went between two looks has a number beyond all that are known.
            mask[again[again < len(mask)]] = False
            mask[self._read_placed(ids, files)] = True

    def _fetch(
        self, statement: str, column: str, files: Sequence[int] | None, *parameters: str
    ) -> list[tuple[Any, ...]]:
        """The rows of a statement that ends in conditions, of these files or of all."""
        if files is None:
            return fetch(self._connection, statement, parameters)
        listed = f"{statement} AND {column} IN (SELECT value FROM json_each(?))"
        return fetch(self._connection, listed, (*parameters, json.dumps(files)))

    def _read_runs(self, files: Sequence[int] | None) -> npt.NDArray[np.void]:
        """A file's chunks as runs of numbers; written in one transaction, they are a single one."""
        selected = "SELECT file, min(num), max(num), count(*) FROM chunks WHERE 1"
        if files is not None:
            selected += " AND file IN (SELECT value FROM json_each(?))"
        parameters = () if files is None else (json.dumps(files),)
        spans = fetch(self._connection, f"{selected} GROUP BY file", parameters)
        runs = [(first, count, file) for file, first, last, count in spans
                if last - first + 1 == count]  # fmt: skip
        torn = [file for file, first, last, count in spans if last - first + 1 != count]
        if torn:
            parts = self._fetch("SELECT num, 1, file FROM chunks WHERE 1", "file", torn)
            runs.extend((num, one, file) for num, one, file in parts)
        return np.array(runs, _RUN)

    def _grow(self, size: int) -> None:
        more = max(int(size) - len(self._facts), 0)
        self._facts = np.concatenate([self._facts, np.zeros(more, _FACTS)])
        nothing = np.zeros(more, np.bool_)
        self._placed = {ids: np.concatenate([mask, nothing]) for ids, mask in self._placed.items()}

    def _type(self, mime: str) -> int:
        return self._types.setdefault(mime, len(self._types) + 1)

    # ── what fits ────────────────────────────────────────────────────────────

    @decoding()
    def fitting(self, scope: Scope, filters: Filters) -> Mask:
        """By file number, whether a file with text is in the scope and passes the filters."""
        fits: Mask = self._facts["chunks"] > 0
        if scope.ids is not None:
            fits &= self._within(scope.ids)
        if filters.mime_type is not None:
            fits &= self._facts["mime"] == self._types.get(filters.mime_type, -1)
        modified = self._facts["modified"]
        if filters.modified_after is not None:
            fits &= modified >= _sortable(filters.modified_after)
        if filters.modified_before is not None:
            # A time that is not known lies before no other.
            fits &= (modified <= _sortable(filters.modified_before)) & (modified != b"")
        return fits

    def _within(self, ids: frozenset[str]) -> Mask:
        if ids not in self._placed:
            if len(self._placed) == _SCOPES_KEPT:
                del self._placed[next(iter(self._placed))]
            mask = np.zeros(len(self._facts), np.bool_)
            mask[self._read_placed(ids, None)] = True
            self._placed[ids] = mask
        return self._placed[ids]

    def _read_placed(self, ids: frozenset[str], files: Sequence[int] | None) -> Numbers:
        """Of the files, those in scope. What has no text yet may have a number beyond all known."""
        named = json.dumps(sorted(ids))
        listed = "IN (SELECT value FROM json_each(?))"
        below = f"""SELECT p.file FROM folders d CROSS JOIN placements p ON p.folder = d.num
            WHERE d.id {listed}"""
        found = [
            *self._fetch(below, "p.file", files, named),
            *self._fetch(f"SELECT num FROM files WHERE id {listed}", "num", files, named),
        ]
        numbers = _numbers(number for (number,) in found)
        return numbers[numbers < len(self._facts)]

    @decoding()
    def counts(self, fits: Mask) -> tuple[int, int, int]:
        """How many documents, chunks and vectors the fitting files are."""
        chunks, vectors = self._facts["chunks"][fits], self._facts["vectors"][fits]
        return len(chunks), int(chunks.sum()), int(vectors.sum())

    @decoding()
    def flags(self, fits: Mask) -> bytes:
        """A byte a chunk, that of chunk 1 first: 1 where its file fits."""
        starts, lengths = self._runs["start"], self._runs["length"]
        ends = np.concatenate([[1], (starts + lengths)])
        # Before each run there may be numbers that are no chunk's any more.
        spans = np.stack([starts - ends[:-1], lengths], axis=1).ravel()
        values = np.zeros(2 * len(self._runs), np.bool_)
        values[1::2] = fits[self._runs["file"]]
        return np.repeat(values, spans).tobytes()


def _numbers(found: Iterable[int]) -> Numbers:
    return np.fromiter(found, np.int64)


def _sortable(moment: datetime) -> bytes:
    return (stored_time(moment) or "")[:_SORTABLE].encode()
