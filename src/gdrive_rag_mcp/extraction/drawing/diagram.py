"""The text of a SmartArt diagram, from its data: a graph of points."""

from collections.abc import Iterator, Mapping

from gdrive_rag_mcp.extraction.drawing.text import flat_text
from gdrive_rag_mcp.extraction.ooxml import Element, attribute, child, local_name, whole_number

_MAX_ORDER = 1_000_000


def read_points(model: Element) -> Iterator[str]:
    """What the points say, each in one line: a parent before its children, these in their order.

    Points that no other leads to come last; points of the presentation repeat others.
    """
    points = {attribute(each, "modelId") or "": each for each in _list(model, "ptLst", "pt")}
    below = _below(model)
    roots = [key for key, point in points.items() if attribute(point, "type") == "doc"]
    seen: set[str] = set()
    for start in (*roots, *points):
        waiting = [start]
        while waiting:
            key = waiting.pop()
            if key in seen or key not in points:
                continue
            seen.add(key)
            waiting += reversed(below.get(key, ()))
            if attribute(points[key], "type") != "pres" and (text := _said(points[key])):
                yield text


def _said(point: Element) -> str:
    return flat_text(child(point, "t"))


def _below(model: Element) -> Mapping[str, list[str]]:
    """The children of each point; a connection of no type is one between parent and child."""
    ordered: dict[str, list[tuple[int, str]]] = {}
    for each in _list(model, "cxnLst", "cxn"):
        if attribute(each, "type") in (None, "parOf"):
            order = whole_number(attribute(each, "srcOrd"), _MAX_ORDER, _MAX_ORDER)
            parent, point = attribute(each, "srcId") or "", attribute(each, "destId") or ""
            ordered.setdefault(parent, []).append((order, point))
    return {parent: [point for _, point in sorted(found)] for parent, found in ordered.items()}


def _list(model: Element, name: str, item: str) -> Iterator[Element]:
    found = child(model, name)
    return iter(()) if found is None else (each for each in found if local_name(each) == item)
