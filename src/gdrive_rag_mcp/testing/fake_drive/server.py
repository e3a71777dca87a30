"""The fake Drive on a loopback port: routing, tokens, faults and the log of requests."""

import re
import socket
import struct
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock, Thread
from types import TracebackType
from typing import Self
from urllib.parse import parse_qsl, unquote, urlsplit

from gdrive_rag_mcp.testing.fake_drive.answers import (
    Answer,
    ApiError,
    error_answer,
    unauthorized,
)
from gdrive_rag_mcp.testing.fake_drive.api import DriveV3
from gdrive_rag_mcp.testing.fake_drive.faults import Fault, Faults
from gdrive_rag_mcp.testing.fake_drive.files import FakeFiles
from gdrive_rag_mcp.testing.fake_drive.tokens import TokenEndpoint

_FILE = re.compile(r"/drive/v3/files/([^/]+)(/export)?")


@dataclass(frozen=True, slots=True)
class Request:
    """A request as logged: what was called, with what, and how it was answered."""

    kind: str
    line: str
    query: Mapping[str, str]
    status: int


class FakeDrive:
    """A context manager: on entry it listens on a free port of 127.0.0.1."""

    def __init__(self, email: str = "index@fake-project.iam.gserviceaccount.com") -> None:
        self.email = email
        self.files = FakeFiles(owner="owner@example.com")
        self.tokens = TokenEndpoint(email)
        self.api = DriveV3(self.files)
        self.faults = Faults()
        self.requests: list[Request] = []
        self._log_lock = Lock()
        self._server = _Server(self)

    def __enter__(self) -> Self:
        self._thread = Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.close_all()

    @property
    def url(self) -> str:
        """The root URL, for `GDRIVE_RAG_DRIVE_ENDPOINT`."""
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def root(self) -> str:
        """The id of the folder that is shared with the service account."""
        return self.files.root

    def write_key_file(self, path: Path) -> Path:
        """Write the service account's key, whose `token_uri` is this server's."""
        return self.tokens.write_key_file(path, f"{self.url}/token")

    def counts(self) -> Counter[str]:
        """How often each kind of call was made: list, get, media, export, token."""
        with self._log_lock:
            return Counter(request.kind for request in self.requests)

    def fail(
        self,
        pattern: str,
        status: int,
        reason: str = "backendError",
        *,
        times: int = 1,
        retry_after: str | None = None,
        body: bytes | None = None,
    ) -> None:
        """Answer matching requests with an error; see `Fault` for what the pattern matches."""
        headers = {} if retry_after is None else {"Retry-After": retry_after}
        answer = error_answer(status, reason, f"{reason} on order", headers=headers)
        if body is not None:
            answer = Answer(status, body, headers, "text/html")
        self.faults.order(Fault(pattern, lambda _: answer, times))

    def alter(self, pattern: str, change: Callable[[Answer], Answer], *, times: int = 1) -> None:
        """Change the answers to matching requests, such as their bytes."""
        self.faults.order(Fault(pattern, change, times))

    def reset(self, pattern: str, *, times: int = 1) -> None:
        """Drop the connection of matching requests without an answer."""
        self.faults.order(Fault(pattern, lambda _: Answer(reset=True), times))

    def cut(self, pattern: str, *, times: int = 1) -> None:
        """Stop half-way through the body of matching requests."""
        self.faults.order(
            Fault(
                pattern,
                lambda whole: Answer(
                    whole.status, whole.body, whole.headers, whole.content_type, cut=True
                ),
                times,
            )
        )

    # ── one request ──────────────────────────────────────────────────────────

    def answer(self, method: str, target: str, headers: Mapping[str, str], body: bytes) -> Answer:
        """Answer a request and log it."""
        parts = urlsplit(target)
        text = body.decode("latin-1") if method == "POST" else parts.query
        query = dict(parse_qsl(text, keep_blank_values=True))
        kind, respond = self._route(method, parts.path, query, headers)
        shown = "&".join(f"{name}={value}" for name, value in query.items())
        line = f"{method} {unquote(parts.path)}" + (f"?{shown}" if kind != "token" else "")
        change = self.faults.due(line)
        answer = self._outcome(respond)
        if change is not None:
            answer = change(answer)
        with self._log_lock:
            self.requests.append(Request(kind, line, query, answer.status))
        return answer

    def _outcome(self, respond: Callable[[], Answer]) -> Answer:
        try:
            with self.files.lock:
                return respond()
        except ApiError as error:
            return error.answer

    def _route(
        self, method: str, path: str, query: dict[str, str], headers: Mapping[str, str]
    ) -> tuple[str, Callable[[], Answer]]:
        if method == "POST" and path == "/token":
            return "token", lambda: self.tokens.grant(query)
        if method != "GET" and headers.get("x-http-method-override") != "GET":
            return "other", lambda: error_answer(405, "httpMethodNotAllowed", "Read only")
        if not self.tokens.accepts(headers.get("authorization", "")):
            return "unauthorized", _refuse
        return self._call(path, query, headers)

    def _call(
        self, path: str, query: dict[str, str], headers: Mapping[str, str]
    ) -> tuple[str, Callable[[], Answer]]:
        if path == "/drive/v3/files":
            return "list", lambda: self.api.list_files(query)
        match = _FILE.fullmatch(path)
        if match is None:
            return "other", lambda: error_answer(404, "notFound", "Not Found")
        file_id = unquote(match[1])
        if match[2]:
            return "export", lambda: self.api.export(file_id, query)
        kind = "media" if query.get("alt") == "media" else "get"
        return kind, lambda: self.api.get(file_id, query, headers)


def _refuse() -> Answer:
    raise unauthorized()


class _Server(ThreadingHTTPServer):
    """Keeps its connections in hand, so that leaving the context closes them all."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, drive: FakeDrive) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.drive = drive
        self.open: set[socket.socket] = set()

    def close_all(self) -> None:
        self.server_close()
        for connection in list(self.open):
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue  # it was closed meanwhile


class _Handler(BaseHTTPRequestHandler):
    """Reads a request, has it answered, and writes the answer in one piece."""

    protocol_version = "HTTP/1.1"
    wbufsize = -1
    disable_nagle_algorithm = True
    server: _Server

    def setup(self) -> None:
        super().setup()
        self.server.open.add(self.connection)

    def finish(self) -> None:
        self.server.open.discard(self.connection)
        try:
            super().finish()
        except OSError:
            return  # the client, or a reset on order, was faster

    def do_GET(self) -> None:
        self._respond()

    do_POST = do_PUT = do_PATCH = do_DELETE = do_GET  # noqa: N815 -- the base's names

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- the base's name
        """Say nothing: the log of requests is `FakeDrive.requests`."""

    def _respond(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        headers = {name.lower(): value for name, value in self.headers.items()}
        answer = self.server.drive.answer(self.command, self.path, headers, body)
        if answer.reset:
            self._reset()
            return
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.content_type)
        self.send_header("Content-Length", str(len(answer.body)))
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(answer.body[: len(answer.body) // 2] if answer.cut else answer.body)
        self.close_connection = self.close_connection or answer.cut

    def _reset(self) -> None:
        """Send RST: with linger on and zero seconds, closing does that."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True
