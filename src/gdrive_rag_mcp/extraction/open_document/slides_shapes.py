"""What stands on a page of an OpenDocument deck: its shapes in document order, out of groups."""

import re
from collections.abc import Iterator, Mapping

from gdrive_rag_mcp.extraction.drawing.pictures import said_of
from gdrive_rag_mcp.extraction.drawing.shapes import Kind, Shape
from gdrive_rag_mcp.extraction.ooxml import Element, attribute, child, local_name
from gdrive_rag_mcp.extraction.open_document.xml import is_drawn

_CONTAINERS = frozenset({"g", "a"})
# A frame holds one content in several renditions, of which the first counts.
_RENDITIONS: Mapping[str, Kind] = {
    "text-box": Kind.TEXT,
    "table": Kind.TABLE,
    "object": Kind.CHART,
    "object-ole": Kind.UNREAD,
    "image": Kind.PICTURE,
}
_LENGTH = re.compile(r"([0-9]{1,6}(?:\.[0-9]{1,9})?)(cm|mm|in|pt|pc|px)")
_EMU: Mapping[str, int] = {
    "cm": 360_000,
    "mm": 36_000,
    "in": 914_400,
    "pt": 12_700,
    "pc": 152_400,
    "px": 9_525,
}


def read_shapes(page: Element) -> Iterator[Shape]:
    """The shapes of a page or of its notes; groups within groups are opened."""
    for each in page:
        if is_drawn(each):
            yield from shapes_of(each)


def shapes_of(drawn: Element) -> Iterator[Shape]:
    """What one drawn element holds: a group, a frame, or a shape with text in it."""
    name = local_name(drawn)
    if name in _CONTAINERS:
        if description := _description(drawn):
            yield Shape(Kind.PICTURE, description=description, area=0)
        yield from read_shapes(drawn)
    elif name == "frame":
        yield from _framed(drawn)
    else:
        yield Shape(Kind.TEXT, drawn, _role(drawn), description=_description(drawn))


def _framed(frame: Element) -> Iterator[Shape]:
    found = next((each for each in frame if local_name(each) in _RENDITIONS), None)
    if found is None:
        return
    kind = _RENDITIONS[local_name(found)]
    yield Shape(
        kind,
        found,
        "an embedded object" if kind is Kind.UNREAD else _role(frame),
        link=attribute(found, "href") or "",
        description=_description(frame),
        area=area_of(attribute(frame, "width"), attribute(frame, "height")),
    )


def _role(shape: Element) -> str:
    return attribute(shape, "class") or ""


def _description(shape: Element) -> str:
    """`svg:desc` is the longer one."""
    found = (child(shape, name) for name in ("desc", "title"))
    said = (said_of(each.text or "") for each in found if each is not None)
    return next(filter(None, said), "")


def area_of(width: str | None, height: str | None) -> int | None:
    """The area of two lengths such as `25.4cm`, in square EMU."""
    found = [_LENGTH.fullmatch(each or "") for each in (width, height)]
    lengths = [float(each[1]) * _EMU[each[2]] for each in found if each]
    return round(lengths[0] * lengths[1]) if len(lengths) == len(found) else None
