"""The MCP server: seven read-only tools over a `Reader`, on stdio, in both protocol eras.

Nothing heavy is loaded before a tool is called: a client that only lists tools waits for the SDK.
"""

import inspect
import logging
import re
import secrets
import signal
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import anyio
from mcp.server import MCPServer
from mcp.server.caching import CacheHint
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools import Tool
from mcp.server.mcpserver.utilities.func_metadata import FuncMetadata
from mcp_types import CallToolResult, InputRequiredResult, ToolAnnotations
from pydantic import ValidationError

from gdrive_rag_mcp import __version__
from gdrive_rag_mcp.frontends.interrupts import heeded
from gdrive_rag_mcp.frontends.lazy_reader import LazyReader
from gdrive_rag_mcp.frontends.mcp_instructions import INSTRUCTIONS
from gdrive_rag_mcp.frontends.mcp_refusals import complaint, unknown_arguments
from gdrive_rag_mcp.frontends.mcp_schemas import RESULTS, input_schema, output_schema
from gdrive_rag_mcp.frontends.mcp_tools import Tools
from gdrive_rag_mcp.frontends.process_end import end_process

if TYPE_CHECKING:  # the use cases bring SQLite and numpy, which `tools/list` must not wait for
    from gdrive_rag_mcp.app import Reader

DEADLINE_SECONDS = 19.0
_READ_ONLY = ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)
_WRAPPED = re.compile(r"(?<!\n)\n(?!\n)")


class _AsGiven(FuncMetadata):
    """Takes text for text, where the SDK reads what looks like JSON, such as a cursor."""

    def pre_parse_json(self, data: dict[str, Any]) -> dict[str, Any]:
        return data


def _described(tools: Tools) -> list[Tool]:
    """The tools as they are listed, schemas included."""
    described = []
    spelled: set[type] = set()
    for name, shape in RESULTS.items():
        function = getattr(tools, name)
        tool = Tool.from_function(
            function,
            description=_WRAPPED.sub(" ", inspect.getdoc(function) or ""),
            annotations=_READ_ONLY,
        )
        tool.parameters = input_schema(tool.parameters)
        tool.fn_metadata = _AsGiven(
            arg_model=tool.fn_metadata.arg_model, output_schema=output_schema(shape, spelled)
        )
        described.append(tool)
    return described


class _StrictServer(MCPServer[dict[str, Any]]):
    """An MCPServer that refuses arguments it does not know, where the SDK would ignore them."""

    def __init__(self, tools: Sequence[Tool]) -> None:
        super().__init__(
            "gdrive-rag-mcp",
            title="Documents with evidence",
            version=__version__,
            instructions=INSTRUCTIONS,
            tools=list(tools),
            log_level="WARNING",
            subscriptions=False,
            cache_hints={"tools/list": CacheHint(ttl_ms=300_000, scope="public")},
        )
        self._arguments = {tool.name: tool.parameters["properties"] for tool in tools}

    async def call_tool(
        self,
        name: str,
        arguments: dict[str, Any],
        context: Context[dict[str, Any], Any] | None = None,
    ) -> CallToolResult | InputRequiredResult:
        known = self._arguments.get(name)
        if known is None:
            raise ToolError(f"Unknown tool: {name}. There are: {', '.join(self._arguments)}.")
        strangers = sorted(set(arguments) - set(known))
        if strangers:
            raise ToolError(unknown_arguments(name, strangers, known))
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            if isinstance(error.__cause__, ValidationError):
                raise ToolError(complaint(error.__cause__)) from error.__cause__
            if isinstance(error.__cause__, ToolError):  # ours, without the SDK's prefix
                raise error.__cause__ from None
            raise


def _fresh_nonce() -> str:
    return secrets.token_hex(8)


def build_server(
    make_reader: "Callable[[], Reader]",
    *,
    deadline_seconds: float = DEADLINE_SECONDS,
    nonce: Callable[[], str] = _fresh_nonce,
) -> MCPServer[dict[str, Any]]:
    """The server with its tools; `make_reader` is called by the first tool call."""
    tools = Tools(LazyReader(make_reader), deadline_seconds=deadline_seconds, nonce=nonce)
    return _StrictServer(_described(tools))


def serve_stdio(make_reader: "Callable[[], Reader]") -> NoReturn:
    """Serve until stdin ends; then the process ends, whatever a tool is still doing.

    Call it from the main thread, with nothing printed before: stdout belongs to the protocol.
    """
    # The SDK's reader blocks on stdin and would keep the process through a KeyboardInterrupt.
    for number in heeded():
        signal.signal(number, signal.SIG_DFL)
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(name)s: %(message)s")
    try:
        anyio.run(build_server(make_reader).run_stdio_async)
    except* (BrokenPipeError, anyio.BrokenResourceError):
        pass  # the client has gone, and that is how a session ends
    end_process()
