"""The checked reading of what Drive answered.

A field of another type than Drive documents, or of a value nobody can use, is taken as absent:
what may not be absent is for the caller to say.
"""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

_LARGEST = 2**63 - 1  # Drive's int64, and what a database can hold
_LARGEST_DIGITS = len(str(_LARGEST))


def parsed(body: bytes) -> dict[str, Any] | None:
    """The JSON object in a body; none for anything else, however it is broken or nested."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def text(item: Mapping[str, Any], name: str) -> str | None:
    """A text that is not empty and, unlike some that JSON can express, can be written down."""
    return _usable(item.get(name))


def texts(item: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """The usable texts of a list."""
    values = item.get(name)
    if not isinstance(values, list):
        return ()
    return tuple(usable for value in values if (usable := _usable(value)) is not None)


def flag(item: Mapping[str, Any], name: str) -> bool | None:
    """True or false."""
    value = item.get(name)
    return value if isinstance(value, bool) else None


def part(item: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """An object inside the item; empty for an absent one."""
    value = item.get(name)
    return value if isinstance(value, dict) else {}


def objects(item: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    """The objects in a list."""
    values = item.get(name)
    return [each for each in values if isinstance(each, dict)] if isinstance(values, list) else []


def number(item: Mapping[str, Any], name: str) -> int | None:
    """A whole number from 0, which Drive writes as text."""
    value = item.get(name)
    if isinstance(value, int) and not isinstance(value, bool):
        return value if 0 <= value <= _LARGEST else None
    return whole_number(value) if isinstance(value, str) else None


def moment(item: Mapping[str, Any], name: str) -> datetime | None:
    """A moment in UTC; none for one without a time zone."""
    try:
        value = datetime.fromisoformat(text(item, name) or "")
        return value.astimezone(UTC) if value.tzinfo else None
    except (ValueError, OverflowError):
        return None


def whole_number(digits: str) -> int | None:
    """The number that ASCII digits spell, if 64 bits can hold it."""
    stripped = digits.strip()
    if not (stripped.isascii() and stripped.isdigit()) or len(stripped) > _LARGEST_DIGITS:
        return None
    value = int(stripped)
    return value if value <= _LARGEST else None


def _usable(value: object) -> str | None:
    if not isinstance(value, str) or not value:
        return None
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:  # lone surrogates
        return None
    return value
