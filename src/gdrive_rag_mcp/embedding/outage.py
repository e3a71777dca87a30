"""Remembers for a moment that a provider is out of reach: not every question has to wait for it."""

from collections.abc import Callable
from typing import NamedTuple

from gdrive_rag_mcp.embedding.retrying import OutOfReachError
from gdrive_rag_mcp.errors import EmbedderUnavailableError

_SECONDS = 15.0


class _Seen(NamedTuple):
    until: float
    message: str
    hint: str


class Outage:
    """Whether a provider was out of reach just now; for any number of threads.

    What was seen is one object that is replaced as a whole, so that no thread meets half of it.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._seen: _Seen | None = None

    def check(self) -> None:
        """Go on where there is no outage.

        Raises:
            EmbedderUnavailableError: the provider was out of reach a moment ago.
        """
        seen = self._seen
        if seen is not None and self._clock() < seen.until:
            raise EmbedderUnavailableError(seen.message, hint=seen.hint)

    def note(self, error: EmbedderUnavailableError) -> None:
        """Remember a failure, if it is that no answer came."""
        if isinstance(error.__cause__, OutOfReachError):
            self._seen = _Seen(self._clock() + _SECONDS, error.message, error.hint)

    def end(self) -> None:
        """Forget the outage: the provider has answered."""
        self._seen = None
