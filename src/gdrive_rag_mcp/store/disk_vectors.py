"""A generation's vectors in sqlite-vec's vec0, as int8: answers without a matrix in memory."""

import json
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import islice
from typing import Any

import apsw
import numpy as np

from gdrive_rag_mcp.protocols import Vector
from gdrive_rag_mcp.store.connection import fetch, has_vec0
from gdrive_rag_mcp.store.meta import Meta
from gdrive_rag_mcp.store.quantising import quantised

MOST_NEAREST = 4096
"""The most that vec0 finds at once."""
_BATCH = 1024


class DiskVectors:
    """The vec0 table of one generation, over a connection it does not own.

    A machine without sqlite-vec writes the vectors all the same; the table is then behind, which
    the index notes, and is built again by the next machine that has it.
    """

    def __init__(self, connection: apsw.Connection, generation: int) -> None:
        self._connection = connection
        self._generation = generation
        self._table = f"vec_g{generation}"
        self._whole = f"vec0_g{generation}"
        self._meta = Meta(connection)

    @cached_property
    def _has_vec0(self) -> bool:
        return has_vec0(self._connection)

    @property
    def usable(self) -> bool:
        """Whether the table holds what the generation does, and can be asked."""
        return self._has_vec0 and self._meta.get(self._whole) is not None

    def add(self, rows: Sequence[tuple[int, bytes]]) -> None:
        """Take in chunks that the generation points to already: (number, float16 bytes)."""
        if not rows:
            return
        if not self._has_vec0:
            self._meta.delete(self._whole)
        elif self.usable:
            self._insert(rows)
        else:
            self._build(len(rows[0][1]) // 2)

    def remove(self, chunks: Sequence[int]) -> None:
        """Forget chunks that have a vector."""
        if not chunks:
            return
        if self.usable:
            self._connection.executemany(
                f"DELETE FROM {self._table} WHERE rowid = ?", ((chunk,) for chunk in chunks)
            )
        else:
            self._meta.delete(self._whole)

    def restore(self) -> None:
        """Build the table where there are vectors, but a machine without sqlite-vec has written."""
        if not self._has_vec0 or self.usable:
            return
        row = self._connection.execute(
            f"SELECT length(v.f16) FROM chunk_vectors_g{self._generation} g "
            "JOIN vectors v ON v.num = g.vector LIMIT 1"
        ).fetchone()
        if row:
            self._build(row[0] // 2)

    def drop(self) -> bool:
        """Give up the table; false where that takes sqlite-vec, which is missing here."""
        self._meta.delete(self._whole)
        if self._has_vec0:
            self._connection.execute(f"DROP TABLE IF EXISTS {self._table}")
        known = "SELECT 1 FROM sqlite_schema WHERE name = ?"
        return not fetch(self._connection, known, (self._table,))

    def _build(self, dimensions: int) -> None:
        self._connection.execute(f"DROP TABLE IF EXISTS {self._table}")
        self._connection.execute(
            f"CREATE VIRTUAL TABLE {self._table} USING vec0("
            f"embedding int8[{dimensions}] distance_metric=cosine)"
        )
        self._insert(
            self._connection.execute(
                f"""SELECT g.chunk, v.f16 FROM chunk_vectors_g{self._generation} g
                JOIN vectors v ON v.num = g.vector ORDER BY g.chunk"""
            )
        )
        self._meta.set(self._whole, "whole")

    def _insert(self, rows: Iterable[tuple[int, bytes]]) -> None:
        remaining = iter(rows)
        while batch := list(islice(remaining, _BATCH)):
            vectors = np.frombuffer(b"".join(f16 for _, f16 in batch), np.float16)
            components = quantised(vectors.reshape(len(batch), -1))
            self._connection.executemany(
                f"INSERT INTO {self._table} (rowid, embedding) VALUES (?, vec_int8(?))",
                ((chunk, row.tobytes()) for (chunk, _), row in zip(batch, components, strict=True)),
            )

    def nearest(self, vector: Vector, wanted: int, among: Sequence[int] | None) -> list[int]:
        """The nearest chunks by int8 cosine, of all or among some; at most `MOST_NEAREST`."""
        statement = f"SELECT rowid FROM {self._table} WHERE embedding MATCH vec_int8(?) AND k = ?"
        parameters: tuple[Any, ...] = (
            quantised(vector[None]).tobytes(),
            min(wanted, MOST_NEAREST),
        )
        if among is not None:
            statement += " AND rowid IN (SELECT value FROM json_each(?))"
            parameters = (*parameters, json.dumps(list(among)))
        return [number for (number,) in fetch(self._connection, statement, parameters)]
