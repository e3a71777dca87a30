"""Reads what people noted at the cells of an XLSX sheet: comments, and threads of them."""

import re
from collections.abc import Callable, Iterator

from gdrive_rag_mcp.errors import ExtractionError
from gdrive_rag_mcp.extraction.ooxml import Element, Package, attribute, child
from gdrive_rag_mcp.extraction.sheet.comment import Note, comment_text
from gdrive_rag_mcp.extraction.sheet.scan_xml import string_text
from gdrive_rag_mcp.extraction.sheet.values import column_number

_REFERENCE = re.compile(r"\$?([A-Z]{1,3})\$?(\d{1,7})$")
_STAND_IN = re.compile(r"\s*\[Threaded comment\]")
"""How Excel begins the comment that it leaves for older programs in place of a thread."""


def sheet_notes(package: Package, part: str, fail: Callable[[str], None]) -> list[Note]:
    """The comments of a worksheet in the order of their cells; damaged parts are told to `fail`."""
    people = _people(package)
    notes: list[Note] = []
    for link in package.relationships(part) if part in package else ():
        if link.kind not in ("comments", "threadedComment"):
            continue
        try:
            root = package.xml(link.target)
        except ExtractionError as error:
            fail(error.message)
        else:
            notes += _threads(root, people) if link.kind == "threadedComment" else _comments(root)
    return sorted(notes, key=lambda note: (note.row, note.column))


def _people(package: Package) -> dict[str, str]:
    try:
        root = package.xml("xl/persons/person.xml")
    except ExtractionError:
        return {}
    return {attribute(each, "id") or "": attribute(each, "displayName") or "" for each in root}


def _comments(root: Element) -> Iterator[Note]:
    authors = [each.text or "" for each in _children(root, "authors")]
    for comment in _children(root, "commentList"):
        found = child(comment, "text")
        text = "" if found is None else string_text(found)
        number = attribute(comment, "authorId") or ""
        known = number.isdecimal() and len(number) < len("12345") and int(number) < len(authors)
        if not _STAND_IN.match(text):
            yield from _note(comment, authors[int(number)] if known else "", text)


def _threads(root: Element, people: dict[str, str]) -> Iterator[Note]:
    for comment in root:
        author = people.get(attribute(comment, "personId") or "", "")
        text = child(comment, "text")
        yield from _note(comment, author, "" if text is None else text.text or "")


def _note(comment: Element, author: str, text: str) -> Iterator[Note]:
    place = _REFERENCE.match(attribute(comment, "ref") or "")
    said = comment_text(author, text)
    if place and said:
        yield Note(int(place[2]), column_number(place[1]), said)


def _children(root: Element, name: str) -> list[Element]:
    parent = child(root, name)
    return [] if parent is None else list(parent)
