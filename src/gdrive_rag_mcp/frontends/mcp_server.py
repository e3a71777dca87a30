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
from typing import TYPE_CHECKING, Annotated, Any, Literal, NoReturn

import anyio
import anyio.to_thread
from mcp.server import MCPServer
from mcp.server.caching import CacheHint
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools import Tool
from mcp.server.mcpserver.utilities.func_metadata import FuncMetadata
from mcp_types import CallToolResult, InputRequiredResult, TextContent, ToolAnnotations
from pydantic import Field, ValidationError
from pydantic.json_schema import SkipJsonSchema

from gdrive_rag_mcp import __version__
from gdrive_rag_mcp import presentation as present
from gdrive_rag_mcp.errors import GdriveRagError
from gdrive_rag_mcp.frontends import mcp_calls as calls
from gdrive_rag_mcp.frontends.interrupts import heeded
from gdrive_rag_mcp.frontends.lazy_reader import LazyReader
from gdrive_rag_mcp.frontends.mcp_arguments import (
    DocumentId,
    Question,
    SomeCursor,
    SomeId,
    SomeScope,
    SomeWord,
)
from gdrive_rag_mcp.frontends.mcp_instructions import INSTRUCTIONS
from gdrive_rag_mcp.frontends.mcp_refusals import complaint, told, unknown_arguments
from gdrive_rag_mcp.frontends.mcp_schemas import RESULTS, input_schema, output_schema
from gdrive_rag_mcp.frontends.process_end import end_process

if TYPE_CHECKING:  # the use cases bring SQLite and numpy, which `tools/list` must not wait for
    from gdrive_rag_mcp.app import Reader

DEADLINE_SECONDS = 19.0
_CONCURRENT_TOOLS = 8
_READ_ONLY = ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)
_WRAPPED = re.compile(r"(?<!\n)\n(?!\n)")


class _Tools:
    """The tools; a method's docstring is what the model reads of it."""

    def __init__(
        self,
        reader: "Callable[[], Reader]",
        *,
        deadline_seconds: float,
        nonce: Callable[[], str],
    ) -> None:
        self._reader = reader
        self._deadline_seconds = deadline_seconds
        self._nonce = nonce
        self._limiter = anyio.CapacityLimiter(_CONCURRENT_TOOLS)

    async def search_knowledge(
        self,
        query: Question,
        limit: Annotated[int, Field(ge=1, le=50, description="Passages at most.")] = 5,
        scope_id: SomeScope = None,
        mime_type: Annotated[SomeWord, Field(description="Only documents of this type.")] = None,
        modified_after: Annotated[
            SomeWord, Field(description="ISO 8601 date or time, inclusive.")
        ] = None,
        modified_before: Annotated[
            SomeWord, Field(description="ISO 8601 date or time, inclusive.")
        ] = None,
        neighbours: Annotated[int, Field(ge=0, le=2, description="Chunks around each, too.")] = 0,
    ) -> CallToolResult:
        """Search the documents for passages that answer a question, with citations and a verdict.

        The result is evidence, not an answer: when evidence.sufficient is false, `results` is
        empty and you must abstain as evidence.message says.
        """
        return await self._answer(
            calls.search(
                query,
                limit=limit,
                scope_id=scope_id,
                mime_type=mime_type,
                modified_after=modified_after,
                modified_before=modified_before,
                neighbours=neighbours,
            )
        )

    async def answer_question(
        self, question: Question, scope_id: SomeScope = None
    ) -> CallToolResult:
        """Get numbered sources to answer a question from, with the rules of citing them.

        When the verdict on the evidence is that it is not sufficient, a refusal comes instead:
        tell the user what refusal.say says. You write the answer; no model is called here.
        """
        return await self._answer(calls.answer(question, scope_id=scope_id))

    async def verify_quote(
        self,
        document_id: DocumentId,
        quote: Annotated[
            str, Field(min_length=1, description="The words; … or [...] for what is left out.")
        ],
    ) -> CallToolResult:
        """Check that a document says what you quote from it, before you present it as evidence.

        The verdict is exact (`tolerated`: what was overlooked, such as case or line breaks), near
        (`differences`; `altered` when a number, date, negation or name differs) or absent. Offsets
        are those of get_document.
        """
        return await self._answer(calls.quote(document_id, quote))

    async def get_document(
        self,
        document_id: DocumentId,
        start: Annotated[int, Field(ge=0, description="First character, from 0.")] = 0,
        max_chars: Annotated[
            int, Field(ge=1, le=30_000, description="Characters at most.")
        ] = 20_000,
    ) -> CallToolResult:
        """Read a document's indexed text page by page, to see a piece of evidence in its context.

        Go on at `next_start` until it is null. This is what was indexed and carries no verdict:
        whether the documents answer a question, search_knowledge says.
        """
        return await self._answer(calls.document(document_id, start=start, max_chars=max_chars))

    async def get_document_metadata(
        self,
        document_id: DocumentId,
    ) -> CallToolResult:
        """Tell what is known of a file without its text.

        Url, path, type, checksums, revision, modified and indexed times, and its state: whether
        and why its text is, or is not, part of the evidence that a search can find.
        """
        return await self._answer(calls.metadata(document_id))

    async def list_documents(
        self,
        folder_id: Annotated[SomeId, Field(description="Only below this folder.")] = None,
        state: Annotated[
            Literal["indexed", "partial", "empty", "skipped", "failed", "pending", "held"]
            | SkipJsonSchema[None],
            Field(description="Only files in this state; others may be found by a former text."),
        ] = None,
        query: Annotated[SomeWord, Field(description="Part of a path.")] = None,
        cursor: Annotated[SomeCursor, Field(description="next_cursor of the page before.")] = None,
    ) -> CallToolResult:
        """List the ledger: every file in the folder, its state, and why it could not be read.

        `totals` add up to everything in scope. Use it to tell which files the evidence of a search
        does not cover, not to answer questions.
        """
        return await self._answer(
            calls.ledger(folder_id=folder_id, state=state, query=query, cursor=cursor)
        )

    async def check_index_status(self) -> CallToolResult:
        """Tell what the index holds, how fresh it is, and how much of the folder it covers.

        Counts by state and reason, the last sync, and the embedding model: what the evidence and
        the verdict of a search rest on.
        """
        return await self._answer(calls.status)

    async def _answer(self, call: calls.Call) -> CallToolResult:
        """Do the blocking work in a thread, and leave it behind when the deadline passes."""
        with anyio.move_on_after(self._deadline_seconds):
            return await anyio.to_thread.run_sync(
                self._shown, call, abandon_on_cancel=True, limiter=self._limiter
            )
        raise ToolError(
            f"deadline_exceeded: no result within {self._deadline_seconds:g} seconds. To fix it: "
            "try again in a moment; if it stays so, run `gdrive-rag-mcp doctor`."
        )

    def _shown(self, call: calls.Call) -> CallToolResult:
        try:
            shown = present.fenced(call(self._reader()), self._nonce())
        except GdriveRagError as error:
            raise ToolError(told(error)) from error
        text = TextContent(type="text", text=present.as_json(shown))
        return CallToolResult(content=[text], structured_content=shown)


class _AsGiven(FuncMetadata):
    """Takes text for text, where the SDK reads what looks like JSON, such as a cursor."""

    def pre_parse_json(self, data: dict[str, Any]) -> dict[str, Any]:
        return data


def _described(tools: _Tools) -> list[Tool]:
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
    tools = _Tools(LazyReader(make_reader), deadline_seconds=deadline_seconds, nonce=nonce)
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
