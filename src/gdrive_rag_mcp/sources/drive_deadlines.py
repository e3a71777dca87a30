"""An end to every answer, however slowly it comes: a byte now and then keeps no connection busy.

The time limit of a socket begins anew with every byte, and the libraries look at nothing else while
they wait for a line of the head, for the length of a chunk, or for a block to fill up.
"""

import io
from collections.abc import Callable
from http.client import HTTPResponse
from time import monotonic
from typing import Any

from requests.adapters import HTTPAdapter


class AnswerTooSlowError(TimeoutError):
    """An answer was not over in time, though some of it came."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"the answer took longer than {seconds:g} seconds")


class DeadlineAdapter(HTTPAdapter):
    """Gives each answer so many seconds, from the end of the question to the last byte."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._kinds: dict[type, type] = {}
        super().__init__()

    def get_connection_with_tls_context(self, *arguments: Any, **options: Any) -> Any:  # noqa: ANN401 -- as the base's
        """The pool for a request, of connections that look at the time."""
        pool = super().get_connection_with_tls_context(*arguments, **options)
        kind = type(pool).ConnectionCls
        if kind not in self._kinds:
            response = staticmethod(_beginning(self._seconds))
            self._kinds[kind] = type(kind.__name__, (kind,), {"response_class": response})
        pool.ConnectionCls = self._kinds[kind]
        return pool


def _beginning(seconds: float) -> Callable[..., HTTPResponse]:
    """What makes the answer on a socket, once the question is sent."""

    def begin(sock: Any, *arguments: Any, **options: Any) -> HTTPResponse:  # noqa: ANN401 -- of several kinds
        return HTTPResponse(_Watched(sock, seconds), *arguments, **options)  # type: ignore[arg-type] # `makefile` is all it asks for

    return begin


class _Watched:
    """A socket to read one answer from."""

    def __init__(self, sock: Any, seconds: float) -> None:  # noqa: ANN401 -- as above
        self._sock = sock
        self._seconds = seconds

    def makefile(self, _mode: str) -> io.BufferedReader:
        return io.BufferedReader(_Watch(self._sock, self._seconds))


class _Watch(io.RawIOBase):
    """The bytes of one answer, up to the deadline."""

    def __init__(self, sock: Any, seconds: float) -> None:  # noqa: ANN401 -- as above
        super().__init__()
        self._sock = sock
        self._raw = sock.makefile("rb", buffering=0)
        self._pause: float | None = sock.gettimeout()
        self._seconds = seconds
        self._deadline = monotonic() + seconds

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:  # noqa: ANN401 -- as the base's
        left = self._deadline - monotonic()
        if left <= 0:
            raise AnswerTooSlowError(self._seconds)
        self._sock.settimeout(left if self._pause is None else min(left, self._pause))
        try:
            read: int | None = self._raw.readinto(buffer)
        except TimeoutError as error:
            if monotonic() < self._deadline:
                raise
            raise AnswerTooSlowError(self._seconds) from error
        return read

    def close(self) -> None:
        self._raw.close()
        super().close()
