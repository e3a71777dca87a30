"""The headings of a Google document, with the paths that its exported text gives them.

A path is built as the reader of Word files builds it, since that is what a citation says.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from gdrive_rag_mcp.sources.drive_fields import number, objects, part, text
from gdrive_rag_mcp.sources.drive_words import is_fragment, one_line

_PARAGRAPH = (
    "paragraph(elements(textRun(content,suggestedDeletionIds),richLink(richLinkProperties(title)),"
    "person(personProperties(name,email)),dateElement(dateElementProperties(displayText)),"
    "footnoteReference(footnoteNumber)),paragraphStyle(namedStyleType,headingId))"
)
_CONTENT = f"content({_PARAGRAPH},table(columns,tableRows(tableCells(content({_PARAGRAPH})))))"
_TAB = f"tabProperties(tabId),documentTab(body({_CONTENT}))"
FIELDS = f"tabs({_TAB},childTabs({_TAB},childTabs({_TAB})))"
"""What is asked of a document; tabs can be nested three deep."""

_HEADING_STYLES: Mapping[str, int] = {f"HEADING_{level}": level for level in range(1, 7)}


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading with those above it, itself the last; the anchor is empty where it has no id."""

    path: tuple[str, ...]
    anchor: str


def headings(document: Mapping[str, Any]) -> list[Heading]:
    """All headings in the order of the export: tab by tab."""
    found: list[Heading] = []
    path: list[tuple[int, str]] = []
    for tab in _tabs(document, "tabs"):
        tab_id = text(part(tab, "tabProperties"), "tabId") or ""
        for paragraph in _paragraphs(part(part(tab, "documentTab"), "body")):
            style = part(paragraph, "paragraphStyle")
            level = _HEADING_STYLES.get(text(style, "namedStyleType") or "")
            label = one_line(_words(paragraph))
            if level is None or not label:
                continue
            path = [(rank, above) for rank, above in path if rank < level] + [(level, label)]
            anchor = _anchor(tab_id, text(style, "headingId") or "")
            found.append(Heading(tuple(above for _, above in path), anchor))
    return found


def _anchor(tab_id: str, heading_id: str) -> str:
    if not is_fragment(tab_id) or not is_fragment(heading_id):
        return ""
    return f"tab={tab_id}&heading={heading_id}"


def _tabs(item: Mapping[str, Any], name: str) -> Iterator[Mapping[str, Any]]:
    """All tabs, each before the tabs inside it."""
    for tab in objects(item, name):
        yield tab
        yield from _tabs(tab, "childTabs")


def _paragraphs(holder: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The paragraphs that structure a text; a table of one column is a frame around it."""
    for element in objects(holder, "content"):
        paragraph, table = part(element, "paragraph"), part(element, "table")
        if paragraph:
            yield paragraph
        if number(table, "columns") == 1:
            for row in objects(table, "tableRows"):
                for cell in objects(row, "tableCells"):
                    yield from _paragraphs(cell)


def _words(paragraph: Mapping[str, Any]) -> str:
    return "".join(_said(element) for element in objects(paragraph, "elements"))


def _said(element: Mapping[str, Any]) -> str:
    """The text of a run, or what is shown for a chip or a note."""
    run = part(element, "textRun")
    if run:
        return "" if run.get("suggestedDeletionIds") else text(run, "content") or ""
    note = text(part(element, "footnoteReference"), "footnoteNumber")
    if note:
        return f"[^{note}]"
    person = part(part(element, "person"), "personProperties")
    return (
        text(part(part(element, "richLink"), "richLinkProperties"), "title")
        or text(part(part(element, "dateElement"), "dateElementProperties"), "displayText")
        or text(person, "name")
        or text(person, "email")
        or ""
    )
