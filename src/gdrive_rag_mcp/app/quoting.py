"""The use case of verifying a quote: where it stands in a document, with what is cited of it."""

from gdrive_rag_mcp.app.lookup import stored_document
from gdrive_rag_mcp.chunking.locators import place_of
from gdrive_rag_mcp.domain import (
    SEARCHABLE_STATES,
    Document,
    QuoteCheck,
    QuotedPlace,
    Scope,
    Span,
)
from gdrive_rag_mcp.errors import DocumentNotFoundError
from gdrive_rag_mcp.evidence.quotes import verify
from gdrive_rag_mcp.store import Store


def check_quote(store: Store, document_id: str, quote: str, visible: Scope) -> QuoteCheck:
    """Compare a checked quote with the whole text of a document, whatever chunks it was cut into.

    Raises:
        DocumentNotFoundError: no such document is visible, or no text of it was indexed.
    """
    stored = stored_document(store, document_id, visible)
    match = verify(stored.text, quote)
    state = stored.record.state
    places = _Places(store, document_id, visible)
    return QuoteCheck(
        record=stored.record,
        title=stored.title,
        match=match,
        found=places.at(match.place) if match.place else None,
        others=tuple(map(places.at, match.places[1:])),
        parts=tuple(places.at(part.place) if part.place else None for part in match.parts),
        outdated=None if state in SEARCHABLE_STATES else state,
    )


class _Places:
    """Tells where offsets of one document are; its segments are read when there is something."""

    def __init__(self, store: Store, document_id: str, visible: Scope) -> None:
        self._store = store
        self._id = document_id
        self._visible = visible
        self._document: Document | None = None

    def at(self, span: Span) -> QuotedPlace:
        if self._document is None:
            self._document = self._store.stored_document(self._id)
        if self._document is None:  # cannot be: its text has just been read
            raise DocumentNotFoundError(f"the text of {self._id!r} has gone")
        passages = self._store.catalog.chunks(self._id, self._visible, within=span)
        return QuotedPlace(
            span=span,
            text=self._document.text[span.start : span.end],
            locator=place_of(self._document, span.start, span.end),
            passages=tuple(passage for _, passage in passages),
        )
