"""`orderBy`: the documented keys, each ascending or `desc`."""

import re
from collections.abc import Callable
from typing import Any

from gdrive_rag_mcp.testing.fake_drive.answers import invalid
from gdrive_rag_mcp.testing.fake_drive.items import EPOCH, Item

_KEYS: dict[str, Callable[[Item], Any]] = {
    "createdTime": lambda item: item.created,
    "folder": lambda item: not item.is_folder,
    "modifiedByMeTime": lambda _: EPOCH,
    "modifiedTime": lambda item: item.modified,
    "name": lambda item: item.name.casefold(),
    "name_natural": lambda item: _natural(item.name),
    "quotaBytesUsed": lambda item: len(item.content or b""),
    "recency": lambda item: item.modified,
    "sharedWithMeTime": lambda item: max(item.readers.values(), default=EPOCH),
    "starred": lambda _: False,
    "viewedByMeTime": lambda _: EPOCH,
}
_KEY = re.compile(r"\s*(\w+)(\s+desc)?\s*", re.ASCII)


def sort_items(items: list[Item], order_by: str) -> list[Item]:
    """The items in the order asked for.

    Raises:
        ApiError: 400 for a key that Drive does not have.
    """
    found = items
    for part in reversed(order_by.split(",")):
        match = _KEY.fullmatch(part)
        if match is None or match[1] not in _KEYS:
            raise invalid("orderBy")
        found = sorted(found, key=_KEYS[match[1]], reverse=match[2] is not None)
    return found


def _natural(name: str) -> list[tuple[int, str]]:
    parts = re.split(r"(\d+)", name.casefold())
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in parts]
