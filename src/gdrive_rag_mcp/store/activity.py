"""Whether an index is being searched just now: told across processes by the time of a file.

Whoever searches touches a file beside the index; whoever writes the index looks at its time, and
gives way. It says nothing but when, and where it cannot be written, nobody gives way.
"""

import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

ACTIVITY = ".activity"
"""What the file is called after the index."""

_EVERY_SECONDS = 0.2


class Activity:
    """The searches over one index, as far as another process may know of them."""

    def __init__(self, index: Path, clock: Callable[[], float] = time.time) -> None:
        # One file, whatever name the index is called by; what leads nowhere is no error here.
        self._index = os.path.realpath(index)
        self._path = Path(self._index + ACTIVITY)
        self._clock = clock
        self._noted = float("-inf")

    def note(self) -> None:
        """Say that a search begins; said seldom enough to cost nothing, and never an error."""
        now = self._clock()
        if 0 <= now - self._noted < _EVERY_SECONDS:
            return
        self._noted = now
        if not os.path.isfile(self._index):  # noqa: PTH113 - a loop of links is no error here
            return
        with suppress(OSError):
            try:
                os.utime(self._path, (now, now))
            except FileNotFoundError:
                flags = os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
                os.close(os.open(self._path, flags, 0o600))
                os.utime(self._path, (now, now))

    def recent(self, seconds: float) -> bool:
        """Whether a search began in the last seconds; a time to come is a clock that was wrong."""
        try:
            began = self._path.stat().st_mtime
        except OSError:
            return False
        return -seconds <= self._clock() - began <= seconds
