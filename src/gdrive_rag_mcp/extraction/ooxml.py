"""Opens the parts of an Office file as XML that can neither reach out nor blow up."""

from __future__ import annotations

import posixpath
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias

from lxml import etree

from gdrive_rag_mcp.domain import Reason
from gdrive_rag_mcp.errors import ExtractionError
from gdrive_rag_mcp.extraction.archives import check_archive, open_archive
from gdrive_rag_mcp.extraction.input_file import InputFile

_MAX_DIGITS = 9
_CONTENT_TYPES = "[Content_Types].xml"

Element: TypeAlias = Any
"""An lxml element; lxml has no types of its own."""

# Entities stay unexpanded, nothing is fetched, and libxml2's limits on depth and size hold.
XML_LIMITS: Mapping[str, bool] = {
    "resolve_entities": False,
    "no_network": True,
    "load_dtd": False,
    "huge_tree": False,
    "remove_comments": True,
    "remove_pis": True,
}


@dataclass(frozen=True, slots=True)
class Relationship:
    """A link from one part to another; `kind` is the last word of its type's address."""

    id: str
    kind: str
    target: str


class Package:
    """An Office file: parts by name, and the links between them."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self._names = frozenset(archive.namelist())

    def __contains__(self, part: str) -> bool:
        return part in self._names

    def xml(self, part: str) -> Element:
        """Parse a part.

        Raises:
            ExtractionError: it is missing or no well-formed XML (`corrupt`), or built to exhaust.
        """
        with xml_errors(part):
            return etree.fromstring(self.read(part), etree.XMLParser(**XML_LIMITS))

    def read(self, part: str) -> bytes:
        """A part as it is.

        Raises:
            ExtractionError: it is missing (`corrupt`).
        """
        self._expect(part)
        return self._archive.read(part)

    def stream(self, part: str, *tags: str) -> Iterator[Element]:
        """Yield the elements with these local names as they end; the caller clears them.

        Raises:
            ExtractionError: as for `xml`.
        """
        self._expect(part)
        with xml_errors(part), self._archive.open(part) as file:
            names = [f"{{*}}{tag}" for tag in tags]
            for _, element in etree.iterparse(file, events=("end",), tag=names, **XML_LIMITS):
                yield element

    def main_part(self) -> str:
        """The part that the package itself points to, such as `word/document.xml`."""
        targets = [each.target for each in self.relationships("") if each.kind == "officeDocument"]
        return targets[0] if targets and targets[0] in self._names else ""

    def relationships(self, part: str) -> tuple[Relationship, ...]:
        """The links from a part to other parts of the file (`""`: from the package)."""
        folder, name = posixpath.split(part)
        links = posixpath.join(folder, "_rels", f"{name}.rels")
        if links not in self._names:
            return ()
        return tuple(
            Relationship(
                link.get("Id", ""),
                link.get("Type", "").rpartition("/")[2],
                posixpath.normpath(posixpath.join("/", folder, link.get("Target", "")))[1:],
            )
            for link in self.xml(links)
            if local_name(link) == "Relationship" and link.get("TargetMode") != "External"
        )

    def media_type(self, part: str) -> str:
        """What the file itself says that a part is: by its name, else by what its name ends in."""
        if _CONTENT_TYPES not in self._names:
            return ""
        ending = posixpath.splitext(part)[1][1:].lower()
        by_ending = ""
        for each in self.xml(_CONTENT_TYPES):
            if each.get("PartName", "").lower() == f"/{part}".lower():
                return str(each.get("ContentType", ""))
            if each.get("Extension", "").lower() == ending != "":
                by_ending = each.get("ContentType", "")
        return by_ending

    def title(self) -> str:
        """The title among the file's properties, as the program left it."""
        if "docProps/core.xml" not in self._names:
            return ""
        try:
            properties = self.xml("docProps/core.xml")
        except ExtractionError:
            return ""
        return next((each.text or "" for each in properties if local_name(each) == "title"), "")

    def _expect(self, part: str) -> None:
        if part not in self._names:
            raise ExtractionError(Reason.CORRUPT, f"The part {part!r} of the file is missing")


@contextmanager
def open_package(file: InputFile) -> Iterator[Package]:
    """Open an Office file after looking its archive over.

    Raises:
        ExtractionError: the archive is refused, or what is read inside the block is damaged.
    """
    check_archive(file)
    with open_archive(file) as archive:
        yield Package(archive)


@contextmanager
def xml_errors(part: str) -> Iterator[None]:
    """Turn what lxml says of a part into ours."""
    try:
        yield
    except etree.XMLSyntaxError as error:
        if error.code == etree.ErrorTypes.ERR_NO_MEMORY:
            raise MemoryError from error
        if error.code == etree.ErrorTypes.ERR_RESOURCE_LIMIT:
            raise ExtractionError(
                Reason.RESOURCE_LIMIT, f"The part {part!r} is nested too deeply or too long"
            ) from error
        raise ExtractionError(
            Reason.CORRUPT, f"The part {part!r} of the file is damaged: {error.msg}"
        ) from error


def local_name(element: Element) -> str:
    """The name without its namespace, so that transitional and strict files read alike.

    Entities that were left unexpanded have no name.
    """
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def attribute(element: Element, name: str) -> str | None:
    """An attribute by its local name, whatever its namespace."""
    for key, value in element.attrib.items():
        if key.rpartition("}")[2] == name:
            return str(value)
    return None


def child(element: Element | None, *path: str) -> Element | None:
    """The first descendant along a path of local names."""
    for name in path:
        if element is None:
            return None
        element = next((each for each in element if local_name(each) == name), None)
    return element


def whole_number(raw: str | None, otherwise: int, largest: int) -> int:
    """A count from an attribute; what is none, or absurdly long, is taken for `otherwise`."""
    if raw and raw.isdecimal() and len(raw) <= _MAX_DIGITS:
        return min(int(raw), largest)
    return otherwise


def value(element: Element | None, *path: str) -> str | None:
    """The `val` attribute of the element at the end of a path, which is where Word keeps values."""
    found = child(element, *path)
    return None if found is None else attribute(found, "val")
