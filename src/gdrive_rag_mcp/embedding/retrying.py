"""Tries again what may pass: overload, server errors, time-outs and broken connections."""

import email.utils
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from random import SystemRandom
from typing import TypeVar

from gdrive_rag_mcp.errors import EmbedderUnavailableError

Result = TypeVar("Result")
_LONGEST_WAIT = timedelta.max.total_seconds()


class PassingError(EmbedderUnavailableError):
    """A failure that may be gone in a moment; the provider may have said when (in seconds)."""

    def __init__(self, message: str, *, retry_after: float | None = None, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.retry_after = retry_after


class OutOfReachError(PassingError):
    """No answer came at all: there was no connection, or it took too long."""


@dataclass(frozen=True, slots=True)
class Retrying:
    """Exponential back-off with full jitter, inside a budget of seconds for all attempts together.

    A wait that the provider asks for is kept, and never shortened: if it does not fit in what is
    left of the budget, there is no further attempt.
    """

    budget: float = 120.0
    first_wait: float = 0.5
    longest_wait: float = 30.0
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic
    jitter: Callable[[], float] = SystemRandom().random

    def call(self, attempt: Callable[[], Result]) -> Result:
        """Run `attempt` until it succeeds, fails for good, or the budget is spent.

        Raises:
            EmbedderUnavailableError: the last failure, with the number of attempts made.
        """
        end = self.clock() + self.budget
        attempts = 0
        while True:
            attempts += 1
            try:
                return attempt()
            except PassingError as error:
                wait = self._wait(attempts, error.retry_after)
                if self.clock() + wait > end:
                    raise _gave_up(error, attempts) from error
            self.sleep(wait)

    def _wait(self, attempts: int, retry_after: float | None) -> float:
        if retry_after is not None:
            return retry_after
        # The exponent is bounded because 2.0 ** 1024 is no float.
        return self.jitter() * min(self.longest_wait, self.first_wait * 2.0 ** min(attempts, 32))


def _gave_up(error: PassingError, attempts: int) -> EmbedderUnavailableError:
    tried = f"{attempts} attempts" if attempts > 1 else "one attempt"
    asked = f"; it asks to wait {error.retry_after:.0f} s" if error.retry_after else ""
    return EmbedderUnavailableError(
        f"{error.message}, after {tried}{asked}",
        hint=error.hint or "try again later",
    )


def retry_after_seconds(value: str | None, now: datetime | None = None) -> float | None:
    """Read a `Retry-After` header (RFC 9110, 10.2.3): seconds, or a date; nonsense is None."""
    if value is None:
        return None
    if value.isascii() and value.strip().isdecimal():
        return sensible_wait(float(value))
    try:
        moment = email.utils.parsedate_to_datetime(value)
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return max(0.0, (moment - (now or datetime.now(UTC))).total_seconds())
    except (ValueError, OverflowError):
        return None


def sensible_wait(seconds: float) -> float | None:
    """The seconds that a provider asks to wait; None if no calendar reaches that far."""
    return seconds if 0 <= seconds <= _LONGEST_WAIT else None
