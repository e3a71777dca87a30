"""How a document, or why there is none, crosses from the sandbox: JSON, never pickle.

What arrives is rebuilt field by field, as the process that sent it has read a hostile file.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from gdrive_rag_mcp.domain import Document, Locator, Reason, Segment, SegmentKind
from gdrive_rag_mcp.errors import ExtractionError

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
    """A document as JSON in UTF-8."""
    headings, contexts = _Table(), _Table()
    segments = [
        (
            segment.start,
            segment.end,
            segment.kind.value,
            _locator_fields(segment.locator),
            headings.place(segment.headings),
            contexts.place(segment.context),
        )
        for segment in document.segments
    ]
    return _dump(
        {
            "title": document.title,
            "text": document.text,
            "segments": segments,
            "headings": headings.values,
            "contexts": contexts.values,
            "failures": document.failures,
            "ocr_matters": document.ocr_matters,
        }
    )


def pack_error(error: ExtractionError) -> bytes:
    """Why there is no document, as JSON in UTF-8."""
    return _dump({"reason": error.reason.value, "message": error.message, "hint": error.hint})


def unpack(answer: bytes) -> Document:
    """Rebuild what was packed.

    Raises:
        ExtractionError: the one that was packed, or `internal` when this is no such answer.
    """
    try:
        fields = json.loads(answer)
        if "reason" in fields:
            error = ExtractionError(
                Reason(fields["reason"]), str(fields["message"]), hint=str(fields["hint"])
            )
        else:
            return _document(fields)
    except (ValueError, TypeError, LookupError) as garbled:
        raise ExtractionError(
            Reason.INTERNAL, f"The extraction process gave an unreadable answer: {garbled}"
        ) from garbled
    raise error


def _dump(fields: Mapping[str, Json]) -> bytes:
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode(errors="replace")


def _locator_fields(locator: Locator) -> tuple[Json, ...]:
    return (
        locator.kind, locator.value, locator.first, locator.last, locator.label, locator.ocr,
    )  # fmt: skip


def _document(fields: Mapping[str, Json]) -> Document:
    headings = [tuple(map(str, path)) for path in fields["headings"]]
    contexts = [str(context) for context in fields["contexts"]]
    return Document(
        title=str(fields["title"]),
        text=str(fields["text"]),
        segments=tuple(
            Segment(
                int(start),
                int(end),
                SegmentKind(kind),
                _locator(*locator),
                headings[path],
                contexts[context],
            )
            for start, end, kind, locator, path, context in fields["segments"]
        ),
        failures=tuple(map(str, fields["failures"])),
        ocr_matters=bool(fields["ocr_matters"]),
    )


def _locator(kind: Json, value: Json, *rest: Json) -> Locator:
    first, last, label, ocr = rest
    return Locator(
        str(kind),
        str(value),
        _maybe(int, first),
        _maybe(int, last),
        _maybe(str, label),
        _maybe(int, ocr),
    )


def _maybe(convert: Callable[[Json], Any], value: Json) -> Any:  # noqa: ANN401 - what `convert` gives, or None
    return None if value is None else convert(value)
