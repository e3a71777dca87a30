"""The change logs: one a user and one a shared drive, each item once, at its latest change."""

import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

_CHECK_DIGITS = 10**7
_LONGEST = 40


@dataclass(frozen=True, slots=True)
class Feed:
    """Which log: of a user (by address) or of a shared drive (by id)."""

    kind: str
    owner: str


@dataclass(frozen=True, slots=True)
class Entry:
    """That something changed; what it is now is looked up when the log is read."""

    position: int
    target: str
    is_drive: bool
    time: datetime


class Journal:
    """Appends to logs and reads them from a position; positions count for all logs together."""

    def __init__(self) -> None:
        self._logs: dict[Feed, dict[tuple[str, bool], Entry]] = {}
        self._position = 0

    @property
    def position(self) -> int:
        """Where the next entry will come after."""
        return self._position

    def record(
        self, feeds: Iterable[Feed], target: str, time: datetime, *, is_drive: bool = False
    ) -> None:
        """Note a change in these logs, in place of any earlier one of the same item."""
        for feed in sorted(feeds, key=lambda feed: (feed.kind, feed.owner)):
            self._position += 1
            log = self._logs.setdefault(feed, {})
            log.pop((target, is_drive), None)
            log[target, is_drive] = Entry(self._position, target, is_drive, time)

    def after(self, feed: Feed, position: int) -> list[Entry]:
        """The entries of a log behind a position, oldest first."""
        found = []
        for entry in reversed(self._logs.get(feed, {}).values()):
            if entry.position <= position:
                break
            found.append(entry)
        return found[::-1]


def token_for(feed: Feed, position: int, empties: int = 0) -> str:
    """A page token: digits only, as Google's are, and good for its own log alone."""
    return str((position * 10 + empties) * _CHECK_DIGITS + _check(feed, position))


def position_of(token: str, feed: Feed) -> tuple[int, int] | None:
    """The position of a token and how many empty pages came before it; None for another log's."""
    if len(token) > _LONGEST or not token.isascii() or not token.isdigit():
        return None
    rest, check = divmod(int(token), _CHECK_DIGITS)
    position, empties = divmod(rest, 10)
    return (position, empties) if check == _check(feed, position) else None


def _check(feed: Feed, position: int) -> int:
    return zlib.crc32(f"{feed.kind}:{feed.owner}:{position}".encode()) % _CHECK_DIGITS
