"""What styles say of the pages of an OpenDocument deck: their size, and which are hidden."""

from collections.abc import Iterator

from gdrive_rag_mcp.extraction.ooxml import Element, attribute, child, local_name
from gdrive_rag_mcp.extraction.open_document.slides_shapes import area_of
from gdrive_rag_mcp.extraction.open_document.xml import OpenDocument

_PAGES = "drawing-page"


class PageStyles:
    """Looks up what the style and the master of a page say."""

    def __init__(self, document: OpenDocument) -> None:
        styles = document.styles
        self._pages = {
            attribute(style, "name") or "": style
            for part in (styles, document.content)
            for style in _within(part, ("styles", "automatic-styles"), "style")
            if attribute(style, "family") == _PAGES
        }
        layouts = {
            attribute(layout, "name"): child(layout, "page-layout-properties")
            for layout in _within(styles, ("automatic-styles",), "page-layout")
        }
        self._areas = {
            attribute(master, "name"): _area(layouts.get(attribute(master, "page-layout-name")))
            for master in _within(styles, ("master-styles",), "master-page")
        }

    def is_hidden(self, page: Element) -> bool:
        """Whether a page is passed over when the deck is shown; its style inherits from others."""
        said = attribute(page, "visibility")
        name = attribute(page, "style-name")
        seen: set[str] = set()
        while said is None and name is not None and name in self._pages and name not in seen:
            seen.add(name)
            style = self._pages[name]
            properties = child(style, "drawing-page-properties")
            said = None if properties is None else attribute(properties, "visibility")
            name = attribute(style, "parent-style-name")
        return said == "hidden"

    def area(self, page: Element) -> int:
        """The area of a page in square EMU; 0 when it is not said."""
        return self._areas.get(attribute(page, "master-page-name")) or 0


def _area(properties: Element | None) -> int | None:
    if properties is None:
        return None
    return area_of(attribute(properties, "page-width"), attribute(properties, "page-height"))


def _within(root: Element | None, groups: tuple[str, ...], name: str) -> Iterator[Element]:
    for group in () if root is None else root:
        if local_name(group) in groups:
            yield from (each for each in group if local_name(each) == name)
