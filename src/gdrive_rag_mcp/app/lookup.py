"""Finding one file or document of an index, and saying why it cannot be had."""

from gdrive_rag_mcp.domain import FileRecord, Scope, StoredDocument
from gdrive_rag_mcp.errors import DocumentNotFoundError
from gdrive_rag_mcp.store import Store


def known_record(store: Store, document_id: str, visible: Scope) -> FileRecord:
    """A file's line of the ledger.

    Raises:
        DocumentNotFoundError: no such file is visible.
    """
    record = store.ledger.get(document_id, visible)
    if record is None:
        raise DocumentNotFoundError(
            f"no document with the id {document_id[:200]!r} is in the index",
            hint="take the id from search results or from list_documents",
        )
    return record


def stored_document(
    store: Store, document_id: str, visible: Scope, start: int = 0, max_chars: int | None = None
) -> StoredDocument:
    """A document's text, or a part of it.

    Raises:
        DocumentNotFoundError: no such document is visible, or no text of it was indexed.
    """
    found = store.catalog.document(document_id, visible, start, max_chars)
    if found is None:
        record = known_record(store, document_id, visible)
        raise DocumentNotFoundError(
            f"no text of this document was indexed: it is {_why(record)}",
            hint="list_documents or `gdrive-rag-mcp status --files` tells what to do",
        )
    return found


def _why(record: FileRecord) -> str:
    if record.reason is None:
        return record.state.value
    return f"{record.state.value} ({record.reason.value})"
