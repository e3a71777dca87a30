"""A frontier for sources that list everything at once and ask nobody what is left."""

from collections.abc import Iterable

from gdrive_rag_mcp.domain import FolderToList, ItemToLookUp


class NothingKnown:
    """An index that is empty and stays so."""

    def folders(self) -> tuple[FolderToList, ...]:
        return ()

    def lookups(self) -> tuple[ItemToLookUp, ...]:
        return ()

    def unknown(self, ids: Iterable[str]) -> frozenset[str]:
        return frozenset(ids)


NOTHING_KNOWN = NothingKnown()
