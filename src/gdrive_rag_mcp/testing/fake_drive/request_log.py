"""What was asked and how it was answered: the latest requests, and exact counts of all."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import overload

KEPT = 50_000


@dataclass(frozen=True, slots=True)
class Request:
    """A request as logged: what was called, with what, and how it was answered.

    `at` is when it came in, in seconds of a monotonic clock; `bearer` is whether it brought an
    Authorization header; `caller` is whose token that was.
    """

    kind: str
    line: str
    query: Mapping[str, str]
    status: int
    at: float = 0.0
    bearer: bool = False
    caller: str | None = None


class RequestLog(Sequence[Request]):
    """Keeps the latest requests and counts all; thread-safe."""

    def __init__(self, kept: int = KEPT) -> None:
        self._kept = kept
        self._latest: list[Request] = []
        self._counts: Counter[str] = Counter()
        self._lock = Lock()

    def append(self, request: Request) -> None:
        """Log a request; when there are twice too many, the older half is forgotten."""
        with self._lock:
            self._counts[request.kind] += 1
            self._latest.append(request)
            if len(self._latest) > 2 * self._kept:
                del self._latest[: self._kept]

    def counts(self) -> Counter[str]:
        """How often each kind of call was made since the log was cleared."""
        with self._lock:
            return Counter(self._counts)

    def clear(self) -> None:
        """Forget requests and counts."""
        with self._lock:
            self._latest.clear()
            self._counts.clear()

    def __len__(self) -> int:
        return len(self._latest)

    def __iter__(self) -> Iterator[Request]:
        with self._lock:
            return iter(list(self._latest))

    @overload
    def __getitem__(self, index: int) -> Request: ...

    @overload
    def __getitem__(self, index: slice) -> list[Request]: ...

    def __getitem__(self, index: int | slice) -> Request | list[Request]:
        return self._latest[index]
