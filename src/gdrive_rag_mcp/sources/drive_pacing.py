"""How fast Drive is called, and how long a failing call is tried again."""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import TypeVar

from gdrive_rag_mcp.sources.drive_failures import DriveCallError

Result = TypeVar("Result")
Sleep = Callable[[float], None]


class Pacer:
    """Spaces calls evenly, over all threads: at most `per_second` of them."""

    def __init__(
        self,
        per_second: float,
        *,
        sleep: Sleep = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._interval = 1.0 / per_second
        self._sleep = sleep
        self._clock = clock
        self._lock = Lock()
        self._next = 0.0

    def wait(self) -> None:
        """Return when it is this call's turn."""
        with self._lock:
            now = self._clock()
            turn = max(self._next, now)
            self._next = turn + self._interval
        if turn > now:
            self._sleep(turn - now)


@dataclass(frozen=True, slots=True)
class Patience:
    """When to stop trying: after so many attempts, or so many seconds of waiting for one call."""

    attempts: int = 6
    budget_seconds: float = 120.0
    first_seconds: float = 1.0
    longest_seconds: float = 32.0


class Caller:
    """Makes one call after another in good order, waiting out what passes by itself."""

    def __init__(
        self,
        pacer: Pacer,
        patience: Patience,
        *,
        sleep: Sleep = time.sleep,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self._pacer = pacer
        self._patience = patience
        self._sleep = sleep
        self._jitter = jitter

    def call(self, attempt: Callable[[], Result]) -> Result:
        """Try until it works, waiting is useless, or patience is at its end.

        Raises:
            DriveCallError: the last attempt's failure.
        """
        waited = 0.0
        for tried in range(1, self._patience.attempts):
            self._pacer.wait()
            try:
                return attempt()
            except DriveCallError as failure:
                delay = max(failure.retry_after, self._backoff(tried))
                if not failure.meaning.transient or waited + delay > self._patience.budget_seconds:
                    raise
            waited += delay
            self._sleep(delay)
        self._pacer.wait()
        return attempt()

    def _backoff(self, tried: int) -> float:
        """Exponential, with up to half of it random, so that callers do not march in step."""
        full = self._patience.first_seconds * 2.0 ** (tried - 1)
        return min(self._patience.longest_seconds, full) * (0.5 + self._jitter() / 2)
