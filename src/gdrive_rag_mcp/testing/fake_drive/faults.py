"""Faults on order: the requests that match, the way they fail, and how often."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock

from gdrive_rag_mcp.testing.fake_drive.answers import Answer

Change = Callable[[Answer], Answer]


@dataclass(slots=True)
class Fault:
    """What happens to the next `times` requests whose line matches `pattern`.

    The line is the method, the path and the decoded query, such as
    `GET /drive/v3/files?q='ID' in parents and trashed = false&pageSize=1000`.
    """

    pattern: str
    change: Change
    times: int


@dataclass(slots=True)
class Faults:
    """The faults on order, first come first served."""

    _ordered: list[Fault] = field(default_factory=list)
    _lock: Lock = field(default_factory=Lock)

    def order(self, fault: Fault) -> None:
        with self._lock:
            self._ordered.append(fault)

    def clear(self) -> None:
        with self._lock:
            self._ordered.clear()

    def due(self, line: str) -> Change | None:
        """The change for this request, if one was ordered; it is used up."""
        with self._lock:
            for fault in self._ordered:
                if fault.times > 0 and re.search(fault.pattern, line):
                    fault.times -= 1
                    return fault.change
        return None
