"""A source that was found to be in order before there was an index, and is not asked twice."""

from collections.abc import Iterator
from pathlib import Path

from gdrive_rag_mcp.domain import ChangePage, Fetched, SourceFile, SourceUsage
from gdrive_rag_mcp.indexing.fetching import Closable
from gdrive_rag_mcp.protocols import Frontier, Source


class CheckedSource:
    """The source of a first sync, whose first check was made a moment ago and cost a call."""

    def __init__(self, source: Source) -> None:
        """Check the source.

        Raises:
            SourceError: as `Source.check`.
        """
        source.check()
        self._source = source
        self._just_checked = True

    @property
    def root(self) -> str:
        return self._source.root

    @property
    def usage(self) -> SourceUsage:
        return self._source.usage

    def check(self) -> None:
        """As the source's own, but for the first time."""
        if not self._just_checked:
            self._source.check()
        self._just_checked = False

    def changes(self, cursor: str | None, frontier: Frontier) -> Iterator[ChangePage]:
        """As the source's own."""
        return self._source.changes(cursor, frontier)

    def read(self, file: SourceFile, into: Path) -> Fetched:
        """As the source's own."""
        return self._source.read(file, into)

    def close(self) -> None:
        """Let go of the source's connections, where it has any."""
        if isinstance(self._source, Closable):
            self._source.close()
