"""Faults and hooks on order: the requests that match, what happens to them, and how often.

A pattern is searched in the line of a request: the method, the path and the decoded query, such as
`GET /drive/v3/files?q='ID' in parents and trashed = false&pageSize=1000`.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from typing import TypeVar

from gdrive_rag_mcp.testing.fake_drive.answers import Answer

Change = Callable[[Answer], Answer]
Action = Callable[[], object]


@dataclass(slots=True)
class Fault:
    """What happens to the answers of the next `times` requests that match `pattern`."""

    pattern: str
    change: Change
    times: int


@dataclass(slots=True)
class Hook:
    """What happens just before the next `times` requests that match `pattern` are answered."""

    pattern: str
    action: Action
    times: int


_Ordered = TypeVar("_Ordered", Fault, Hook)


@dataclass(slots=True)
class Faults:
    """The faults and hooks on order, first come first served."""

    _faults: list[Fault] = field(default_factory=list)
    _hooks: list[Hook] = field(default_factory=list)
    _lock: Lock = field(default_factory=Lock)

    def order(self, fault: Fault) -> None:
        with self._lock:
            self._faults.append(fault)

    def order_hook(self, hook: Hook) -> None:
        with self._lock:
            self._hooks.append(hook)

    def clear(self) -> None:
        with self._lock:
            self._faults.clear()
            self._hooks.clear()

    def due(self, line: str) -> Change | None:
        """The change for this request, if one was ordered; it is used up."""
        with self._lock:
            fault = _take(self._faults, line)
            return None if fault is None else fault.change

    def hook_due(self, line: str) -> Action | None:
        """The action before this request, if one was ordered; it is used up."""
        with self._lock:
            hook = _take(self._hooks, line)
            return None if hook is None else hook.action


def _take(ordered: list[_Ordered], line: str) -> _Ordered | None:
    for one in ordered:
        if re.search(one.pattern, line):
            one.times -= 1
            if one.times <= 0:
                ordered.remove(one)
            return one
    return None
