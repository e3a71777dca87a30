"""The resources that answers are made of: File and Drive, as one caller sees them."""

from typing import Any
from urllib.parse import quote

from gdrive_rag_mcp.testing.fake_drive.access import Reach
from gdrive_rag_mcp.testing.fake_drive.calls import Call
from gdrive_rag_mcp.testing.fake_drive.items import Item, SharedDrive, timestamp, token_of
from gdrive_rag_mcp.testing.fake_drive.kinds import SHORTCUT, is_native, view_link
from gdrive_rag_mcp.testing.fake_drive.lookup import Lookup
from gdrive_rag_mcp.testing.fake_drive.world import World


class Resources:
    """Makes resources in full; masks take away what was not asked for."""

    def __init__(self, world: World, lookup: Lookup, base_url: str) -> None:
        self._world = world
        self._lookup = lookup
        self._base_url = base_url

    def file(self, call: Call, item: Item) -> dict[str, Any]:
        """The File resource."""
        resource: dict[str, Any] = {
            "kind": "drive#file",
            "id": item.id,
            "name": item.name,
            "mimeType": item.mime_type,
            "spaces": ["drive"],
            "trashed": self._world.is_trashed(item),
            "explicitlyTrashed": item.explicitly_trashed,
            "starred": False,
            "version": str(item.version),
            "createdTime": timestamp(item.created),
            "modifiedTime": timestamp(item.modified),
            "webViewLink": view_link(item.mime_type, item.id),
            "capabilities": self._capabilities(call, item),
        }
        resource |= self._home(call, item) | _content(item) | self._links(item)
        if item.limited:
            resource["inheritedPermissionsDisabled"] = True
        return resource | {
            key: resource.get(key, {}) | value if isinstance(value, dict) else value
            for key, value in item.extra.items()
        }

    def drive(self, drive: SharedDrive) -> dict[str, Any]:
        """The Drive resource."""
        return {
            "kind": "drive#drive",
            "id": drive.id,
            "name": drive.name,
            "createdTime": timestamp(drive.created),
            "hidden": False,
            "capabilities": {"canDownload": True, "canEdit": False, "canListChildren": True},
            "restrictions": {"driveMembersOnly": False, "domainUsersOnly": False},
        }

    def export_link(self, item: Item, mime_type: str) -> str:
        """Where a large export is to be had."""
        key = f"&resourcekey={item.resource_key}" if item.resource_key else ""
        wanted = quote(mime_type, safe="")
        return f"{self._base_url}/export-link/{quote(item.id)}?exportFormat={wanted}{key}"

    def _capabilities(self, call: Call, item: Item) -> dict[str, bool]:
        opened = self._lookup.reach(call, item) is Reach.OPEN
        owned = item.owner == call.caller
        return {
            "canDownload": opened and not item.is_folder,
            "canListChildren": opened and item.is_folder,
            "canEdit": owned,
            "canCopy": opened and not item.is_folder,
            "canRename": owned,
            **self._drive_capabilities(call, item),
        }

    def _drive_capabilities(self, call: Call, item: Item) -> dict[str, bool]:
        if item.drive_id is None:
            return {}
        return {"canReadDrive": call.caller in self._world.drives[item.drive_id].members}

    def _home(self, call: Call, item: Item) -> dict[str, Any]:
        home: dict[str, Any] = {}
        parents = [
            parent
            for parent in item.parents
            if parent in self._world.items
            and self._lookup.reach(call, self._world.items[parent]) > Reach.NONE
        ]
        if parents:
            home["parents"] = parents
        if item.drive_id is not None:
            home["driveId"] = item.drive_id
        elif item.owner is not None:
            owned = item.owner == call.caller
            home |= {
                "owners": [_user(item.owner, me=owned)],
                "ownedByMe": owned,
                "shared": bool(item.readers) or not owned,
            }
        if call.caller in item.readers:
            home["sharedWithMeTime"] = timestamp(item.readers[call.caller])
        return home

    def _links(self, item: Item) -> dict[str, Any]:
        links: dict[str, Any] = {}
        if item.exports:
            links["exportLinks"] = {kind: self.export_link(item, kind) for kind in item.exports}
        if item.resource_key is not None:
            links["resourceKey"] = item.resource_key
        if item.mime_type == SHORTCUT and item.target is not None:
            details = {"targetId": item.target.id, "targetMimeType": item.target.mime_type}
            if item.target.resource_key is not None:
                details["targetResourceKey"] = item.target.resource_key
            links["shortcutDetails"] = details
        return links


def _content(item: Item) -> dict[str, str]:
    if item.content is None or is_native(item.mime_type):
        return {}
    sums = item.checksums()
    _, _, extension = item.name.rpartition(".")
    return {
        "size": str(len(item.content)),
        "quotaBytesUsed": str(len(item.content)),
        "md5Checksum": sums.md5,
        "sha1Checksum": sums.sha1,
        "sha256Checksum": sums.sha256,
        "headRevisionId": f"0B{token_of(item.revision)}",
        "originalFilename": item.name,
        "fullFileExtension": extension,
        "fileExtension": extension,
    }


def _user(email: str, *, me: bool) -> dict[str, Any]:
    return {
        "kind": "drive#user",
        "displayName": email.partition("@")[0],
        "me": me,
        "permissionId": token_of(len(email)),
        "emailAddress": email,
    }


def about_user(email: str) -> dict[str, Any]:
    """The User resource of the caller."""
    return _user(email, me=True)
