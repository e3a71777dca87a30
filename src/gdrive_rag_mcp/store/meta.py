"""The index's small facts, by name."""

import apsw

LISTING_OPEN = "listing_open"


class Meta:
    """Name and value pairs in the index file."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def get(self, key: str) -> str | None:
        row = self._connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return str(row[0]) if row else None

    def set(self, key: str, value: str) -> None:
        self._connection.execute(
            """INSERT INTO meta VALUES (?, ?) ON CONFLICT (key)
            DO UPDATE SET value = excluded.value WHERE value != excluded.value""",
            (key, value),
        )

    def delete(self, key: str) -> None:
        self._connection.execute("DELETE FROM meta WHERE key = ?", (key,))

    @property
    def generation(self) -> int:
        """The generation of chunks and vectors that is searched."""
        return int(self.get("generation") or 1)

    @property
    def text_generation(self) -> int:
        """The generation of the full-text tables; another embedder leaves them as they are."""
        return int(self.get("text_generation") or 1)
