"""A provider of vectors on loopback that can be told to misbehave. For tests.

What is alike for all providers is here; the format of each is in a module of its own.
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock, Thread
from typing import Any, Self

import numpy as np

from gdrive_rag_mcp.protocols import Embedder, EmbedRole

Values = list[float | str | None]


@dataclass(frozen=True, slots=True)
class Reply:
    """What a request is answered with, before a format makes a body of it."""

    status: int
    vectors: list[tuple[int, Values]] = field(default_factory=list)
    """Each with the place of its text."""
    message: str = ""
    """Why it is refused."""
    details: tuple[dict[str, Any], ...] = ()
    """What else the refusal says."""
    body: str | None = None
    """Sent as it is, in place of all that."""
    headers: dict[str, str] = field(default_factory=dict)
    hangs: bool = False
    breaks_off: bool = False


@dataclass(frozen=True, slots=True)
class Request:
    """What a client sent; header names are in lower case."""

    path: str
    headers: dict[str, str]
    body: Any


Fault = Callable[[Reply], Reply]
"""Turns the honest reply to one request into another."""


def honest(reply: Reply) -> Reply:
    """No fault: for a place in a row of faults."""
    return reply


def refusing(
    status: int, message: str = "refused", *details: dict[str, Any], **headers: str
) -> Fault:
    """Answer with an error; `retry_after="2"` becomes the header `Retry-After: 2`."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda reply: replace(
        reply, status=status, message=message, details=details, headers=named
    )


def hanging(reply: Reply) -> Reply:
    """Never answer while the server runs."""
    return replace(reply, hangs=True)


def breaking_off(reply: Reply) -> Reply:
    """Close the connection in the middle of the answer."""
    return replace(reply, breaks_off=True)


def saying(body: str) -> Fault:
    """Answer 200 with this text, whatever it is."""
    return lambda reply: replace(reply, status=200, body=body)


def backwards(reply: Reply) -> Reply:
    """List the vectors in another order, each with its right place."""
    return replace(reply, vectors=reply.vectors[::-1])


def losing_one(reply: Reply) -> Reply:
    """Return one vector too few."""
    return replace(reply, vectors=reply.vectors[:-1])


def adding_one(reply: Reply) -> Reply:
    """Return one vector too many."""
    return replace(reply, vectors=[*reply.vectors, (len(reply.vectors), reply.vectors[0][1])])


def repeating_an_index(reply: Reply) -> Reply:
    """Give every vector the place 0."""
    return replace(reply, vectors=[(0, values) for _, values in reply.vectors])


def with_values(*values: float | str | None) -> Fault:
    """Return these values as every vector."""
    return lambda reply: replace(
        reply, vectors=[(place, list(values)) for place, _ in reply.vectors]
    )


class ProviderServer(ABC):
    """A context manager: the server runs inside it, and `base_url` leads to it.

    Each request uses up one of `faults`, then `after_faults` holds for all others. A text with
    `refuses` in it is refused with `refusal_status`, and all of its batch with it. Providers differ
    in whether they know the length of vectors that is asked for; so does this one.
    """

    def __init__(
        self,
        embedder: Embedder,
        *,
        faults: Iterable[Fault] = (),
        after_faults: Fault = honest,
        refuses: str = "",
        refusal_status: int = 400,
        knows_dimensions: bool = True,
    ) -> None:
        self.requests: list[Request] = []
        self.refusal_status = refusal_status
        self._embedder = embedder
        self._faults = list(faults)
        self._after_faults = after_faults
        self._refuses = refuses
        self._knows_dimensions = knows_dimensions
        self._answering = Lock()
        self._closing = Event()
        self._server = _Server(self)
        self._thread = Thread(target=self._server.serve_forever, args=(0.02,))

    @property
    def root_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    @abstractmethod
    def base_url(self) -> str:
        """What a client is given to reach it."""

    @abstractmethod
    def honest_reply(self, request: Request) -> Reply:
        """What the provider answers if nothing is amiss."""

    @abstractmethod
    def body(self, request: Request, reply: Reply) -> Any:  # noqa: ANN401 - JSON
        """An answer or a refusal in the provider's format."""

    def vectors(self, texts: list[str], role: EmbedRole, dimensions: int | None) -> Reply:
        """The vectors of texts, or the refusal of one of them."""
        if self._refuses and any(self._refuses in text for text in texts):
            return Reply(self.refusal_status, message="a text cannot be embedded")
        rows = self._embedder.embed(texts, role=role)
        if self._knows_dimensions and dimensions:
            rows = np.ascontiguousarray(rows[:, :dimensions])
        return Reply(200, list(enumerate(rows.tolist())))

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._closing.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def reply_to(self, request: Request) -> Reply:
        """The reply to a request, after its fault."""
        with self._answering:
            self.requests.append(request)
            fault = self._faults.pop(0) if self._faults else self._after_faults
        return fault(self.honest_reply(request))

    def wait_for_the_end(self) -> None:
        """Return when the server is being closed."""
        self._closing.wait()


class _Server(ThreadingHTTPServer):
    def __init__(self, owner: ProviderServer) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.owner = owner

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that gave up is no news."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # or each answer waits for the client's acknowledgement

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = Request(self.path, headers, body)
        self._send(request, self.server.owner.reply_to(request))

    def _send(self, request: Request, reply: Reply) -> None:
        if reply.hangs:
            self.server.owner.wait_for_the_end()
        made = reply.body is None
        text = json.dumps(self.server.owner.body(request, reply)) if made else reply.body or ""
        content = text.encode()
        self.send_response(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content[: len(content) // 2] if reply.breaks_off else content)
        self.close_connection = reply.breaks_off

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
        """Keep test output clean; `ProviderServer.requests` is the log."""
