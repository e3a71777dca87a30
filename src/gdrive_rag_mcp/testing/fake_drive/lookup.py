"""Finds the item that a call names, or answers as if there were none."""

from gdrive_rag_mcp.testing.fake_drive.access import Access, Reach
from gdrive_rag_mcp.testing.fake_drive.answers import drive_not_found, not_found
from gdrive_rag_mcp.testing.fake_drive.calls import Call
from gdrive_rag_mcp.testing.fake_drive.items import Item, SharedDrive
from gdrive_rag_mcp.testing.fake_drive.world import World


class Lookup:
    """Finds items by id.

    404 is the answer for what is not there, not shared, not asked for with `supportsAllDrives`, or
    kept behind a resource key that was not sent.
    """

    def __init__(self, world: World, access: Access) -> None:
        self._world = world
        self._access = access

    def item(self, call: Call, file_id: str, *, all_drives: bool) -> Item:
        """The item of this id; `root` is the caller's own topmost folder.

        Raises:
            ApiError: 404.
        """
        known = self._world.my_drive(call.caller) if file_id == "root" else file_id
        item = self._world.items.get(known)
        if item is None or not self._is_open(call, item) or (item.drive_id and not all_drives):
            raise not_found(file_id)
        return item

    def reach(self, call: Call, item: Item) -> Reach:
        """How far the caller gets, knowing the item's address."""
        return self._access.reach(call.caller, item.id, by_link=True)

    def is_found(self, call: Call, item: Item) -> bool:
        """Whether listings show the item without being asked for its folder."""
        return self._access.reach(call.caller, item.id) > Reach.NONE

    def drive(self, call: Call, drive_id: str) -> SharedDrive:
        """The shared drive of this id.

        Raises:
            ApiError: 404, for those who are no members too.
        """
        drive = self._world.drives.get(drive_id)
        if drive is None or call.caller not in drive.members:
            raise drive_not_found(drive_id)
        return drive

    def _is_open(self, call: Call, item: Item) -> bool:
        if self.reach(call, item) is Reach.NONE:
            return False
        if item.resource_key is None or self._access.is_direct(call.caller, item):
            return True
        return call.brings_key(item.id, item.resource_key)
