"""Giving way to those who search: an indexer that works on takes every second step off."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

LATELY_SECONDS = 1.0
"""How long after a search somebody is taken to be still searching."""
LONGEST_PAUSE_SECONDS = 2.0


class Courtesy:
    """The pauses of one thread that indexes.

    While somebody searches, each step waits first for as long as the one before it took, so that at
    most half of the time is work. `pause` waits for so many seconds, or less if the run ends.
    """

    def __init__(
        self,
        somebody_searches: Callable[[float], bool] = lambda _seconds: False,
        *,
        clock: Callable[[], float] = time.monotonic,
        pause: Callable[[float], object] = time.sleep,
    ) -> None:
        self._somebody_searches = somebody_searches
        self._clock = clock
        self._pause = pause
        self._last = 0.0

    @contextmanager
    def step(self) -> Iterator[None]:
        """Work inside, after a pause if there is somebody to give way to."""
        if self._last and self._somebody_searches(LATELY_SECONDS):
            self._pause(min(self._last, LONGEST_PAUSE_SECONDS))
        began = self._clock()
        try:
            yield
        finally:
            self._last = self._clock() - began

    def with_pause(self, pause: Callable[[float], object]) -> "Courtesy":
        """The same courtesy for another thread, which waits in its own way."""
        return Courtesy(self._somebody_searches, clock=self._clock, pause=pause)
