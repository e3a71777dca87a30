"""How a source in memory follows its logs: a crawl, then news, then what came into scope."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

from gdrive_rag_mcp.domain import (
    ChangePage,
    FolderToList,
    Gone,
    ItemToLookUp,
    Listed,
    LookedUp,
    Reason,
)
from gdrive_rag_mcp.protocols import Frontier
from gdrive_rag_mcp.testing.memory_tree import made

if TYPE_CHECKING:
    from gdrive_rag_mcp.testing.memory_source import InMemorySource


@dataclass(frozen=True, slots=True)
class Journey:
    """How far each log was read, and whether a crawl is under way: what a cursor says."""

    log_number: int
    places: dict[str, int]
    crawling: bool = False

    @property
    def stored(self) -> str:
        """The cursor."""
        return json.dumps(asdict(self))


class FollowedLogs:
    """One sync's reading of the logs; `late` as in `InMemorySource.looks_up_late`."""

    def __init__(self, source: InMemorySource, frontier: Frontier, *, late: bool) -> None:
        self._source = source
        self._frontier = frontier
        self._late = late
        self._journey = source.journey()

    def pages(self, cursor: str | None) -> Iterator[ChangePage]:
        """Yield the news since the cursor; a log that is lost means that all is listed anew."""
        left = Journey(**json.loads(cursor)) if cursor else None
        if left is None or left.log_number != self._journey.log_number:
            self._journey = replace(self._journey, crawling=True)
            root = [node for node in [self._source.seen("root")] if node]
            yield replace(self._source.page_of(root), begins=True, cursor=self._journey.stored)
        else:
            self._journey = left
        if self._journey.crawling:
            yield from self._discovered(targets=not self._late)
            self._journey = replace(self._journey, crawling=False)
            yield ChangePage(complete=True, cursor=self._journey.stored)
        for feed in self._source.feeds:
            yield from self._log(feed)
        yield ChangePage(caught_up=True)
        yield from self._discovered(targets=True)

    def _log(self, feed: str) -> Iterator[ChangePage]:
        ended = False
        while not ended:
            ids, place = self._source.log(feed, self._journey)
            ended = len(ids) == 0 and place == self._journey.places.get(feed, 0)
            self._journey = replace(self._journey, places={**self._journey.places, feed: place})
            living = [node for node in map(self._source.seen, ids) if node and node.feed == feed]
            gone = sorted(set(ids) - {node.id for node in living})
            yield replace(
                self._source.page_of(living),
                removed=tuple(Gone(item_id, feed) for item_id in gone),
                news=True,
                cursor=self._journey.stored,
            )

    def _discovered(self, *, targets: bool) -> Iterator[ChangePage]:
        """List what is known and not listed, and look up what links point at, until all is."""
        while True:
            folders = self._frontier.folders()
            items = self._frontier.lookups() if targets and not folders else ()
            if not folders and not items:
                return
            for folder in folders:
                yield from self._inside(folder)
            for item in items:
                yield self._looked_up(item)

    def _inside(self, folder: FolderToList) -> Iterator[ChangePage]:
        token = folder.page_token
        while True:
            found = self._source.children(folder.id)
            if isinstance(found, Reason):
                yield ChangePage(looked_up=(LookedUp(folder.id, found),))
                return
            rest = [node for node in found if token is None or made(node) > int(token)]
            page = rest[: self._source.page_items]
            token = str(made(page[-1])) if len(rest) > len(page) else None
            yield replace(self._source.page_of(page), listed=Listed(folder.id, token))
            if token is None:
                return

    def _looked_up(self, item: ItemToLookUp) -> ChangePage:
        found = self._source.item(item.id)
        if found is None or (found.target is not None and not item.missing):
            return ChangePage(looked_up=(LookedUp(item.id, Reason.NOT_FOUND),))
        return replace(self._source.page_of([found]), looked_up=(LookedUp(item.id),))
