"""`changes.getStartPageToken` and `changes.list`: pages of a log, each entry in its current state.

Source: https://developers.google.com/workspace/drive/api/guides/about-changes
"""

from collections.abc import Mapping
from typing import Any

from gdrive_rag_mcp.testing.fake_drive.answers import forbidden, invalid
from gdrive_rag_mcp.testing.fake_drive.behaviour import Behaviour
from gdrive_rag_mcp.testing.fake_drive.calls import Call
from gdrive_rag_mcp.testing.fake_drive.discovery import checked_parameters
from gdrive_rag_mcp.testing.fake_drive.feeds import Feeds, drive_feed, user_feed
from gdrive_rag_mcp.testing.fake_drive.items import Item, timestamp
from gdrive_rag_mcp.testing.fake_drive.journal import (
    Entry,
    Feed,
    Journal,
    position_of,
    token_for,
)
from gdrive_rag_mcp.testing.fake_drive.listing import hold_to_spaces, hold_to_support
from gdrive_rag_mcp.testing.fake_drive.lookup import Lookup
from gdrive_rag_mcp.testing.fake_drive.masks import Mask, apply_mask, parse_mask
from gdrive_rag_mcp.testing.fake_drive.resources import Resources
from gdrive_rag_mcp.testing.fake_drive.world import World

LARGEST_PAGE_OF_ALL_FIELDS = 50
_DEFAULT_FIELDS = (
    "kind,newStartPageToken,nextPageToken,changes(kind,changeType,time,removed,fileId,driveId,"
    "file(kind,id,name,mimeType),drive(kind,id,name))"
)
Json = dict[str, Any]


class Changes:
    """Answers `changes.*`."""

    def __init__(
        self,
        world: World,
        journal: Journal,
        feeds: Feeds,
        lookup: Lookup,
        resources: Resources,
        behaviour: Behaviour,
    ) -> None:
        self._world = world
        self._journal = journal
        self._feeds = feeds
        self._lookup = lookup
        self._resources = resources
        self._behaviour = behaviour

    def start_page_token(self, call: Call) -> Json:
        """Where the log ends now."""
        parameters = checked_parameters("changes", "getStartPageToken", call.query)
        mask = parse_mask(parameters.get("fields", "*"), "StartPageToken")
        token = token_for(self._feed(call, parameters), self._journal.position)
        return _masked(mask, {"kind": "drive#startPageToken", "startPageToken": token})

    def list_changes(self, call: Call) -> Json:
        """A page of changes; what is left out of it makes the page shorter."""
        parameters = checked_parameters("changes", "list", call.query)
        mask = parse_mask(parameters.get("fields", _DEFAULT_FIELDS), "ChangeList")
        hold_to_spaces(parameters)
        hold_to_support(parameters)
        feed = self._feed(call, parameters)
        if feed.kind == "drive" and not parameters["includeItemsFromAllDrives"]:
            raise forbidden(
                "includeTeamDriveItemsRequired",
                "The includeItemsFromAllDrives parameter must be set to true when driveId is "
                "specified.",
            )
        place = position_of(parameters["pageToken"], feed)
        if place is None or place[0] > self._journal.position:
            raise invalid("pageToken")
        answer = self._page(call, feed, place, parameters, mask)
        return _masked(mask, {"kind": "drive#changeList", **answer})

    def _page(
        self,
        call: Call,
        feed: Feed,
        place: tuple[int, int],
        parameters: Mapping[str, Any],
        mask: Mask,
    ) -> Json:
        position, empties = place
        if self._behaviour.empty_pages_due(empties):
            return {"changes": [], "nextPageToken": token_for(feed, position, empties + 1)}
        size = min(parameters["pageSize"], self._behaviour.largest_page)
        if _asks_for_everything(mask):
            size = min(size, LARGEST_PAGE_OF_ALL_FIELDS)
        entries = self._journal.after(feed, position)
        shown = [self._change(call, feed, entry, parameters) for entry in entries[:size]]
        answer: Json = {"changes": [change for change in shown if change is not None]}
        if len(entries) > size:
            answer["nextPageToken"] = token_for(feed, entries[size - 1].position)
        else:
            answer["newStartPageToken"] = token_for(feed, self._journal.position)
        return answer

    def _feed(self, call: Call, parameters: Mapping[str, Any]) -> Feed:
        drive_id = parameters.get("driveId")
        if drive_id is None:
            self._world.users.add(call.caller)
            return user_feed(call.caller)
        if not parameters["supportsAllDrives"]:
            raise forbidden(
                "teamDriveIdRequiresSupportsTeamDrives",
                "The supportsAllDrives parameter must be set to true when driveId is specified.",
            )
        return drive_feed(self._lookup.drive(call, drive_id).id)

    def _change(
        self, call: Call, feed: Feed, entry: Entry, parameters: Mapping[str, Any]
    ) -> Json | None:
        if entry.is_drive:
            change = self._of_drive(call, entry)
            wanted = parameters["includeItemsFromAllDrives"]
        else:
            item = self._world.items.get(entry.target)
            change = self._of_file(call, feed, entry, item, parameters)
            wanted = change["removed"] or self._is_wanted(call, item, parameters)
        if not wanted or "drive" not in parameters["spaces"].split(","):
            return None
        if change["removed"] and not parameters["includeRemoved"]:
            return None
        return change

    def _of_drive(self, call: Call, entry: Entry) -> Json:
        drive = self._world.drives.get(entry.target)
        is_there = drive is not None and call.caller in drive.members
        change: Json = {
            "kind": "drive#change",
            "changeType": "drive",
            "driveId": entry.target,
            "time": timestamp(entry.time),
            "removed": not is_there,
        }
        return change | ({"drive": self._resources.drive(drive)} if drive and is_there else {})

    def _of_file(
        self,
        call: Call,
        feed: Feed,
        entry: Entry,
        item: Item | None,
        parameters: Mapping[str, Any],
    ) -> Json:
        removed = item is None or not self._is_told_of(call, feed, item)
        change: Json = {
            "kind": "drive#change",
            "changeType": "file",
            "fileId": entry.target,
            "time": timestamp(entry.time),
            "removed": removed,
        }
        still_there = item is not None and self._lookup.is_found(call, item)
        if item is not None and (
            not removed or (parameters["includeCorpusRemovals"] and still_there)
        ):
            change["file"] = self._resources.file(call, item)
        return change

    def _is_told_of(self, call: Call, feed: Feed, item: Item) -> bool:
        if feed.kind == "user":
            return self._feeds.is_of_user(call.caller, item)
        return item.drive_id == feed.owner and self._lookup.is_found(call, item)

    def _is_wanted(self, call: Call, item: Item | None, parameters: Mapping[str, Any]) -> bool:
        if item is None:
            return True
        if item.drive_id is not None and not parameters["includeItemsFromAllDrives"]:
            return False
        restricted = parameters["restrictToMyDrive"]
        return not restricted or self._world.is_in_my_drive(item, call.caller)


def _asks_for_everything(mask: Mask) -> bool:
    if "*" in mask:
        return True
    change = mask.get("changes")
    if change is None:
        return False
    return not change or "*" in change or ("file" in change and "*" in change["file"])


def _masked(mask: Mask, answer: Json) -> Json:
    masked: Json = apply_mask(mask, answer)
    return masked
