"""What stands beside the passages of a search: shown with them where asked for, never judged."""

from dataclasses import replace

from gdrive_rag_mcp.domain import Hit
from gdrive_rag_mcp.store import Store


def with_neighbours(store: Store, hits: tuple[Hit, ...], reach: int) -> tuple[Hit, ...]:
    """Each hit with the text of `reach` chunks before and after it; as it is for none."""
    return tuple(_with_neighbours(store, hit, reach) for hit in hits) if reach else hits


def _with_neighbours(store: Store, hit: Hit, reach: int) -> Hit:
    before, after = store.index.beside(hit.passage, reach)
    return replace(hit, before=before, after=after)
