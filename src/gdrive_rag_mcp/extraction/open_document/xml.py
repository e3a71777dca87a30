"""Opens an OpenDocument file (ODT, ODP) and reads what its kinds have in common: paragraphs.

Element names are local ones, as everywhere; what is read is OASIS OpenDocument 1.3, part 3.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property

from gdrive_rag_mcp.domain import Reason
from gdrive_rag_mcp.errors import ExtractionError
from gdrive_rag_mcp.extraction.building import one_line
from gdrive_rag_mcp.extraction.comments import tagged
from gdrive_rag_mcp.extraction.input_file import InputFile
from gdrive_rag_mcp.extraction.ooxml import (
    Element,
    Package,
    attribute,
    child,
    local_name,
    open_package,
    whole_number,
)

PARAGRAPHS = frozenset({"p", "h"})
# Deleted text waiting to be accepted, the small print over East Asian characters, a page's own
# number, and the scripts behind buttons. An unexpanded entity has no name.
SKIPPED = frozenset(
    {"tracked-changes", "deletion", "ruby-text", "page-number", "script", "event-listeners", ""}
)

_MANIFEST = "META-INF/manifest.xml"
# The document itself, or (since OpenDocument 1.4) the whole of it in one encrypted member.
_ENCRYPTED_PARTS = frozenset({"content.xml", "encrypted-package"})
_MAX_SPACES = 100
_WHITE = re.compile(r"[ \t\r\n]+")
_CHARACTERS: Mapping[str, str] = {"tab": "\t", "line-break": "\n"}
_NOTES = frozenset({"annotation", "note"})
_DRAWING = "{urn:oasis:names:tc:opendocument:xmlns:drawing:1.0}"

NoteMark = Callable[[Element], str]
"""Given a `text:note`, the mark that stands for it in the text."""


class OpenDocument:
    """An OpenDocument file, and the package to stream from what may be too large for a tree."""

    def __init__(self, package: Package) -> None:
        self.package = package

    @cached_property
    def content(self) -> Element:
        """The root of content.xml, without text that is formatted as hidden.

        Raises:
            ExtractionError: it is missing or damaged (`corrupt`), or built to exhaust.
        """
        root = self.package.xml("content.xml")
        _drop_hidden(root)
        return root

    @property
    def styles(self) -> Element | None:
        """The root of styles.xml; none when it is missing or damaged, as text does not need it."""
        return self._optional("styles.xml")

    def body(self, kind: str) -> Element:
        """What stands in `office:body`, such as `text` or `presentation`.

        Raises:
            ExtractionError: it is not there (`corrupt`).
        """
        found = child(self.content, "body", kind)
        if found is None:
            raise ExtractionError(
                Reason.CORRUPT, f"There is no {kind!r} in the body of the OpenDocument file"
            )
        return found

    def title(self) -> str:
        """The title among the file's properties, as the program left it."""
        found = child(self._optional("meta.xml"), "meta", "title")
        return "" if found is None else found.text or ""

    def _optional(self, part: str) -> Element | None:
        try:
            return self.package.xml(part)
        except ExtractionError:
            return None


def _drop_hidden(root: Element) -> None:
    """Empty the paragraphs and spans whose style shows nothing; what follows them stays."""
    hidden = {
        attribute(style, "name")
        for style in root.iter("{*}style")
        for properties in style
        if attribute(properties, "display") == "none"
    }
    if not hidden:
        return
    for each in list(root.iter("{*}p", "{*}h", "{*}span")):
        if attribute(each, "style-name") in hidden:
            tail = each.tail
            each.clear()
            each.tail = tail


@contextmanager
def open_document(file: InputFile) -> Iterator[OpenDocument]:
    """Open an OpenDocument file after looking its archive over.

    Raises:
        ExtractionError: the archive is refused, the document is encrypted or damaged.
    """
    with open_package(file) as package:
        check_encryption(package)
        yield OpenDocument(package)


def check_encryption(package: Package) -> None:
    """The manifest says how each member is encrypted; a damaged manifest says nothing."""
    try:
        entries = package.xml(_MANIFEST)
    except ExtractionError:
        return
    for entry in entries:
        name = attribute(entry, "full-path")
        if name in _ENCRYPTED_PARTS and child(entry, "encryption-data") is not None:
            raise ExtractionError(
                Reason.ENCRYPTED,
                "The OpenDocument file is protected by a password",
                hint="Save a copy without a password.",
            )


@dataclass(slots=True)
class Inline:
    """What a paragraph says, and what hangs on it in order: annotations, notes, drawings."""

    asides: list[Element] = field(default_factory=list)
    _pieces: list[str] = field(default_factory=list)
    _after_space: bool = True

    @property
    def text(self) -> str:
        return "".join(self._pieces).rstrip(" ")

    def add(self, raw: str | None) -> None:
        """Character data: a run of white space is one space, and none begins a paragraph."""
        text = _WHITE.sub(" ", raw or "")
        if self._after_space:
            text = text.removeprefix(" ")
        if text:
            self._pieces.append(text)
            self._after_space = text.endswith(" ")

    def add_as_it_is(self, text: str) -> None:
        """What an element stands for, such as spaces that are to be kept."""
        if text:
            self._pieces.append(text)
            self._after_space = False


def inline(paragraph: Element, mark: NoteMark | None = None) -> Inline:
    """Collect the text of a `text:p` or `text:h` in reading order; deletions are left out."""
    found = Inline()
    _collect(paragraph, mark, found)
    return found


def _collect(element: Element, mark: NoteMark | None, found: Inline) -> None:
    found.add(element.text)
    for each in element:
        name = local_name(each)
        if name in _CHARACTERS:
            found.add_as_it_is(_CHARACTERS[name])
        elif name == "s":
            found.add_as_it_is(" " * whole_number(attribute(each, "c"), 1, _MAX_SPACES))
        elif is_aside(each):
            if mark is not None and name == "note":
                found.add_as_it_is(mark(each))
            found.asides.append(each)
        elif name not in SKIPPED:
            _collect(each, mark, found)
        found.add(each.tail)


def is_aside(element: Element) -> bool:
    """Whether an element hangs on the text around it: a note, a comment, anything drawn."""
    return local_name(element) in _NOTES or is_drawn(element)


def is_drawn(element: Element) -> bool:
    """Whether an element is a frame, a shape or a group of these."""
    return isinstance(element.tag, str) and element.tag.startswith(_DRAWING)


def paragraphs(element: Element) -> Iterator[Element]:
    """Every paragraph and heading below, also in lists, sections and tables; not within asides."""
    for each in element:
        name = local_name(each)
        if name in PARAGRAPHS:
            yield each
        elif name not in SKIPPED and not is_aside(each):
            yield from paragraphs(each)


def flat_text(element: Element) -> str:
    """The paragraphs below an element in one line, without what hangs on them."""
    lines = (" ".join(inline(each).text.split()) for each in paragraphs(element))
    return " ".join(filter(None, lines))


def annotation_text(annotation: Element) -> str:
    """A comment tagged with its author, such as `[Comment by Kim] Too long?`; "" when it is blank.

    Its paragraphs are joined to one line.
    """
    text = flat_text(annotation)
    creator = child(annotation, "creator")
    author = one_line("" if creator is None else creator.text or "")
    if not text:
        return ""
    return tagged(text, author)
