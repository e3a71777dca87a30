"""A client of a running server over Streamable HTTP: calls a tool, and says well what goes wrong.

The session lives in a thread with an event loop; whoever calls waits, and may be interrupted.
"""

import logging
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager, suppress
from typing import Any

import httpx2
from anyio.from_thread import start_blocking_portal
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from mcp_types import REQUEST_TIMEOUT, CallToolResult, TextContent
from pydantic import ValidationError

from gdrive_rag_mcp.errors import ServerError

CallTool = Callable[[Mapping[str, Any]], Mapping[str, Any]]
# A RuntimeError is what the SDK makes of a result that its tool's schema does not allow.
_FOREIGN = (MCPError, httpx2.HTTPError, httpx2.InvalidURL, ValidationError, RuntimeError, OSError)
_UNAUTHORISED = 401
_WRONG_HOST = {403, 421}
_NO_SUCH_PATH = {404, 405, 406, 410}
_LEAST_REDIRECT, _LEAST_ERROR = 300, 400


@contextmanager
def tool_of_server(
    url: str, tool: str, *, token: str | None, timeout_seconds: float
) -> Iterator[CallTool]:
    """Connect, and yield what calls one tool with arguments and returns its result.

    Raises:
        ServerError: the server cannot be reached, refuses the token, has no such tool, or does not
            answer in time or as a server of this product; also raised by calling.
    """
    # Without a handler of its own the SDK's remarks would go to stderr, tracebacks and all.
    logging.getLogger("mcp").addHandler(logging.NullHandler())
    link = _Link(url, token, timeout_seconds)
    with start_blocking_portal() as portal:
        opened = portal.wrap_async_context_manager(link.session())
        with link.telling():
            client = opened.__enter__()
        try:
            with link.telling():
                portal.call(link.require, client, tool)

            def call(arguments: Mapping[str, Any]) -> Mapping[str, Any]:
                with link.telling():
                    result = portal.call(client.call_tool, tool, dict(arguments))
                return link.content(result)

            yield call
        finally:
            _close(opened)


def _close(opened: AbstractContextManager[Client, bool | None]) -> None:
    """End the session; of one that broke it was told already."""
    with suppress(*_FOREIGN, ExceptionGroup):
        opened.__exit__(None, None, None)


class _Link:
    """One server, and the status of its last answer, which the SDK keeps to itself."""

    def __init__(self, url: str, token: str | None, timeout_seconds: float) -> None:
        self._url = url
        self._token = token
        self._timeout_seconds = timeout_seconds
        self._status = 0

    @asynccontextmanager
    async def session(self) -> AsyncIterator[Client]:
        headers = {"authorization": f"Bearer {self._token}"} if self._token else {}
        http = httpx2.AsyncClient(
            headers=headers,
            timeout=httpx2.Timeout(self._timeout_seconds),
            event_hooks={"response": [self._note_status]},
        )
        transport = streamable_http_client(self._url, http_client=http)
        async with http, Client(transport, read_timeout_seconds=self._timeout_seconds) as client:
            yield client

    async def _note_status(self, response: httpx2.Response) -> None:
        self._status = response.status_code

    async def require(self, client: Client, tool: str) -> None:
        """See that the server has the tool."""
        names = [one.name for one in (await client.list_tools()).tools]
        if tool not in names:
            raise ServerError(
                f"the server at {self._url} has no tool {tool}; it has "
                f"{', '.join(names) or 'none at all'}",
                hint="name the URL of a gdrive-rag-mcp server, of this version or a newer one",
            )

    def content(self, result: CallToolResult) -> Mapping[str, Any]:
        """What a tool returned."""
        if result.is_error:
            said = " ".join(one.text for one in result.content if isinstance(one, TextContent))
            raise ServerError(
                f"the server at {self._url} did not do it: {said}",
                hint="correct what it says there, or see the server's log",
            )
        if not isinstance(result.structured_content, Mapping):
            raise self.unknown_answer("the result has no structured content")
        return result.structured_content

    def unknown_answer(self, why: str) -> ServerError:
        return ServerError(
            f"{self._url} does not answer as a server of this product: {why}",
            hint="name the URL of a gdrive-rag-mcp server, such as http://127.0.0.1:8000/mcp",
        )

    @contextmanager
    def telling(self) -> Iterator[None]:
        """Translate what the SDK and its transport raise, alone or in groups."""
        try:
            yield
        except (*_FOREIGN, ExceptionGroup) as error:
            raise self._told(_first(error)) from error

    def _told(self, error: BaseException) -> BaseException:
        if isinstance(error, ServerError) or not isinstance(error, _FOREIGN):
            return error
        timed_out = isinstance(error, MCPError) and error.code == REQUEST_TIMEOUT
        if timed_out or isinstance(error, httpx2.TimeoutException):
            return ServerError(
                f"{self._url} did not answer within {self._timeout_seconds:g} seconds",
                hint="try again in a moment; if it stays so, see the server's log",
            )
        if isinstance(error, httpx2.HTTPError | httpx2.InvalidURL | OSError):
            return ServerError(
                f"the server at {self._url} cannot be reached: {error}",
                hint="see that it runs, and that host, port and http or https are right",
            )
        if self._status >= _LEAST_REDIRECT:
            return self._refused()
        return self.unknown_answer(str(error))

    def _refused(self) -> ServerError:
        """What an HTTP status means here, and what to do about it."""
        status = self._status
        if status == _UNAUTHORISED:
            why = "refuses the bearer token" if self._token else "wants a bearer token"
            hint = "set GDRIVE_RAG_BEARER_TOKEN, or GDRIVE_RAG_BEARER_TOKEN_FILE, to the server's"
        elif status in _WRONG_HOST:
            why = "refuses requests under this host name"
            hint = "use the name it is meant to be called by (GDRIVE_RAG_ALLOWED_HOSTS there)"
        elif status in _NO_SUCH_PATH:
            why = "has no MCP server at this path"
            hint = "name the whole URL, such as http://127.0.0.1:8000/mcp"
        elif status < _LEAST_ERROR:
            why, hint = "leads elsewhere", "name the URL that it leads to, if that is the server"
        else:
            why, hint = "failed", "see the server's log, and that of the proxy before it"
        return ServerError(f"{self._url} {why} (HTTP {status})", hint=hint)


def _first(error: BaseException) -> BaseException:
    return _first(error.exceptions[0]) if isinstance(error, BaseExceptionGroup) else error
