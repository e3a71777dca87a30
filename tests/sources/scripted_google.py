"""A server on loopback that answers as a test scripts it, byte for byte."""

import socket
import struct
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from time import sleep
from typing import Any

from google.oauth2.credentials import Credentials

from gdrive_rag_mcp.sources.drive_connections import Timeouts
from gdrive_rag_mcp.sources.drive_pacing import Caller, Pacer, Patience, RunClock
from gdrive_rag_mcp.sources.drive_transport import Transport

_user: Any = Credentials  # it is not annotated


@dataclass(frozen=True, slots=True)
class Asked:
    """A request; the names of its headers are in small letters."""

    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes = b""


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer; of its body only `send` bytes go out before the connection is closed.

    With `reset` it is broken off instead; `pause` is waited after each of ten pieces.
    """

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    send: int | None = None
    reset: bool = False
    pause: float = 0.0


Script = Callable[[Asked], Reply]


class ScriptedGoogle:
    """Answers with `script`, and keeps what it was asked."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.asked: list[Asked] = []
        self.lock = Lock()
        self._server = _Server(self)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def headers(self, name: str) -> list[str | None]:
        """One header of all requests, in order."""
        return [asked.headers.get(name) for asked in self.asked]

    def start(self) -> None:
        self._thread = Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def __init__(self, google: ScriptedGoogle) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.google = google

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing: clients that hang up are part of the tests."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1
    disable_nagle_algorithm = True
    server: _Server

    def do_GET(self) -> None:
        google = self.server.google
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        headers = {name.lower(): value for name, value in self.headers.items()}
        asked = Asked(self.command, self.path, headers, body)
        with google.lock:
            google.asked.append(asked)
        self._send(google.script(asked))

    do_POST = do_GET  # noqa: N815 -- the base's name

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- the base's name
        """Say nothing."""

    def _send(self, reply: Reply) -> None:
        if not (reply.reset and reply.send is None):
            self.send_response(reply.status)
            for name, value in {"Content-Length": str(len(reply.body)), **reply.headers}.items():
                self.send_header(name, value)
            self.end_headers()
        sent = reply.body if reply.send is None else reply.body[: reply.send]
        for piece in _pieces(sent) if reply.pause else [sent]:
            self.wfile.write(piece)
            self.wfile.flush()
            sleep(reply.pause)
        self.close_connection = self.close_connection or reply.send is not None or reply.reset
        if reply.reset:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def _pieces(body: bytes) -> list[bytes]:
    size = max(1, len(body) // 10)
    return [body[start : start + size] for start in range(0, len(body), size)]


@contextmanager
def scripted(script: Script) -> Iterator[ScriptedGoogle]:
    """A server that is there while the context lasts."""
    google = ScriptedGoogle(script)
    google.start()
    try:
        yield google
    finally:
        google.stop()


def in_turn(*replies: Reply) -> Script:
    """A script of one reply after another; the last is given again and again."""
    left, lock = list(replies), Lock()

    def script(_: Asked) -> Reply:
        with lock:
            return left.pop(0) if len(left) > 1 else left[0]

    return script


@contextmanager
def connected(
    google: ScriptedGoogle,
    waits: list[float] | None = None,
    *,
    credentials: object = None,
    patience: Patience | None = None,
    timeouts: Timeouts | None = None,
) -> Iterator[Transport]:
    """A transport to the server that never really waits."""
    clock = RunClock(([] if waits is None else waits).append)
    caller = Caller(Pacer(0, clock), patience or Patience())
    transport = Transport(
        credentials or _user(token="good"),
        caller,
        endpoint=google.url,
        timeouts=timeouts or Timeouts(),
    )
    try:
        yield transport
    finally:
        transport.close()


def renewable(google: ScriptedGoogle, *, token: str | None = None) -> object:
    """A person's credentials with an old token; others come from `/token` of the server."""
    return _user(
        token=token or "stale",
        refresh_token="refresh",
        token_uri=f"{google.url}/token",
        client_id="client",
        client_secret="secret",
    )
