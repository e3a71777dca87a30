"""The index's small facts, by name; a damaged one is refused, or unknown, and never believed."""

import json
from datetime import datetime
from functools import lru_cache

import apsw

from gdrive_rag_mcp.domain import EmbeddingIdentity
from gdrive_rag_mcp.errors import IndexCorruptError
from gdrive_rag_mcp.store.scoping import read_time, stored_time
from gdrive_rag_mcp.store.translation import REBUILD

LISTING_OPEN = "listing_open"
"""Set while a listing of everything is under way."""
STRANGER = "stranger"
"""Set until the first listing by another identity than before is complete."""
ANCESTRY_CHANGED = "ancestry_changed"
"""Set where paths and placements are to be worked out anew."""
GENERATION = "generation"
"""The number of the vectors that are searched."""
EMBEDDING = "embedding"
"""Whose vectors those are."""
BUILDING = "building"
"""Whose vectors are being made beside them, to be changed to."""
_COUNTS = ("generation", "listing")
"""Made with the index. To begin one anew would hide all chunks, or all that was listed before."""
_NUMBERS = (*_COUNTS, "text_generation")
_MOST_DIGITS = 18
_SHOWN_CHARS = 40


class Meta:
    """Name and value pairs in the index file."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def get(self, key: str) -> str | None:
        """The fact of that name; None where there is none.

        Raises:
            IndexCorruptError: it cannot be what was written.
        """
        row = self._connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        value = row[0] if row else None
        if value is None and key not in _COUNTS:
            return None
        if not isinstance(value, str) or (key in _NUMBERS and not _is_number(value)):
            raise self.damaged(key)
        return value

    def has(self, key: str) -> bool:
        row = self._connection.execute("SELECT 1 FROM meta WHERE key = ?", (key,)).fetchone()
        return row is not None

    def moment(self, key: str) -> datetime | None:
        """The time of that name, which only tells: one that cannot be read is not known."""
        try:
            moment = read_time(self.get(key))
        except (ValueError, IndexCorruptError):
            return None
        return moment if moment and moment.tzinfo else None

    def set_moment(self, key: str, moment: datetime) -> None:
        self.set(key, stored_time(moment) or "")

    def damaged(self, key: str) -> IndexCorruptError:
        """What is said of a row that cannot be what was written."""
        row = self._connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        shown = repr(row[0])[:_SHOWN_CHARS] if row else "missing"
        return IndexCorruptError(
            f"{self._connection.filename} is damaged: in its table meta, {key} is {shown}",
            hint=REBUILD,
        )

    def identity(self, key: str) -> EmbeddingIdentity | None:
        """The embedder of that name; None where none is noted.

        Raises:
            IndexCorruptError: it cannot be what was written.
        """
        text = self.get(key)
        if text is None:
            return None
        try:
            return _identity(text)
        except (ValueError, TypeError):
            raise self.damaged(key) from None

    def set(self, key: str, value: str) -> None:
        self._connection.execute(
            """INSERT INTO meta VALUES (?, ?) ON CONFLICT (key)
            DO UPDATE SET value = excluded.value WHERE value != excluded.value""",
            (key, value),
        )

    def delete(self, key: str) -> None:
        self._connection.execute("DELETE FROM meta WHERE key = ?", (key,))

    @property
    def listing(self) -> int:
        """The number of the present listing; 0 before the first."""
        return int(self.get("listing") or 0)

    @property
    def generation(self) -> int:
        """The generation of vectors that is searched.

        Raises:
            IndexCorruptError: there is none of that number.
        """
        generation = int(self.get(GENERATION) or 0)
        known = "SELECT 1 FROM sqlite_schema WHERE name = ?"
        if not self._connection.execute(known, (f"chunk_vectors_g{generation}",)).fetchone():
            raise self.damaged(GENERATION)
        return generation

    @property
    def text_generation(self) -> int:
        """The generation of the full-text tables; another embedder leaves them as they are."""
        return int(self.get("text_generation") or 1)


@lru_cache(maxsize=8)
def _identity(text: str) -> EmbeddingIdentity:
    """A stored identity, which is asked for with every document that is written."""
    stored = json.loads(text)
    kinds = {name: int if name == "dimensions" else str for name in stored}
    identity = EmbeddingIdentity(**stored)
    if not all(isinstance(stored[name], kind) for name, kind in kinds.items()):
        raise TypeError
    if identity.dimensions < 0:
        raise ValueError
    return identity


def _is_number(value: str) -> bool:
    return value.isascii() and value.isdigit() and len(value) <= _MOST_DIGITS
