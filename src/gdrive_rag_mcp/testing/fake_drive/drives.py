"""`drives.get`, `drives.list` and `about.get`."""

from typing import Any

from gdrive_rag_mcp.testing.fake_drive.answers import forbidden, invalid, required
from gdrive_rag_mcp.testing.fake_drive.calls import Call
from gdrive_rag_mcp.testing.fake_drive.discovery import checked_parameters
from gdrive_rag_mcp.testing.fake_drive.feeds import Feeds
from gdrive_rag_mcp.testing.fake_drive.kinds import DOCUMENT, EXPORT_FORMATS
from gdrive_rag_mcp.testing.fake_drive.lookup import Lookup
from gdrive_rag_mcp.testing.fake_drive.masks import apply_mask, parse_mask
from gdrive_rag_mcp.testing.fake_drive.resources import Resources, about_user
from gdrive_rag_mcp.testing.fake_drive.world import World

Json = dict[str, Any]


class Drives:
    """Answers what concerns whole drives and the caller."""

    def __init__(self, world: World, feeds: Feeds, lookup: Lookup, resources: Resources) -> None:
        self._world = world
        self._feeds = feeds
        self._lookup = lookup
        self._resources = resources

    def get_drive(self, call: Call, drive_id: str) -> Json:
        """`drives.get`."""
        parameters = checked_parameters("drives", "get", call.query)
        _refuse_administration(parameters)
        mask = parse_mask(parameters.get("fields", "kind,id,name"), "Drive")
        drive: Json = self._resources.drive(self._lookup.drive(call, drive_id))
        return _masked(apply_mask(mask, drive))

    def list_drives(self, call: Call) -> Json:
        """`drives.list`: those that the caller is a member of, oldest first."""
        parameters = checked_parameters("drives", "list", call.query)
        _refuse_administration(parameters)
        if parameters.get("q"):
            raise invalid("q")
        mask = parse_mask(
            parameters.get("fields", "kind,nextPageToken,drives(kind,id,name)"), "DriveList"
        )
        start = _start(parameters.get("pageToken"))
        mine = [
            drive
            for drive in self._world.drives.values()
            if self._feeds.is_member(call.caller, drive.id)
        ]
        end = start + parameters["pageSize"]
        answer: Json = {
            "kind": "drive#driveList",
            "drives": [self._resources.drive(drive) for drive in mine[start:end]],
        }
        if len(mine) > end:
            answer["nextPageToken"] = f"drives-{end}"
        return _masked(apply_mask(mask, answer))

    def about(self, call: Call) -> Json:
        """`about.get`, whose fields must be named."""
        parameters = checked_parameters("about", "get", call.query)
        if "fields" not in parameters:
            raise required("fields", "The 'fields' parameter is required for this method.")
        mask = parse_mask(parameters["fields"], "About")
        used = sum(
            len(item.content or b"")
            for item in self._world.items.values()
            if item.owner == call.caller
        )
        answer: Json = {
            "kind": "drive#about",
            "user": about_user(call.caller),
            "storageQuota": {"limit": "16106127360", "usage": str(used), "usageInDrive": str(used)},
            "exportFormats": {kind: list(formats) for kind, formats in EXPORT_FORMATS.items()},
            "importFormats": {"text/plain": [DOCUMENT]},
            "maxUploadSize": "5242880000000",
            "canCreateDrives": False,
        }
        return _masked(apply_mask(mask, answer))


def _refuse_administration(parameters: Json) -> None:
    if parameters["useDomainAdminAccess"]:
        raise forbidden("forbidden", "The user is no administrator of the domain.")


def _start(token: str | None) -> int:
    if token is None:
        return 0
    name, _, number = token.partition("-")
    if name != "drives" or not (number.isascii() and number.isdigit()):
        raise invalid("pageToken")
    return int(number)


def _masked(value: Any) -> Json:  # noqa: ANN401 -- what a mask has left of an object is one
    masked: Json = value
    return masked
