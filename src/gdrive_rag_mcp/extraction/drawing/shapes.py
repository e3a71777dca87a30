"""What stands on a slide: its shapes in document order, out of their groups.

Document order is the order in which a screen reader says a slide, and the one that authors can set.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from gdrive_rag_mcp.extraction.building import one_line
from gdrive_rag_mcp.extraction.drawing.pictures import said_of
from gdrive_rag_mcp.extraction.drawing.text import children, find, walk
from gdrive_rag_mcp.extraction.ooxml import Element, attribute, child, local_name, whole_number

_LARGEST_LENGTH = 10**9
# Whose documents, embedded as objects, hold text; others keep settings in objects of no size.
_HOLDS_TEXT = re.compile(r"(?i)(?:word|excel|powerpoint|acroexch|foxit|opendocument|visio)\b.*")


class Kind(Enum):
    """What a shape holds."""

    TEXT = "text"
    TABLE = "table"
    PICTURE = "picture"
    CHART = "chart"
    DIAGRAM = "diagram"
    UNREAD = "unread"


@dataclass(frozen=True, slots=True)
class Shape:
    """A shape that can say something.

    `element` is its text body or its table; `link` the relationship to the part of a chart or a
    diagram; `area` what a picture covers, in square EMU, if that is said; `role` that of its
    placeholder: `title`, `body`, `ftr` …, "" for shapes that are none; of what is not
    read, its name.
    """

    kind: Kind
    element: Element | None = None
    role: str = ""
    link: str = ""
    description: str = ""
    area: int | None = None


def read_shapes(tree: Element | None) -> Iterator[Shape]:
    """The shapes of a slide or of its notes; groups within groups are opened."""
    if tree is None:
        return
    for each in walk(tree, _is_group):
        name = local_name(each)
        if name == "sp":
            yield from _text_shape(each)
        elif name == "pic":
            yield _picture(each)
        elif name == "graphicFrame":
            yield from _frame(each)


def _is_group(element: Element) -> bool:
    return local_name(element) == "grpSp"


def _text_shape(shape: Element) -> Iterator[Shape]:
    placeholder = child(shape, "nvSpPr", "nvPr", "ph")
    role = "" if placeholder is None else attribute(placeholder, "type") or "body"
    yield Shape(Kind.TEXT, child(shape, "txBody"), role)
    if child(shape, "spPr", "blipFill") is not None:
        yield _picture(shape)


def _picture(shape: Element) -> Shape:
    size = child(shape, "spPr", "xfrm", "ext")
    area = None if size is None else area_of(size)
    return Shape(Kind.PICTURE, description=_description(shape), area=area)


def area_of(size: Element | None) -> int:
    """The area of an element that has a width `cx` and a height `cy`, in square EMU."""
    if size is None:
        return 0
    width, height = (
        whole_number(attribute(size, name), 0, _LARGEST_LENGTH) for name in ("cx", "cy")
    )
    return width * height


def _frame(frame: Element) -> Iterator[Shape]:
    """A table, a chart, a diagram, or an object of another program."""
    description = _description(frame)
    data = child(frame, "graphic", "graphicData")
    for each in () if data is None else children(data):
        name = local_name(each)
        if name == "tbl":
            yield Shape(Kind.TABLE, each, description=description)
        elif name == "chart":
            yield Shape(Kind.CHART, link=link_in(each, "id"), description=description)
        elif name == "relIds":
            yield Shape(Kind.DIAGRAM, link=link_in(each, "dm"), description=description)
        elif name == "oleObj":
            yield from _embedded(each, description)


def _embedded(embedded: Element, description: str) -> Iterator[Shape]:
    program = one_line(attribute(embedded, "progId") or "")
    if _HOLDS_TEXT.fullmatch(program):
        role = f"an embedded document ({program})"
        yield Shape(Kind.UNREAD, role=role, description=description)
    elif description:
        yield Shape(Kind.PICTURE, description=description, area=0)


def link_in(element: Element, name: str) -> str:
    """The id of the relationship that an attribute such as `r:id` names; `id` alone is none."""
    found = (str(value) for key, value in element.attrib.items() if key.endswith(f"}}{name}"))
    return next(found, "")


def _description(shape: Element) -> str:
    properties = find(shape, "cNvPr")
    if properties is None:
        return ""
    return said_of(attribute(properties, "descr") or attribute(properties, "title") or "")
