"""Who may see what: grants, inherited downward until a folder with limited access ends it."""

from collections.abc import Iterable
from enum import IntEnum

from gdrive_rag_mcp.testing.fake_drive.items import Item
from gdrive_rag_mcp.testing.fake_drive.world import World


class Reach(IntEnum):
    """How far a caller gets; a folder that is only SEEN cannot be opened."""

    NONE = 0
    SEEN = 1
    OPEN = 2


Levels = dict[str, Reach]


class Access:
    """Answers for each user, from a map that is kept until something changes access.

    There are two maps a user: what is granted to the person, which is what listings and change
    logs go by, and what opens besides to anyone who knows an address.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._maps: dict[tuple[str, bool], Levels] = {}

    def reach(self, email: str, item_id: str, *, by_link: bool = False) -> Reach:
        """How far the user gets with this item."""
        return self._levels(email, by_link=by_link).get(item_id, Reach.NONE)

    def is_direct(self, email: str, item: Item) -> bool:
        """Whether the item itself is granted to the user, not only something above it."""
        drive = self._world.drives.get(item.id)
        return (
            item.owner == email
            or email in item.readers
            or (drive is not None and email in drive.members)
        )

    def forget(self, ids: Iterable[str]) -> None:
        """These items are no more."""
        gone = list(ids)
        for levels in self._maps.values():
            for item_id in gone:
                levels.pop(item_id, None)

    def reconsider(self, item: Item) -> None:
        """Who may see the item has changed, and with it who may see what lies below."""
        concerned = [below.id for below in self._world.below([item.id])]
        self.forget(concerned)
        for (email, by_link), levels in self._maps.items():
            self._raise(levels, email, concerned, by_link=by_link)

    def spread(self, item: Item) -> None:
        """An item is new, or more people may see it: nobody has lost anything."""
        for (email, by_link), levels in self._maps.items():
            self._raise(levels, email, [item.id], by_link=by_link)

    def _levels(self, email: str, *, by_link: bool) -> Levels:
        key = (email, by_link)
        if key not in self._maps:
            levels: Levels = {}
            granted = [
                item.id
                for item in self._world.items.values()
                if self._granted(email, item, by_link=by_link)
            ]
            self._raise(levels, email, granted, by_link=by_link)
            self._maps[key] = levels
        return self._maps[key]

    def _granted(self, email: str, item: Item, *, by_link: bool) -> bool:
        return self.is_direct(email, item) or (by_link and item.linked)

    def _raise(self, levels: Levels, email: str, ids: Iterable[str], *, by_link: bool) -> None:
        """Work out these items, and go on below wherever that changed something."""
        pending = list(ids)
        while pending:
            item = self._world.items.get(pending.pop())
            if item is None:
                continue
            level = self._level(levels, email, item, by_link=by_link)
            if level > levels.get(item.id, Reach.NONE):
                levels[item.id] = level
                if level is Reach.OPEN:
                    pending += self._world.child_ids(item.id)

    def _level(self, levels: Levels, email: str, item: Item, *, by_link: bool) -> Reach:
        if item.hidden and item.owner != email:
            return Reach.NONE
        if self._granted(email, item, by_link=by_link):
            return Reach.OPEN
        if any(levels.get(parent) is Reach.OPEN for parent in item.parents):
            return Reach.SEEN if item.limited else Reach.OPEN
        return Reach.NONE
