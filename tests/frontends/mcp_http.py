"""A real server on loopback for tests of what asks one: Streamable HTTP, and a bearer token."""

import socket
import threading
from collections.abc import Awaitable, Callable, Iterator, MutableMapping
from contextlib import contextmanager
from typing import Any

import uvicorn
from mcp.server import MCPServer

TOKEN = "a-token-of-thirty-two-characters!"  # for tests alone
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]


@contextmanager
def serving(app: App) -> Iterator[str]:
    """Serve an ASGI app from a thread; yields the root of its URLs."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        config = uvicorn.Config(app, log_level="critical", timeout_graceful_shutdown=1)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()


def guarded(server: MCPServer[Any], token: str = TOKEN) -> App:
    """The server's own app at /mcp, behind a check of the token."""
    app = server.streamable_http_app(stateless_http=True)

    async def check(scope: Message, receive: Receive, send: Send) -> None:
        given = dict(scope.get("headers", ())).get(b"authorization", b"").decode()
        if scope["type"] == "http" and given != f"Bearer {token}":
            await answer(send, 401)
        else:
            await app(scope, receive, send)

    return check


async def answer(send: Send, status: int, body: bytes = b"", **headers: str) -> None:
    """A whole response."""
    named = [(name.replace("_", "-").encode(), text.encode()) for name, text in headers.items()]
    await send({"type": "http.response.start", "status": status, "headers": named})
    await send({"type": "http.response.body", "body": body})


def always(status: int, body: bytes = b"", **headers: str) -> App:
    """An app that gives every request the same response."""

    async def respond(scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await answer(send, status, body, **headers)
        else:
            await lifespan(receive, send)

    return respond


async def lifespan(receive: Receive, send: Send) -> None:
    """What an app without anything to start says of it."""
    while True:
        kind = (await receive())["type"]
        await send({"type": f"{kind}.complete"})
        if kind == "lifespan.shutdown":
            return
