"""Which change log tells of which item.

A shared drive's log tells of all its items; a user's log of the items that the user sees outside
of the drives that the user is a member of.
Source: https://developers.google.com/workspace/drive/api/guides/about-changes
"""

from collections.abc import Iterator
from contextlib import contextmanager

from gdrive_rag_mcp.testing.fake_drive.access import Access, Reach
from gdrive_rag_mcp.testing.fake_drive.items import Item
from gdrive_rag_mcp.testing.fake_drive.journal import Feed, Journal
from gdrive_rag_mcp.testing.fake_drive.world import World


def user_feed(email: str) -> Feed:
    """The log of a user."""
    return Feed("user", email)


def drive_feed(drive_id: str) -> Feed:
    """The log of a shared drive."""
    return Feed("drive", drive_id)


class Feeds:
    """Knows the log of every item, and notes changes there."""

    def __init__(self, world: World, access: Access, journal: Journal) -> None:
        self._world = world
        self._access = access
        self._journal = journal

    def of(self, item: Item) -> set[Feed]:
        """Every log that tells of the item now."""
        feeds = {user_feed(user) for user in self._world.users if self.is_of_user(user, item)}
        if item.drive_id is not None:
            feeds.add(drive_feed(item.drive_id))
        return feeds

    def is_of_user(self, email: str, item: Item) -> bool:
        """Whether the user's own log tells of the item."""
        return not self.is_member(email, item.drive_id) and (
            self._access.reach(email, item.id) > Reach.NONE
        )

    def is_member(self, email: str, drive_id: str | None) -> bool:
        """Whether the user is a member of this shared drive."""
        return drive_id in self._world.drives and (
            email in self._world.drives[str(drive_id)].members
        )

    @contextmanager
    def changing(self, item: Item) -> Iterator[None]:
        """Note the change in the logs that told of the item, and in those that do afterwards.

        What lies below a folder is not noted: for Drive it has not changed.
        """
        before = self.of(item)
        yield
        self._journal.record(before | self._now(item), item.id, self._world.now())

    @contextmanager
    def changing_access(self, item: Item) -> Iterator[None]:
        """Note it only for those who see the item now and did not, or did and do not."""
        before = self._now(item)
        yield
        self._journal.record(before ^ self._now(item), item.id, self._world.now())

    def note(self, item: Item, users: set[str]) -> None:
        """Note a change of an item in the logs of users who follow it in their own log."""
        feeds = {user_feed(user) for user in users if not self.is_member(user, item.drive_id)}
        self._journal.record(feeds, item.id, self._world.now())

    def note_drive(self, drive_id: str, users: set[str]) -> None:
        """Note a change of a shared drive itself, or of who is in it."""
        feeds = {user_feed(user) for user in users} | {drive_feed(drive_id)}
        self._journal.record(feeds, drive_id, self._world.now(), is_drive=True)

    def _now(self, item: Item) -> set[Feed]:
        return self.of(item) if item.id in self._world.items else set()
