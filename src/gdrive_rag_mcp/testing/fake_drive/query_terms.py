"""What the terms of `q` mean: fields of an item, and the collections that somebody can be in."""

import operator
import re
from collections.abc import Callable
from datetime import UTC, datetime

from gdrive_rag_mcp.testing.fake_drive.access import Access, Reach
from gdrive_rag_mcp.testing.fake_drive.answers import not_found
from gdrive_rag_mcp.testing.fake_drive.calls import Call
from gdrive_rag_mcp.testing.fake_drive.items import Item
from gdrive_rag_mcp.testing.fake_drive.lookup import Lookup
from gdrive_rag_mcp.testing.fake_drive.world import World

Test = Callable[[Item], bool]
_RFC_3339 = re.compile(
    r"\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d{1,6})?(?:Z|[+-]\d\d:\d\d)?)?", re.ASCII
)
_EQUALITY: dict[str, Callable[[object, object], bool]] = {"=": operator.eq, "!=": operator.ne}
_ORDER: dict[str, Callable[[datetime, datetime], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class Terms:
    """The meaning of terms for one call; None is no meaning."""

    def __init__(
        self,
        world: World,
        access: Access,
        lookup: Lookup,
        call: Call,
        *,
        all_drives: bool,
        closed_folders_not_found: bool,
    ) -> None:
        self._world = world
        self._access = access
        self._lookup = lookup
        self._call = call
        self._all_drives = all_drives
        self._closed_folders_not_found = closed_folders_not_found

    def folder(self, file_id: str) -> str:
        """The id of a folder whose children are asked for.

        Raises:
            ApiError: 404.
        """
        item = self._lookup.item(self._call, file_id, all_drives=self._all_drives)
        if self._closed_folders_not_found and self._lookup.reach(self._call, item) < Reach.OPEN:
            raise not_found(file_id)
        return item.id

    def membership(self, collection: str, email: str) -> Test | None:
        """`'somebody' in owners`, `writers` or `readers`; `me` is the caller."""
        who = self._call.caller if email == "me" else email
        if collection in ("owners", "writers"):
            return lambda item: item.owner == who
        if collection == "readers":
            return lambda item: self._access.reach(who, item.id) is Reach.OPEN
        return None

    def comparison(self, field: str, sign: str, value: str) -> Test | None:
        """`field sign value`, where the value was in quotes."""
        if field in ("modifiedTime", "createdTime"):
            return _time(field, sign, value)
        if sign == "contains":
            return _contains(field, value)
        if sign not in _EQUALITY or field not in _TEXTS:
            return None
        compare, text_of = _EQUALITY[sign], _TEXTS[field]
        return lambda item: compare(text_of(item), value)

    def truth(self, field: str, sign: str, *, value: bool) -> Test | None:
        """`field sign true` or `false`."""
        truths: dict[str, Test] = {
            "trashed": self._world.is_trashed,
            "starred": lambda _: False,
            "sharedWithMe": lambda item: self._call.caller in item.readers,
        }
        if sign not in _EQUALITY or field not in truths:
            return None
        compare, truth = _EQUALITY[sign], truths[field]
        return lambda item: compare(truth(item), value)


def _target(item: Item) -> str | None:
    return None if item.target is None else item.target.id


_TEXTS: dict[str, Callable[[Item], str | None]] = {
    "name": lambda item: item.name,
    "mimeType": lambda item: item.mime_type,
    "shortcutDetails.targetId": _target,
}


def _contains(field: str, value: str) -> Test | None:
    """Of a name, `contains` finds beginnings of words alone."""
    if field == "mimeType":
        return lambda item: value in item.mime_type
    beginning = re.compile(r"(?<!\w)" + re.escape(value), re.IGNORECASE)
    if field == "name":
        return lambda item: beginning.search(item.name) is not None
    if field == "fullText":
        return lambda item: beginning.search(f"{item.name}\n{_text(item)}") is not None
    return None


def _text(item: Item) -> str:
    return (item.content or b"".join(item.exports.values())).decode("utf-8", "replace")


def _time(field: str, sign: str, value: str) -> Test | None:
    if _RFC_3339.fullmatch(value) is None or sign not in _ORDER:
        return None
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        return None
    compare = _ORDER[sign]
    wanted = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    if field == "createdTime":
        return lambda item: compare(item.created, wanted)
    return lambda item: compare(item.modified, wanted)
