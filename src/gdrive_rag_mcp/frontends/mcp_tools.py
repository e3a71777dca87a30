"""The tools of the MCP server: their arguments, and their docstrings, which are for the model."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Literal

import anyio
import anyio.to_thread
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult, TextContent
from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from gdrive_rag_mcp import presentation as present
from gdrive_rag_mcp.errors import GdriveRagError
from gdrive_rag_mcp.frontends import mcp_calls as calls
from gdrive_rag_mcp.frontends.mcp_arguments import (
    DocumentId,
    Question,
    SomeCursor,
    SomeId,
    SomeScope,
    SomeWord,
)
from gdrive_rag_mcp.frontends.mcp_refusals import told

if TYPE_CHECKING:  # the use cases bring SQLite and numpy, which `tools/list` must not wait for
    from gdrive_rag_mcp.app import Reader

_CONCURRENT_TOOLS = 8


class Tools:
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
        neighbours: Annotated[int, Field(ge=0, le=2, description="Chunks shown around each.")] = 0,
    ) -> CallToolResult:
        """Search the documents for passages that answer a question, with citations and a verdict.

        When evidence.sufficient is false, `results` is empty and you must abstain as
        evidence.message says.
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
        """Get numbered sources to write an answer from, with the rules of citing them.

        When the verdict is that the evidence is not sufficient, a refusal comes instead: tell the
        user what refusal.say says.
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

        The verdict is exact (`tolerated`: overlooked, such as case or line breaks), near
        (`differences`; `altered`: a number, date, negation or name differs) or absent. Offsets are
        those of get_document.
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
        """Read a document's indexed text page by page, to see evidence in its context.

        Go on at `next_start` until it is null. Whether the text answers a question, only the
        verdict of search_knowledge says.
        """
        return await self._answer(calls.document(document_id, start=start, max_chars=max_chars))

    async def get_document_metadata(
        self,
        document_id: DocumentId,
    ) -> CallToolResult:
        """Tell what is known of a file without its text.

        Url, path, type, checksums, revision, times, and its state: whether and why its text is, or
        is not, part of the evidence that a search can find.
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
        """List every file in the folder, its state, and why it could not be read.

        `totals` add up to everything in scope. Use it to tell which files the evidence does not
        cover, not to answer questions.
        """
        return await self._answer(
            calls.ledger(folder_id=folder_id, state=state, query=query, cursor=cursor)
        )

    async def check_index_status(self) -> CallToolResult:
        """Tell what the index holds, how fresh and complete: evidence and verdict rest on it."""
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
