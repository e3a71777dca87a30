"""Documents as rows: the full text, once, and the segments it can be cut again by."""

import json
import zlib
from dataclasses import fields

import apsw

from gdrive_rag_mcp.domain import Document, Locator, Segment, SegmentKind
from gdrive_rag_mcp.store.translation import decoding

_TOLD = tuple(field.name for field in fields(Locator))


def write(connection: apsw.Connection, file: int, document: Document, chunking: str) -> None:
    """Keep a document in place of its former self."""
    segments = [
        (
            s.start,
            s.end,
            s.kind.value,
            {name: getattr(s.locator, name) for name in _TOLD},
            s.headings,
            s.context,
        )
        for s in document.segments
    ]
    packed = zlib.compress(json.dumps(segments, ensure_ascii=False).encode())
    connection.execute(
        """INSERT OR REPLACE INTO documents (file, title, text, segments, failures, chunking)
        VALUES (?, ?, ?, ?, ?, ?)""",
        (
            file,
            document.title,
            document.text,
            packed,
            json.dumps(document.failures, ensure_ascii=False),
            chunking,
        ),
    )


def _told(locator: Locator) -> dict[str, str | int | float | None]:
    return {name: getattr(locator, name) for name in _TOLD}


@decoding()
def read(connection: apsw.Connection, document_id: str) -> Document | None:
    """A document as it was extracted."""
    row = connection.execute(
        """SELECT d.title, d.text, d.segments, d.failures
        FROM documents d JOIN files f ON f.num = d.file WHERE f.id = ?""",
        (document_id,),
    ).fetchone()
    if row is None:
        return None
    title, text, packed, failures = row
    segments = tuple(
        Segment(start, end, SegmentKind(kind), Locator(**locator), tuple(headings), context)
        for start, end, kind, locator, headings, context in json.loads(zlib.decompress(packed))
    )
    return Document(title, text, segments, tuple(json.loads(failures)))


class Texts:
    """Parts of documents' texts; a document is read once as long as its chunks come in a row.

    SQLite's `substr` would walk a long text from its first character for every one of them.
    """

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._file = -1
        self._text = ""

    def part(self, file: int, start: int, end: int) -> str:
        """`text[start:end]` of a file's document."""
        if file != self._file:
            row = self._connection.execute(
                "SELECT text FROM documents WHERE file = ?", (file,)
            ).fetchone()
            self._file, self._text = file, str(row[0]) if row else ""
        return self._text[start:end]


def cut_otherwise(connection: apsw.Connection, chunking: str) -> list[str]:
    """The documents that another chunking identity cut."""
    rows = connection.execute(
        """SELECT f.id FROM documents d JOIN files f ON f.num = d.file
        WHERE d.chunking < ? OR d.chunking > ?""",
        (chunking, chunking),
    )
    return [identifier for (identifier,) in rows]
