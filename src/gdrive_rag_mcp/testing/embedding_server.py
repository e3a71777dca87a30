"""An OpenAI-compatible embeddings server on loopback that can be told to misbehave. For tests."""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any, Self

import numpy as np

from gdrive_rag_mcp.protocols import Embedder


@dataclass(frozen=True, slots=True)
class Reply:
    """What a request is answered with."""

    status: int
    body: Any
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


def refusing(status: int, message: str = "refused", **headers: str) -> Fault:
    """Answer with an error; `retry_after="2"` becomes the header `Retry-After: 2`."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    body = {"error": {"message": message, "type": "error"}}
    return lambda reply: replace(reply, status=status, body=body, headers=named)


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
    """List the vectors in another order, each with its right index."""
    return replace(reply, body={**reply.body, "data": reply.body["data"][::-1]})


def losing_one(reply: Reply) -> Reply:
    """Return one vector too few."""
    return replace(reply, body={**reply.body, "data": reply.body["data"][:-1]})


def repeating_an_index(reply: Reply) -> Reply:
    """Give every vector the index 0."""
    data = [{**item, "index": 0} for item in reply.body["data"]]
    return replace(reply, body={**reply.body, "data": data})


def with_values(*values: float | str | None) -> Fault:
    """Return these values as every vector."""

    def fault(reply: Reply) -> Reply:
        data = [{**item, "embedding": list(values)} for item in reply.body["data"]]
        return replace(reply, body={**reply.body, "data": data})

    return fault


class EmbeddingServer:
    """A context manager: the server runs inside it, and `base_url` leads to it.

    Each request uses up one of `faults`, then `after_faults` holds for all others. Servers differ
    in what they say to an empty list and in whether they know `dimensions`; so does this one.
    """

    def __init__(
        self,
        embedder: Embedder,
        *,
        faults: Iterable[Fault] = (),
        after_faults: Fault = honest,
        empty_input_status: int = 400,
        knows_dimensions: bool = True,
    ) -> None:
        self.requests: list[Request] = []
        self._embedder = embedder
        self._faults = list(faults)
        self._after_faults = after_faults
        self._empty_input_status = empty_input_status
        self._knows_dimensions = knows_dimensions
        self._closing = Event()
        self._server = _Server(self)
        self._thread = Thread(target=self._server.serve_forever, args=(0.02,))

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

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
        self.requests.append(request)
        fault = self._faults.pop(0) if self._faults else self._after_faults
        return fault(self._honest_reply(request))

    def wait_for_the_end(self) -> None:
        """Return when the server is being closed."""
        self._closing.wait()

    def _honest_reply(self, request: Request) -> Reply:
        texts = request.body["input"]
        if request.path != "/v1/embeddings":
            return refusing(404, f"no route {request.path}")(Reply(404, None))
        if not texts:
            return refusing(self._empty_input_status, "input is empty")(Reply(400, None))
        vectors = self._embedder.embed(texts, role="document")
        if self._knows_dimensions and request.body.get("dimensions"):
            vectors = np.ascontiguousarray(vectors[:, : request.body["dimensions"]])
        data = [
            {"object": "embedding", "index": index, "embedding": vector}
            for index, vector in enumerate(vectors.tolist())
        ]
        return Reply(200, {"object": "list", "data": data, "model": request.body["model"]})


class _Server(ThreadingHTTPServer):
    def __init__(self, owner: EmbeddingServer) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.owner = owner

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that gave up is no news."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self._send(self.server.owner.reply_to(Request(self.path, headers, body)))

    def _send(self, reply: Reply) -> None:
        if reply.hangs:
            self.server.owner.wait_for_the_end()
        text = reply.body if isinstance(reply.body, str) else json.dumps(reply.body)
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
        """Keep test output clean; `EmbeddingServer.requests` is the log."""
