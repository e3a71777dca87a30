"""What the MCP tools do: arguments in, a result fit for a model out; no word of the protocol."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from gdrive_rag_mcp import presentation as present
from gdrive_rag_mcp.domain import FileState, Filters, LedgerPage

if TYPE_CHECKING:  # the use cases bring SQLite and numpy, which `tools/list` must not wait for
    from gdrive_rag_mcp.app import Reader

Call = Callable[["Reader"], Mapping[str, object]]
_PAGE_SIZES = (50, 20, 5, 1)


def search(
    query: str,
    *,
    limit: int,
    scope_id: str | None,
    mime_type: str | None,
    modified_after: str | None,
    modified_before: str | None,
    neighbours: int = 0,
) -> Call:
    """Search, with the dates read."""

    def call(reader: "Reader") -> Mapping[str, object]:
        from gdrive_rag_mcp.app import parse_time

        after, before = modified_after or None, modified_before or None
        filters = Filters(
            mime_type or None,
            after and parse_time(after, name="modified_after"),
            before and parse_time(before, name="modified_before", end_of_day=True),
        )
        outcome = reader.search(
            query, limit=limit, scope_id=scope_id or None, filters=filters, neighbours=neighbours
        )
        return present.bounded_search(present.search_object(outcome))

    return call


def answer(question: str, *, scope_id: str | None) -> Call:
    """What to answer from, or a refusal; whole sources, as many as fit."""
    return lambda reader: present.bounded_answer(
        present.answer_object(reader.ground(question, scope_id=scope_id or None))
    )


def quote(document_id: str, text: str) -> Call:
    """What became of a quote."""
    return lambda reader: present.bounded_quote(
        present.quote_object(reader.verify_quote(document_id, text))
    )


def document(document_id: str, *, start: int, max_chars: int) -> Call:
    """A page of a document, cut where the result would be too long."""

    def call(reader: "Reader") -> Mapping[str, object]:
        found = reader.document(document_id, start=start, max_chars=max_chars)
        return present.bounded_document(present.document_object(found))

    return call


def metadata(document_id: str) -> Call:
    """One line of the ledger in full."""
    return lambda reader: present.metadata_object(reader.document_metadata(document_id))


def ledger(
    *, folder_id: str | None, state: str | None, query: str | None, cursor: str | None
) -> Call:
    """The largest page of the ledger that stays within the size of a result; paths can be long."""

    def call(reader: "Reader") -> Mapping[str, object]:
        ask = partial(
            reader.list_documents,
            folder_id=folder_id or None,
            state=FileState(state) if state else None,
            query=query or None,
            cursor=cursor or None,
        )
        return present.ledger_object(_page_that_fits(ask))

    return call


def _page_that_fits(ask: Callable[..., LedgerPage]) -> LedgerPage:
    for limit in _PAGE_SIZES:
        page = ask(limit=limit)
        if present.fits(present.ledger_object(page)):
            break
    return page


def status(reader: "Reader") -> Mapping[str, object]:
    """What the index holds and what made it."""
    return present.status_object(reader.status())
