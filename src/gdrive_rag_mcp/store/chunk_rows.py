"""Chunks as rows of the index: where they lie in their document, and what is embedded of them."""

import json
from collections.abc import Sequence

import apsw

from gdrive_rag_mcp.domain import Chunk
from gdrive_rag_mcp.store.connection import fetch
from gdrive_rag_mcp.store.documents import Texts
from gdrive_rag_mcp.store.passages import (
    read_headings,
    read_locator,
    stored_headings,
    stored_locator,
)

# What AUTOINCREMENT has given out, also to chunks that have gone since.
_LAST_NUMBER = """SELECT coalesce(
    (SELECT seq FROM sqlite_sequence WHERE name = 'chunks'), 0)"""


class ChunkRows:
    """The table of chunks, over a connection it does not own; numbers are never used twice."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def add(self, file: int, chunks: Sequence[Chunk]) -> list[int]:
        """Keep a document's chunks; returns their numbers."""
        [(last,)] = fetch(self._connection, _LAST_NUMBER)
        numbers = list(range(last + 1, last + 1 + len(chunks)))
        self._connection.executemany(
            """INSERT INTO chunks (num, file, ordinal, start, "end", locator, title, headings,
            context, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
            (
                (
                    number,
                    file,
                    chunk.ordinal,
                    chunk.start,
                    chunk.end,
                    stored_locator(chunk.locator),
                    chunk.title,
                    stored_headings(chunk.headings),
                    chunk.context,
                    chunk.hash,
                )
                for number, chunk in zip(numbers, chunks, strict=True)
            ),
        )
        return numbers

    def numbers_of(self, file: int) -> list[int]:
        """The numbers of a file's chunks, in order."""
        rows = fetch(self._connection, "SELECT num FROM chunks WHERE file = ?", (file,))
        return sorted(number for (number,) in rows)

    def remove(self, file: int) -> None:
        self._connection.execute("DELETE FROM chunks WHERE file = ?", (file,))

    def of_file(self, file: int) -> list[tuple[int, Chunk]]:
        """A file's chunks as the chunker made them, each with its number."""
        return self._read("FROM chunks c WHERE c.file = ? ORDER BY c.num", file)

    def listed(self, table: str, after: int, limit: int) -> list[tuple[int, Chunk]]:
        """Chunks that a table lists, as the chunker made them, in order of number from `after`."""
        return self._read(
            f"""FROM {table} l CROSS JOIN chunks c ON c.num = l.chunk
            WHERE l.chunk > ? ORDER BY l.chunk LIMIT ?""",
            after,
            limit,
        )

    def some(self, numbers: Sequence[int]) -> list[tuple[int, Chunk]]:
        """Chunks of these numbers as the chunker made them, in order of number."""
        among = json.dumps([int(number) for number in numbers])
        return self._read(
            "FROM json_each(?) j CROSS JOIN chunks c ON c.num = j.value ORDER BY c.num", among
        )

    def _read(self, selected: str, *parameters: int | str) -> list[tuple[int, Chunk]]:
        rows = fetch(
            self._connection,
            f"""SELECT c.num, c.ordinal, c.start, c."end", c.locator, c.headings, c.context,
                c.file, c.title, c.hash {selected}""",
            parameters,
        )
        texts = Texts(self._connection)
        found = []
        for number, ordinal, start, end, locator, headings, context, file, title, digest in rows:
            text, place = texts.part(file, start, end), read_locator(locator)
            path = read_headings(headings)
            chunk = Chunk(ordinal, start, end, text, place, title, path, context)
            vars(chunk)["hash"] = digest  # as it was when the chunk was cut; it need not be now
            found.append((number, chunk))
        return found
