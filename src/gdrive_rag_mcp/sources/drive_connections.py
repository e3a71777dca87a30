"""HTTP to Google with a bearer token: one session a thread, one refresh for all of them.

Every address is checked before it is asked, redirects included, because whoever is sent the token
can read all that its owner can.
"""

import re
import weakref
from collections.abc import Mapping
from dataclasses import dataclass
from threading import Lock, Thread, current_thread
from typing import Any
from urllib.parse import urljoin

import requests
from google.auth.exceptions import TransportError
from google.auth.transport.requests import Request as AuthRequest

from gdrive_rag_mcp import __version__
from gdrive_rag_mcp.sources.drive_deadlines import DeadlineAdapter
from gdrive_rag_mcp.sources.drive_failures import ForeignAddressError, damaged
from gdrive_rag_mcp.sources.drive_outages import understood

_UNAUTHORIZED = 401
_MOST_REDIRECTS = 5
_RETRYABLE = frozenset({408, 429, 500, 502, 503, 504})
# Google compresses only for clients that also say so here:
# https://developers.google.com/workspace/drive/api/guides/performance
_USER_AGENT = f"gdrive-rag-mcp/{__version__} (gzip)"
_AUTHORITY = re.compile(r"(https?)://([A-Za-z0-9.-]+|\[[0-9A-Fa-f:]+\])(?::(\d{1,5}))?(?=[/?#]|$)")
_API_HOSTS = frozenset(f"{name}.googleapis.com" for name in ("www", "docs", "sheets", "slides"))
_PORTS = {"https": 443, "http": 80}
_LOOPBACK = frozenset({"127.0.0.1", "[::1]", "localhost"})


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Seconds for a connection, for the next bytes, and for the whole of one answer."""

    connect: float = 10.0
    read: float = 60.0
    answer: float = 900.0


class Connections:
    """GET requests of one identity; thread-safe."""

    def __init__(
        self,
        credentials: Any,  # noqa: ANN401 -- google-auth's classes share no annotated base
        endpoint: str | None,
        timeouts: Timeouts,
    ) -> None:
        self._credentials = credentials
        self._endpoint = None if endpoint is None else _Authority.of(endpoint)
        self._timeout = (timeouts.connect, timeouts.read)
        self._refreshing = Lock()
        self._sessions = _Sessions(trusting=not self._is_local, seconds=timeouts.answer)
        weakref.finalize(self, self._sessions.close)

    def close(self) -> None:
        """Close the connections of all threads; a later call opens new ones."""
        self._sessions.close()

    def get(self, url: str, headers: Mapping[str, str]) -> requests.Response:
        """Ask for a resource; the body of the answer has not been read yet.

        Raises:
            DriveCallError: there was no answer, or it sends the token where it must not go.
        """
        asked = None
        for _ in range(_MOST_REDIRECTS + 1):
            self._require_trusted(url, asked)
            response = self._authorised(url, headers)
            if not response.is_redirect:
                return response
            response.close()
            asked = url
            url = urljoin(url, response.headers["location"])
        raise damaged("Drive redirects in circles")

    @property
    def _is_local(self) -> bool:
        return self._endpoint is not None and self._endpoint.host in _LOOPBACK

    def _require_trusted(self, url: str, asked: str | None) -> None:
        where = _Authority.of(url)
        if self._endpoint is not None:
            trusted = where == self._endpoint
        else:
            trusted = where is not None and where.is_google
        if not trusted:
            shown = "a damaged address" if where is None else f"{where.scheme}://{where}"
            raise ForeignAddressError(shown, None if asked is None else host_of(asked))

    def _authorised(self, url: str, headers: Mapping[str, str]) -> requests.Response:
        token, response = self._once(url, headers)
        if response.status_code != _UNAUTHORIZED:
            return response
        response.close()
        self._refresh(token)
        return self._once(url, headers)[1]

    def _once(self, url: str, headers: Mapping[str, str]) -> tuple[str, requests.Response]:
        session, sent = self._sessions.mine(), dict(headers)
        with understood(url):
            with self._refreshing:  # the first thread to find the token stale renews it for all
                self._credentials.before_request(self._token_request(session), "GET", url, sent)
                token = self._credentials.token
            return token, session.get(
                url, headers=sent, stream=True, allow_redirects=False, timeout=self._timeout
            )

    def _refresh(self, refused: str) -> None:
        """Get another token, unless another thread did so meanwhile."""
        with self._refreshing:
            if self._credentials.token == refused:
                with understood():
                    self._credentials.refresh(self._token_request(self._sessions.mine()))

    def _token_request(self, session: requests.Session) -> "_TokenRequest":
        return _TokenRequest(session, self._timeout)


class _TokenRequest(AuthRequest):
    """Asks for tokens; whatever may pass is left to our own retries, which can be stopped."""

    def __init__(self, session: requests.Session, timeout: tuple[float, float]) -> None:
        super().__init__(session)
        self._timeout = timeout

    def __call__(self, *arguments: Any, **options: Any) -> Any:  # noqa: ANN401 -- as the base's
        ask: Any = super().__call__  # it is not annotated
        response = ask(
            *arguments, **{**options, "timeout": self._timeout, "allow_redirects": False}
        )
        if response.status in _RETRYABLE:
            error: Any = TransportError
            raise error(f"the token endpoint answered {response.status}")
        return response

    def __del__(self) -> None:
        """Leave the session open: it is its thread's."""


@dataclass(frozen=True, slots=True)
class _Authority:
    """The part of a URL that says who is asked."""

    scheme: str
    host: str
    port: int

    @classmethod
    def of(cls, url: str) -> "_Authority | None":
        """None for anything that two readers of URLs might understand differently."""
        match = _AUTHORITY.match(url)
        if match is None or not url.isascii() or not url.isprintable():
            return None
        scheme, host, port = match.groups()
        return cls(scheme, host.lower(), int(port or _PORTS[scheme]))

    def __str__(self) -> str:
        return self.host if self.port == _PORTS[self.scheme] else f"{self.host}:{self.port}"

    @property
    def is_google(self) -> bool:
        """Whether the token may be sent there."""
        name = self.host
        return (self.scheme, self.port) == ("https", 443) and (
            name in _API_HOSTS
            or name == "google.com"
            or name.endswith(".google.com")
            # names below `bc` belong to the machines of Google Cloud's customers
            or (name.endswith(".googleusercontent.com") and ".bc." not in name)
        )


def host_of(url: str) -> str:
    """Who is asked, for people."""
    where = _Authority.of(url)
    return "Drive" if where is None else str(where)


def is_google(url: str) -> bool:
    """Whether the token may be sent to an address."""
    where = _Authority.of(url)
    return where is not None and where.is_google


class _Sessions:
    """One session a thread; those of ended threads are closed on the way."""

    def __init__(self, *, trusting: bool, seconds: float) -> None:
        self._trusting = trusting
        self._seconds = seconds
        self._lock = Lock()
        self._by_thread: dict[Thread, requests.Session] = {}

    def mine(self) -> requests.Session:
        thread = current_thread()
        with self._lock:
            if thread not in self._by_thread:
                for ended in [other for other in self._by_thread if not other.is_alive()]:
                    self._by_thread.pop(ended).close()
                self._by_thread[thread] = new_session(
                    trusting=self._trusting, seconds=self._seconds
                )
            return self._by_thread[thread]

    def close(self) -> None:
        with self._lock:
            for session in self._by_thread.values():
                session.close()
            self._by_thread.clear()


def new_session(*, trusting: bool, seconds: float) -> requests.Session:
    """A session that heeds the environment's proxies, but takes no password from `.netrc`.

    No answer takes longer than so many seconds. Nothing stands between this program and a server on
    this machine (`trusting` is off).
    """
    session = requests.Session()
    for scheme in ("https://", "http://"):
        session.mount(scheme, DeadlineAdapter(seconds))
    session.trust_env = trusting
    session.auth = _as_it_is  # or else `.netrc` would replace the token
    session.headers["User-Agent"] = _USER_AGENT
    return session


def _as_it_is(request: requests.PreparedRequest) -> requests.PreparedRequest:
    return request
