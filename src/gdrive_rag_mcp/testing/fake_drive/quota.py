"""A rate limit as the service measures it: tokens that fill up again in time."""

import time
from threading import Lock


class Quota:
    """Allows `per_second` calls on average, and `burst` of them at once."""

    def __init__(self, per_second: float, burst: float | None = None) -> None:
        self._per_second = per_second
        self._capacity = max(1.0, per_second if burst is None else burst)
        self._left = self._capacity
        self._last = time.monotonic()
        self._lock = Lock()

    def allows(self) -> bool:
        """Whether one more call is within the limit; if so, it is counted."""
        with self._lock:
            now = time.monotonic()
            self._left = min(self._capacity, self._left + (now - self._last) * self._per_second)
            self._last = now
            if self._left < 1:
                return False
            self._left -= 1
            return True
