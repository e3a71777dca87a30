"""A sample of an index's texts that stays nearly the same while the index grows.

The texts whose hashes are lowest: a document that comes or goes changes the sample by its share.
Source: Broder, "On the resemblance and containment of documents", 1997 (bottom-k sketches).
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import apsw
import numpy as np

from gdrive_rag_mcp.domain import Chunk
from gdrive_rag_mcp.protocols import Vectors
from gdrive_rag_mcp.store.chunk_rows import ChunkRows
from gdrive_rag_mcp.store.connection import fetch
from gdrive_rag_mcp.store.translation import decoding

_BATCH = 256


@dataclass(frozen=True, slots=True)
class SampledChunk:
    """A chunk of the sample, the file it is from, and how many chunks that file has."""

    number: int
    key: str
    """The hash of its embedded text."""
    document_id: str
    siblings: int


class ChunkSample:
    """The sample, over a connection it does not own."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._chunks = ChunkRows(connection)

    def mark(self) -> str:
        """What changes whenever a chunk comes or goes, or another generation is searched."""
        [row] = fetch(
            self._connection,
            """SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'chunks'), 0),
                coalesce(sum(chunk_count), 0), coalesce(sum(vector_count), 0),
                (SELECT value FROM meta WHERE key = 'generation')
            FROM files WHERE chunk_count > 0""",
        )
        return " ".join(map(str, row))

    def newest(self) -> int:
        """The last number that a chunk was given."""
        return int(self.mark().split()[0])

    def lowest(self, limit: int) -> list[SampledChunk]:
        """The chunks with the lowest hashes, one a text, in order of hash."""
        rows = fetch(
            self._connection,
            """SELECT s.num, s.hash, f.id, f.chunk_count FROM (
                SELECT min(num) AS num, hash FROM chunks GROUP BY hash ORDER BY hash LIMIT ?
            ) s CROSS JOIN chunks c ON c.num = s.num CROSS JOIN files f ON f.num = c.file
            ORDER BY s.hash""",
            (limit,),
        )
        return [SampledChunk(*row) for row in rows]

    def texts(self, numbers: Sequence[int]) -> Iterator[tuple[int, Chunk]]:
        """Some chunks as the chunker made them, in batches of one query."""
        for start in range(0, len(numbers), _BATCH):
            part = [int(number) for number in numbers[start : start + _BATCH]]
            yield from self._chunks.some(part)

    def after(self, number: int, limit: int) -> list[int]:
        """The numbers of chunks that came after that one, oldest first."""
        rows = fetch(
            self._connection,
            "SELECT num FROM chunks WHERE num > ? ORDER BY num LIMIT ?",
            (number, limit),
        )
        return [num for (num,) in rows]

    @decoding()
    def vectors(self, numbers: Sequence[int]) -> Vectors:
        """The unit vectors of some chunks, as far as they have any: (chunks, dimensions)."""
        [(generation,)] = fetch(self._connection, "SELECT value FROM meta WHERE key = 'generation'")
        rows = fetch(
            self._connection,
            f"""SELECT v.f16 FROM json_each(?) j
            CROSS JOIN chunk_vectors_g{int(generation)} g ON g.chunk = j.value
            CROSS JOIN vectors v ON v.num = g.vector""",
            (json.dumps([int(number) for number in numbers]),),
        )
        found = [np.frombuffer(f16, np.float16).astype(np.float32) for (f16,) in rows]
        if not found:
            return np.zeros((0, 0), np.float32)
        vectors = np.stack(found)
        unit: Vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
        return unit

    def characters(self) -> int:
        """About how much text would be embedded for all chunks."""
        [(count,)] = fetch(
            self._connection,
            """SELECT coalesce(sum("end" - start + length(title) + length(context)), 0)
            FROM chunks""",
        )
        return int(count)

    def present(self, numbers: Sequence[int]) -> frozenset[int]:
        """Of some chunks, those that are there."""
        rows = fetch(
            self._connection,
            "SELECT c.num FROM json_each(?) j CROSS JOIN chunks c ON c.num = j.value",
            (json.dumps([int(number) for number in numbers]),),
        )
        return frozenset(num for (num,) in rows)

    def numbers_of(self, chunk_ids: Sequence[str]) -> frozenset[int]:
        """The numbers of chunks by their public ids."""
        places = [chunk_id.rsplit(":", 2)[:2] for chunk_id in dict.fromkeys(chunk_ids)]
        rows = fetch(
            self._connection,
            """SELECT c.num FROM json_each(?) j
            CROSS JOIN files f ON f.id = json_extract(j.value, '$[0]')
            CROSS JOIN chunks c ON c.file = f.num
                AND c.ordinal = CAST(json_extract(j.value, '$[1]') AS INTEGER)""",
            (json.dumps(places),),
        )
        return frozenset(num for (num,) in rows)
