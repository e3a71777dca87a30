"""How fast Google is called, how long a failing call is tried again, and how a run is stopped."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from random import SystemRandom
from threading import Event, Lock
from typing import TypeVar

from gdrive_rag_mcp.domain import Reason
from gdrive_rag_mcp.sources.drive_failures import DriveCallError, RunStoppedError

Result = TypeVar("Result")
Sleep = Callable[[float], object]
_DICE = SystemRandom()  # not those that all threads share, of which others may need the order


class RunClock:
    """The time of one run: sleeps that `stop` ends, and a clock that counts them in full.

    Whoever slept until a moment has reached it, even where `sleep` does not really wait.
    """

    def __init__(
        self, sleep: Sleep | None = None, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._stopped = Event()
        self._sleep = sleep or self._stopped.wait
        self._clock = clock
        self._lock = Lock()
        self._reached = float("-inf")

    def now(self) -> float:
        """Seconds since some moment."""
        with self._lock:
            return max(self._clock(), self._reached)

    def sleep(self, seconds: float) -> None:
        """Wait.

        Raises:
            RunStoppedError: the run was stopped before, or meanwhile.
        """
        until = self.now() + seconds
        self.check()
        self._sleep(seconds)
        self.check()
        with self._lock:
            self._reached = max(self._reached, until)

    def stop(self) -> None:
        """End the run: nobody waits any longer, and no further call is made."""
        self._stopped.set()

    def check(self) -> None:
        """See that the run goes on.

        Raises:
            RunStoppedError: it was stopped.
        """
        if self._stopped.is_set():
            raise RunStoppedError


class Pacer:
    """Spaces calls evenly, over all threads: at most `per_second` of them; 0 sets no limit."""

    def __init__(self, per_second: float, clock: RunClock | None = None) -> None:
        self.clock = clock or RunClock()
        self._interval = 1.0 / per_second if per_second > 0 else 0.0
        self._lock = Lock()
        self._next = float("-inf")
        self._held_until = float("-inf")

    def wait(self) -> None:
        """Return when it is this call's turn.

        Raises:
            RunStoppedError: the run was stopped.
        """
        self.clock.check()
        turn = self._book()
        while self._held_until > turn:  # a hold came while this call waited
            turn = self._book()

    def hold(self, seconds: float) -> None:
        """Let no call begin for so long, not even one that already waits for its turn."""
        with self._lock:
            until = self.clock.now() + seconds
            self._held_until = max(self._held_until, until)
            self._next = max(self._next, until)

    def _book(self) -> float:
        """Wait for the next free turn; the moment it was booked for."""
        with self._lock:
            now = self.clock.now()
            turn = max(self._next, now)
            self._next = turn + self._interval
        if turn > now:
            self.clock.sleep(turn - now)
        return turn


@dataclass(frozen=True, slots=True)
class Patience:
    """When to stop trying: after so many attempts, or so many seconds of waiting for one call.

    Quotas are by the minute, so being too fast passes later than an outage usually does. The
    attempts themselves may take much longer than the waits, but not for ever.
    """

    attempts: int = 6
    attempts_too_fast: int = 7
    budget_seconds: float = 120.0
    first_seconds: float = 1.0
    longest_seconds: float = 32.0
    longest_call_seconds: float = 1800.0


QUICK = Patience(attempts=2, attempts_too_fast=2, budget_seconds=10.0)
"""For what one can do without."""


class Caller:
    """Makes calls in good order, waiting out what passes by itself."""

    def __init__(
        self, pacer: Pacer, patience: Patience, *, jitter: Callable[[], float] = _DICE.random
    ) -> None:
        self.clock = pacer.clock
        self._pacer = pacer
        self._patience = patience
        self._jitter = jitter

    def with_patience(self, patience: Patience) -> "Caller":
        """A caller that keeps the same pace, but gives up at another point."""
        return Caller(self._pacer, patience, jitter=self._jitter)

    def call(self, attempt: Callable[[], Result]) -> Result:
        """Try until it works, waiting is useless, or patience is at its end.

        Raises:
            DriveCallError: the last attempt's failure, or the end of the run.
        """
        waited, began = 0.0, self.clock.now()
        for tried in count(1):
            self._pacer.wait()
            try:
                return attempt()
            except DriveCallError as failure:
                delay = max(failure.retry_after, self._backoff(tried))
                if self._is_over(failure, tried, waited + delay, self.clock.now() - began):
                    raise
                if failure.reason is Reason.RATE_LIMITED:
                    self._pacer.hold(delay)
            waited += delay
            self.clock.sleep(delay)
        raise AssertionError  # the loop has no end

    def _is_over(self, failure: DriveCallError, tried: int, waited: float, elapsed: float) -> bool:
        patience = self._patience
        too_fast = failure.reason is Reason.RATE_LIMITED
        attempts = patience.attempts_too_fast if too_fast else patience.attempts
        return (
            not failure.meaning.transient
            or tried >= attempts
            or waited > patience.budget_seconds
            or elapsed > patience.longest_call_seconds
        )

    def _backoff(self, tried: int) -> float:
        """Exponential, with up to half of it random, so that callers do not march in step."""
        full = self._patience.first_seconds * 2.0 ** (tried - 1)
        return min(self._patience.longest_seconds, full) * (0.5 + self._jitter() / 2)
