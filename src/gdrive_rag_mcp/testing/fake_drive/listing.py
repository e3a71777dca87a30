"""`files.list`: corpora, queries, pages, and the ways in which listings do not tell everything."""

import base64
import binascii
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gdrive_rag_mcp.testing.fake_drive.access import Access
from gdrive_rag_mcp.testing.fake_drive.answers import Answer, forbidden, invalid
from gdrive_rag_mcp.testing.fake_drive.behaviour import Behaviour
from gdrive_rag_mcp.testing.fake_drive.calls import Call
from gdrive_rag_mcp.testing.fake_drive.discovery import checked_parameters
from gdrive_rag_mcp.testing.fake_drive.items import Item
from gdrive_rag_mcp.testing.fake_drive.lookup import Lookup
from gdrive_rag_mcp.testing.fake_drive.masks import apply_mask, parse_mask
from gdrive_rag_mcp.testing.fake_drive.ordering import sort_items
from gdrive_rag_mcp.testing.fake_drive.queries import Query, parse_query
from gdrive_rag_mcp.testing.fake_drive.query_terms import Terms
from gdrive_rag_mcp.testing.fake_drive.resources import Resources
from gdrive_rag_mcp.testing.fake_drive.world import World

_DEFAULT_FIELDS = "kind,incompleteSearch,nextPageToken,files(kind,id,name,mimeType)"
_CORPORA = ("user", "domain", "drive", "allDrives")
SPACES = frozenset({"drive", "appDataFolder", "photos"})
Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Scope:
    """Where a listing searches: which corpora, which shared drive, shared drives at all."""

    corpora: str
    drive_id: str | None
    all_drives: bool


@dataclass(frozen=True, slots=True)
class _Position:
    """How far a listing has come: behind which item (or after how many, where sorted)."""

    after: int = 0
    empties: int = 0


class Listing:
    """Answers `files.list`."""

    def __init__(
        self,
        world: World,
        access: Access,
        lookup: Lookup,
        resources: Resources,
        behaviour: Behaviour,
    ) -> None:
        self._world = world
        self._access = access
        self._lookup = lookup
        self._resources = resources
        self._behaviour = behaviour

    def list_files(self, call: Call) -> Json | Answer:
        """A page of files."""
        parameters = checked_parameters("files", "list", call.query)
        mask = parse_mask(parameters.get("fields", _DEFAULT_FIELDS), "FileList")
        hold_to_spaces(parameters)
        scope = self._scope(call, parameters)
        query = self._query(call, parameters)
        binding = self._binding(call, parameters)
        position = _position(parameters.get("pageToken"), binding)
        answer: Json = {
            "kind": "drive#fileList",
            "incompleteSearch": self._is_incomplete(scope, parameters.get("q", "")),
            "files": [],
        }
        if self._behaviour.empty_pages_due(position.empties):
            answer["nextPageToken"] = _token(binding, position.after, position.empties + 1)
            return _masked(mask, answer)
        found = self._found(call, query, scope, parameters.get("orderBy"))
        if "drive" not in parameters["spaces"].split(","):
            found = []
        is_sorted = "orderBy" in parameters
        rest = (
            found[position.after :]
            if is_sorted
            else [item for item in found if item.sequence > position.after]
        )
        size = min(parameters["pageSize"], self._behaviour.largest_page)
        page = rest[:size]
        answer["files"] = [self._resources.file(call, item) for item in page]
        if len(rest) > size:
            after = position.after + size if is_sorted else page[-1].sequence
            answer["nextPageToken"] = _token(binding, after, 0)
        return _masked(mask, answer)

    def _scope(self, call: Call, parameters: Mapping[str, Any]) -> _Scope:
        corpora = parameters.get("corpora", "user")
        drive_id = parameters.get("driveId")
        if corpora not in _CORPORA:
            raise invalid("corpora")
        if (drive_id is not None) != (corpora == "drive"):
            raise forbidden(
                "teamDriveIdRequiresTeamDriveCorpora",
                "The driveId parameter must be specified if and only if corpora is set to drive.",
            )
        included = parameters["includeItemsFromAllDrives"]
        if corpora in ("drive", "allDrives") and not included:
            raise forbidden(
                "includeTeamDriveItemsRequired",
                "The includeItemsFromAllDrives parameter must be set to true when driveId is "
                "specified or corpora contains drive or allDrives.",
            )
        hold_to_support(parameters)
        if drive_id is not None:
            self._lookup.drive(call, drive_id)
        return _Scope(corpora, drive_id, included)

    def _query(self, call: Call, parameters: Mapping[str, Any]) -> Query:
        terms = Terms(
            self._world,
            self._access,
            self._lookup,
            call,
            all_drives=parameters["supportsAllDrives"],
            closed_folders_not_found=self._behaviour.limited_folders_not_found,
        )
        return parse_query(parameters.get("q", ""), terms)

    def _found(self, call: Call, query: Query, scope: _Scope, order_by: str | None) -> list[Item]:
        found = [
            item
            for item in self._candidates(call, query)
            if item.id not in self._behaviour.lagging
            and not self._world.is_root(item)
            and self._is_in_corpora(call, item, scope, named=query.parents is not None)
            and query.test(item)
        ]
        return found if order_by is None else sort_items(found, order_by)

    def _candidates(self, call: Call, query: Query) -> list[Item]:
        """Below named folders, whatever the caller may open; else what the caller can find."""
        if query.parents is None:
            return [
                item for item in self._world.items.values() if self._lookup.is_found(call, item)
            ]
        named = query.parents
        if self._behaviour.grouped_parents_bug and len(named) > 1:
            named = named[: self._behaviour.grouped_parents_honoured]
        below = {child.id: child for folder in named for child in self._world.children(folder)}
        return sorted(
            (item for item in below.values() if self._lookup.reach(call, item)),
            key=lambda item: item.sequence,
        )

    def _is_in_corpora(self, call: Call, item: Item, scope: _Scope, *, named: bool) -> bool:
        if item.drive_id is None:
            return scope.corpora != "drive"
        if not scope.all_drives:
            return False
        if scope.corpora == "drive":
            return item.drive_id == scope.drive_id
        drive = self._world.drives.get(item.drive_id)
        is_member = drive is not None and call.caller in drive.members
        return scope.corpora == "allDrives" or named or not is_member

    def _is_incomplete(self, scope: _Scope, text: str) -> bool:
        admitted = self._behaviour.incomplete_folders
        return (
            scope.corpora in admitted
            or scope.drive_id in admitted
            or any(folder in text for folder in admitted)
        )

    def _binding(self, call: Call, parameters: Mapping[str, Any]) -> str:
        """What a page token holds for: everything but the size and the fields of the page."""
        bound = {
            name: value
            for name, value in parameters.items()
            if name not in ("pageSize", "pageToken", "fields", "prettyPrint", "alt")
        }
        text = json.dumps([call.caller, self._behaviour.list_generation, bound], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def hold_to_spaces(parameters: Mapping[str, Any]) -> None:
    """Refuse spaces that are none.

    Raises:
        ApiError: 400.
    """
    if not set(parameters["spaces"].split(",")) <= SPACES:
        raise invalid("spaces")


def hold_to_support(parameters: Mapping[str, Any]) -> None:
    """Whoever asks for items of shared drives must say that it can handle them.

    Raises:
        ApiError: 403.
    """
    if parameters["includeItemsFromAllDrives"] and not parameters["supportsAllDrives"]:
        raise forbidden(
            "includeTeamDriveItemsRequiresSupportsTeamDrives",
            "The supportsAllDrives parameter must be set to true when includeItemsFromAllDrives "
            "is set to true.",
        )


def _masked(mask: Any, answer: Json) -> Json:  # noqa: ANN401 -- a mask is what `parse_mask` gives
    masked: Json = apply_mask(mask, answer)
    return masked


def _token(binding: str, after: int, empties: int) -> str:
    return base64.urlsafe_b64encode(json.dumps([binding, after, empties]).encode()).decode()


def _position(token: str | None, binding: str) -> _Position:
    if token is None:
        return _Position()
    try:
        owner, after, empties = json.loads(base64.urlsafe_b64decode(token))
    except (ValueError, TypeError, binascii.Error):
        raise invalid("pageToken") from None
    if owner != binding:
        raise invalid("pageToken")
    return _Position(int(after), int(empties))
