"""How a document, or why there is none, crosses from the sandbox: JSON and text, never pickle.

What arrives is rebuilt field by field, as the process that sent it has read a hostile file:
whatever it sends costs bounded memory, and becomes a document that can be stored, or a refusal.
"""

import json
from collections.abc import Mapping
from typing import Any, TypeAlias

from gdrive_rag_mcp.domain import Document, Locator, Reason, Segment, SegmentKind
from gdrive_rag_mcp.errors import ExtractionError

MAX_SEGMENTS = 500_000
_MAX_BRACKETS = MAX_SEGMENTS + 1_000
"""What is said of segments crosses in columns: only heading paths are lists of their own."""

_LOCATOR = ("kind", "value", "first", "last", "label", "ocr")
_KINDS = {kind.value: kind for kind in SegmentKind}
_GARBLED = (ArithmeticError, LookupError, RecursionError, TypeError, ValueError)
"""What rebuilding a document from anything else may run into."""

Json: TypeAlias = Any
"""Whatever `json.loads` gave; every use below says what it must be."""


class _Table:
    """Values that repeat from segment to segment, sent once each."""

    def __init__(self) -> None:
        self.values: list[Json] = []
        self._places: dict[Json, int] = {}

    def place(self, value: Json) -> int:
        at = self._places.setdefault(value, len(self.values))
        if at == len(self.values):
            self.values.append(value)
        return at


def pack(document: Document) -> bytes:
    """A document as a line of JSON, and its text, in UTF-8.

    Raises:
        ExtractionError: it has more parts than a document may have.
    """
    if len(document.segments) > MAX_SEGMENTS:
        raise ExtractionError(
            Reason.TOO_LARGE,
            f"The document has more than {MAX_SEGMENTS:,} paragraphs, rows or other parts",
            hint="Split it into several files.",
        )
    headings, contexts = _Table(), _Table()
    places = [segment.locator for segment in document.segments]
    fields = {
        "title": document.title,
        "starts": [segment.start for segment in document.segments],
        "ends": [segment.end for segment in document.segments],
        "kinds": [segment.kind.value for segment in document.segments],
        "paths": [headings.place(segment.headings) for segment in document.segments],
        "leads": [contexts.place(segment.context) for segment in document.segments],
        "places": [[getattr(place, name) for place in places] for name in _LOCATOR],
        "headings": headings.values,
        "contexts": contexts.values,
        "failures": document.failures,
        "ocr_matters": document.ocr_matters,
    }
    return _dump(fields) + b"\n" + document.text.encode(errors="replace")


def pack_error(error: ExtractionError) -> bytes:
    """Why there is no document, as JSON in UTF-8."""
    return _dump({"reason": error.reason.value, "message": error.message, "hint": error.hint})


def unpack(answer: bytes) -> Document:
    """Rebuild what was packed.

    Raises:
        ExtractionError: the one that was packed, or `internal` when this is no such answer.
    """
    try:
        head, _, text = answer.partition(b"\n")
        if head.count(b"[") + head.count(b"{") > _MAX_BRACKETS:
            raise ValueError("too many parts")
        fields = json.loads(head)
        if "reason" in fields:
            error = ExtractionError(
                Reason(fields["reason"]), _text(fields["message"]), hint=_text(fields["hint"])
            )
        else:
            return _document(fields, text.decode())
    except _GARBLED as garbled:
        raise ExtractionError(
            Reason.INTERNAL, f"The extraction process gave an unreadable answer: {garbled}"
        ) from garbled
    raise error


def _dump(fields: Mapping[str, Json]) -> bytes:
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode(errors="replace")


def _document(fields: Mapping[str, Json], text: str) -> Document:
    headings = [tuple(map(_text, path)) for path in fields["headings"]]
    contexts = [_text(context) for context in fields["contexts"]]
    names = ("starts", "ends", "kinds", "paths", "leads")
    columns = zip(*(fields[name] for name in names), *fields["places"], strict=True)
    segments = tuple(
        Segment(
            int(start), int(end), _KINDS[kind], _locator(*place), headings[path], contexts[lead]
        )
        for start, end, kind, path, lead, *place in columns
    )
    if len(segments) > MAX_SEGMENTS or not _in_order(segments, len(text)):
        raise ValueError("segments out of order, or too many")
    return Document(
        title=_text(fields["title"]),
        text=text,
        segments=segments,
        failures=tuple(map(_text, fields["failures"])),
        ocr_matters=bool(fields["ocr_matters"]),
    )


def _in_order(segments: tuple[Segment, ...], length: int) -> bool:
    """Whether segments lie one after the other within a text."""
    before = 0
    for segment in segments:
        if not before <= segment.start <= segment.end:
            return False
        before = segment.end
    return before <= length


def _locator(kind: Json, value: Json, first: Json, last: Json, label: Json, ocr: Json) -> Locator:
    return Locator(
        _text(kind),
        _text(value),
        None if first is None else int(first),
        None if last is None else int(last),
        None if label is None else _text(label),
        None if ocr is None else int(ocr),
    )


def _text(value: Json) -> str:
    """Text that can be written in UTF-8: an escape may stand for half a character."""
    text = str(value)
    if not text.isascii():
        text.encode()
    return text
