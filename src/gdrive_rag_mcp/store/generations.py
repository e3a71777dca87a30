"""Which generation is in service, which is being built, and which is on its way out."""

import json
from dataclasses import asdict

import apsw

from gdrive_rag_mcp.domain import EmbeddingIdentity
from gdrive_rag_mcp.errors import StoreError
from gdrive_rag_mcp.store.connection import fetch, transaction
from gdrive_rag_mcp.store.disk_vectors import DiskVectors
from gdrive_rag_mcp.store.generation import Generation, create_tables
from gdrive_rag_mcp.store.meta import BUILDING, EMBEDDING, GENERATION, Meta
from gdrive_rag_mcp.store.vector_cache import VectorCache

_STEP = 10_000
_TABLE = "chunk_vectors_g"


class Generations:
    """The generations of an index, over a connection it does not own.

    Every step is one bounded transaction. What a killed run leaves behind is either still being
    built, and gone on with, or of no use any more, and cleared away.
    """

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._meta = Meta(connection)

    @property
    def serving(self) -> Generation:
        """The generation that is searched."""
        return Generation(self._connection, self._meta.generation, EMBEDDING)

    @property
    def begun(self) -> EmbeddingIdentity | None:
        """The embedder of the generation that is being built, if there is one."""
        return self._meta.identity(BUILDING)

    @property
    def building(self) -> Generation | None:
        """The generation that is being built, if there is one."""
        if self.begun is None:
            return None
        return Generation(self._connection, max(self._numbers()), BUILDING)

    @property
    def numbers_in_use(self) -> list[int]:
        """The generations that chunks belong to: in service, and being built."""
        building = self.building
        return [self._meta.generation, *([building.number] if building else [])]

    def _numbers(self) -> list[int]:
        names = fetch(
            self._connection,
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB ?",
            (f"{_TABLE}[0-9]*",),
        )
        return sorted(int(name.removeprefix(_TABLE)) for (name,) in names)

    def build(self, identity: EmbeddingIdentity) -> Generation:
        """Go on with the generation of that embedder, or begin one in place of any other."""
        begun = self.begun
        if begun is not None and begun.fingerprint != identity.fingerprint:
            self.abandon()
        with transaction(self._connection):
            if self.begun is None:
                create_tables(self._connection, max(self._numbers()) + 1)
                self._meta.set(BUILDING, json.dumps(asdict(identity)))
            building = self.building
        if building is None:  # what was just noted is there
            raise StoreError("no generation could be begun")
        return building

    def abandon(self) -> None:
        """Give up the generation that is being built; its vectors stay in the cache for a while."""
        self._meta.delete(BUILDING)
        self.clear_away()

    def flip(self, identity: EmbeddingIdentity) -> None:
        """Search by the generation that was built for that embedder, from this moment on.

        Chunks that it has no vector of wait for one.

        Raises:
            StoreError: none was built for it.
        """
        with transaction(self._connection):
            building = self.building
            if building is None or self.begun != identity:
                raise StoreError(f"there are no vectors of {identity.model} to change to")
            # The files are counted anew, and few of the counts are others than before.
            self._connection.execute(
                f"""UPDATE files SET vector_count = counted.vectors FROM (
                    SELECT c.file, count(g.chunk) AS vectors FROM chunks c
                    LEFT JOIN {_TABLE}{building.number} g ON g.chunk = c.num GROUP BY c.file
                ) counted
                WHERE counted.file = files.num AND files.vector_count != counted.vectors"""
            )
            self._meta.set(EMBEDDING, json.dumps(asdict(identity)))
            self._meta.set(GENERATION, str(building.number))
            self._meta.delete(BUILDING)

    def clear_away(self) -> None:
        """Take out, step by step, the generations that are neither in service nor being built."""
        in_use = self.numbers_in_use
        for number in self._numbers():
            if number not in in_use:
                while self._clear_some(number):
                    pass

    def _clear_some(self, number: int) -> bool:
        """One step of taking a generation out; false when it is gone."""
        table = f"{_TABLE}{number}"
        with transaction(self._connection):
            freed = fetch(
                self._connection,
                f"""DELETE FROM {table} WHERE chunk IN (SELECT chunk FROM {table} LIMIT ?)
                RETURNING vector""",
                (_STEP,),
            )
            if freed:
                VectorCache(self._connection).let_go(vector for (vector,) in freed)
                return True
            if DiskVectors(self._connection, number).drop():
                self._connection.execute(f"DROP TABLE waiting_g{number}")
                self._connection.execute(f"DROP TABLE {table}")
        return False
