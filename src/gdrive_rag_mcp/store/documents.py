"""Documents as rows: the full text, once, and the segments it can be cut again by."""

import json
import zlib
from dataclasses import fields
from operator import attrgetter
from typing import Any

import apsw

from gdrive_rag_mcp.domain import Document, Locator, Segment, SegmentKind
from gdrive_rag_mcp.store.translation import decoding

as_json = json.JSONEncoder(ensure_ascii=False).encode
"""As `json.dumps`, which makes an encoder for every call."""
_TOLD = tuple(field.name for field in fields(Locator))
_all_told = attrgetter(*_TOLD)
_FAST, _WINDOW_BITS, _MEMORY_LEVEL = 1, 12, 5
"""Of zlib. Clearing its largest tables takes longer than packing most documents' segments, and
longer ones come out no larger: what repeats in them is near."""


def told(locator: Locator) -> dict[str, Any]:
    """What a locator says, by name."""
    pairs = zip(_TOLD, _all_told(locator), strict=True)
    return {name: value for name, value in pairs if value is not None}


def write(connection: apsw.Connection, file: int, document: Document, chunking: str) -> None:
    """Keep a document in place of its former self."""
    segments = [
        (s.start, s.end, s.kind, told(s.locator), s.headings, s.context) for s in document.segments
    ]
    connection.execute(
        """INSERT OR REPLACE INTO documents (file, title, text, segments, failures, chunking)
        VALUES (?, ?, ?, ?, ?, ?)""",
        (
            file,
            document.title,
            document.text,
            _packed(as_json(segments)),
            as_json(document.failures),
            chunking,
        ),
    )


def _packed(text: str) -> bytes:
    packer = zlib.compressobj(_FAST, wbits=_WINDOW_BITS, memLevel=_MEMORY_LEVEL)
    return packer.compress(text.encode()) + packer.flush()


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
