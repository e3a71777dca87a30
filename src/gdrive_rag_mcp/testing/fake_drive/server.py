"""The fake Drive as tests hold it: a server, its files, its tokens, its faults and its log."""

import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import count
from pathlib import Path
from threading import Thread
from types import TracebackType
from typing import Self
from urllib.parse import parse_qsl, unquote, urlsplit

from gdrive_rag_mcp.testing.fake_drive.answers import (
    Answer,
    ApiError,
    answer_json,
    error_answer,
    quota_answer,
)
from gdrive_rag_mcp.testing.fake_drive.behaviour import Behaviour
from gdrive_rag_mcp.testing.fake_drive.faults import Fault, Faults, Hook
from gdrive_rag_mcp.testing.fake_drive.files import READER, FakeFiles
from gdrive_rag_mcp.testing.fake_drive.quota import Quota
from gdrive_rag_mcp.testing.fake_drive.request_log import Request, RequestLog
from gdrive_rag_mcp.testing.fake_drive.routes import SIGN_IN, Reply, Respond, Routes
from gdrive_rag_mcp.testing.fake_drive.tokens import TokenEndpoint
from gdrive_rag_mcp.testing.fake_drive.wire import LoopbackServer

_FREE_OF_QUOTA = frozenset({kind for kind, _ in SIGN_IN.values()} | {"elsewhere"})


class FakeDrive:
    """A context manager: on entry it listens on a port of 127.0.0.1, a free one unless told which.

    `email` is the service account with which the folder `root` is shared; `files` is what people
    do, `api` what the service does, `tokens` who may ask. What failed on this side, such as a hook
    of a test, is raised on exit. `on_request`, where set, is called with
    the number and the line of each request before it is answered, holding no lock.
    """

    def __init__(self, email: str = READER, *, port: int = 0) -> None:
        self.email = email
        self.files = FakeFiles(owner="owner@example.com", reader=email)
        self.tokens = TokenEndpoint(email)
        self.api = Behaviour()
        self.faults = Faults()
        self.requests = RequestLog()
        self.on_request: Callable[[int, str], object] | None = None
        self._quota: Quota | None = None
        self._numbers = count(1)
        self._server = LoopbackServer(self.answer, port)
        self._routes = Routes(self.files, self.tokens, self.api, self.url)

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
        self.close()
        if error is None and self._server.failures:
            raise self._server.failures[0]

    def close(self) -> None:
        """Give the port back; for a fake that was never entered."""
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
        """How often each kind of call was made: list, get, media, export, changes, token ..."""
        return self.requests.counts()

    # ── faults on order ──────────────────────────────────────────────────────

    def fail(
        self,
        pattern: str,
        status: int,
        reason: str = "backendError",
        *,
        times: int = 1,
        retry_after: str | None = None,
        body: bytes | None = None,
        message: str | None = None,
    ) -> None:
        """Answer matching requests with an error; see `faults` for what the pattern matches.

        The reason `RATE_LIMIT_EXCEEDED` makes the newer body, with the reason in its details.
        """
        headers = {} if retry_after is None else {"Retry-After": retry_after}
        answer = error_answer(status, reason, message or f"{reason} on order", headers=headers)
        if reason == "RATE_LIMIT_EXCEEDED":
            answer = quota_answer(status, headers)
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
        self.faults.order(Fault(pattern, lambda whole: replace(whole, cut=True), times))

    def before(self, pattern: str, action: Callable[[], object], *, times: int = 1) -> None:
        """Do something just before matching requests are answered, such as to move a file."""
        self.faults.order_hook(Hook(pattern, action, times))

    def quota(self, calls_per_second: float | None, *, burst: float | None = None) -> None:
        """Refuse calls above this rate with 403 userRateLimitExceeded; None ends that."""
        self._quota = None if calls_per_second is None else Quota(calls_per_second, burst)

    def redirect_export_links(self) -> None:
        """Have export links lead on to another host name, as Google's do.

        The content is there without any token; `Request.bearer` tells whether one was sent.
        """
        self.api.export_redirect = f"http://localhost:{self._server.server_port}/elsewhere"

    # ── one request ──────────────────────────────────────────────────────────

    def answer(self, method: str, target: str, headers: Mapping[str, str], body: bytes) -> Answer:
        """Answer a request and log it."""
        came_in = time.monotonic()
        parts = urlsplit(target)
        text = body.decode("latin-1") if method == "POST" else parts.query
        query = dict(parse_qsl(text, keep_blank_values=True))
        kind, respond = self._routes.route(method, parts.path, query, headers)
        shown = "&".join(f"{name}={value}" for name, value in query.items())
        line = f"{method} {unquote(parts.path)}"
        if (method, parts.path) not in SIGN_IN:
            line += f"?{shown}"
        self._run_hooks(line)
        change = self.faults.due(line)
        answer = self._outcome(kind, respond)
        if change is not None:
            answer = change(answer)
        authorization = headers.get("authorization", "")
        caller = self.tokens.principal(authorization)
        self.requests.append(
            Request(kind, line, query, answer.status, came_in, bool(authorization), caller)
        )
        return answer

    def _run_hooks(self, line: str) -> None:
        number = next(self._numbers)
        if self.on_request is not None:
            self.on_request(number, line)
        action = self.faults.hook_due(line)
        if action is not None:
            action()

    def _outcome(self, kind: str, respond: Respond) -> Answer:
        if self._quota is not None and kind not in _FREE_OF_QUOTA and not self._quota.allows():
            return error_answer(403, "userRateLimitExceeded", "User rate limit exceeded.")
        try:
            with self.files.lock:
                reply: Reply = respond()
        except ApiError as error:
            return error.answer
        return reply if isinstance(reply, Answer) else answer_json(reply)
