"""What an EPUB says of itself: its title, its chapters in reading order, and their names."""

import posixpath
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote

from gdrive_rag_mcp.domain import Reason
from gdrive_rag_mcp.errors import ExtractionError
from gdrive_rag_mcp.extraction.building import one_line
from gdrive_rag_mcp.extraction.ooxml import Element, Package, attribute, child, local_name
from gdrive_rag_mcp.extraction.titles import sensible_title
from gdrive_rag_mcp.extraction.web.charset import decode
from gdrive_rag_mcp.extraction.web.inline import flat_text
from gdrive_rag_mcp.extraction.web.markup import LINK
from gdrive_rag_mcp.extraction.web.page import Page

_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
_RIGHTS = "META-INF/rights.xml"
# How fonts are scrambled, which concerns no text (EPUB 3.3, section 4.4, and Adobe's older way).
_FONTS_ONLY = frozenset({"http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#rc"})
_PAGES = frozenset({"application/xhtml+xml", "text/html", "text/x-oeb1-document", "image/svg+xml"})
_CONTENTS = "application/x-dtbncx+xml"


@dataclass(frozen=True, slots=True)
class Item:
    """A member of the archive that the book lists."""

    name: str
    media_type: str
    is_contents: bool


class BookPackage:
    """An EPUB's archive and its package document."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self._parts = Package(archive)
        self._refuse_protected()
        self._name = self._package_name()
        self._package = self._parts.xml(self._name)
        self._items = dict(self._listed())

    def title(self) -> str:
        """The title among the book's metadata."""
        metadata = child(self._package, "metadata")
        names = () if metadata is None else metadata
        found = (each.text for each in names if local_name(each) == "title")
        return next(filter(None, map(sensible_title, found)), "")

    def chapters(self) -> list[str]:
        """Pages in reading order, then those beside the main line, the contents at the latest."""
        references = [each for each in self._spine() if local_name(each) == "itemref"]
        main = [each for each in references if attribute(each, "linear") != "no"]
        aside = [each for each in references if attribute(each, "linear") == "no"]
        listed = (self._items.get(attribute(each, "idref") or "") for each in main + aside)
        names = [each.name for each in listed if each and each.media_type in _PAGES]
        contents = [each.name for each in self._items.values() if each.is_contents]
        return list(dict.fromkeys(names + contents))

    def titles(self) -> dict[str, str]:
        """What the table of contents calls the pages; damage to it costs no text: let pass."""
        found: dict[str, str] = {}
        for item in self._items.values():
            try:
                if item.is_contents:
                    entries = self._entries_of_page(item.name)
                elif item.media_type == _CONTENTS:
                    entries = self._entries_of_ncx(item.name)
                else:
                    continue
                for name, title in entries:
                    found.setdefault(name, title)
            except ExtractionError:
                continue
        return found

    def page(self, name: str) -> tuple[Page, tuple[str, ...]]:
        """A page by its member's name, and what was lost in decoding it.

        Raises:
            ExtractionError: it is missing, damaged, or no text.
        """
        try:
            content = self._archive.read(name)
        except KeyError:
            raise ExtractionError(Reason.CORRUPT, f"The chapter {name} is missing") from None
        except (zipfile.BadZipFile, zlib.error, EOFError) as error:
            raise ExtractionError(Reason.CORRUPT, f"The chapter {name} is damaged") from error
        markup, losses = decode(content)
        return Page(markup, xml=True), losses

    # ── the package document ─────────────────────────────────────────────────

    def _refuse_protected(self) -> None:
        protected = _RIGHTS in self._parts
        if _ENCRYPTION in self._parts:
            methods = self._parts.xml(_ENCRYPTION).iter("{*}EncryptionMethod")
            algorithms = {(attribute(each, "Algorithm") or "").lower() for each in methods}
            protected = protected or not algorithms <= _FONTS_ONLY
        if protected:
            raise ExtractionError(
                Reason.ENCRYPTED,
                "The book is protected against reading by other programs (DRM)",
                hint="Put a copy without protection in its place.",
            )

    def _package_name(self) -> str:
        roots = self._parts.xml(_CONTAINER).iter("{*}rootfile")
        names = [attribute(each, "full-path") or "" for each in roots]
        found = next((name for name in names if name in self._parts), None)
        if found is None:
            raise ExtractionError(Reason.CORRUPT, "The book's package document is missing")
        return found

    def _listed(self) -> Iterator[tuple[str, Item]]:
        manifest = child(self._package, "manifest")
        for each in () if manifest is None else manifest:
            reference = attribute(each, "href") or ""
            properties = (attribute(each, "properties") or "").split()
            media_type = (attribute(each, "media-type") or "").lower()
            item = Item(self._resolve(self._name, reference), media_type, "nav" in properties)
            yield attribute(each, "id") or reference, item

    def _spine(self) -> Element:
        spine = child(self._package, "spine")
        return () if spine is None else spine

    def _resolve(self, base: str, reference: str) -> str:
        """The member that a reference within another one means."""
        path = reference.partition("#")[0]
        folder = posixpath.dirname(base)
        plain, unquoted = (
            posixpath.normpath(posixpath.join("/", folder, each))[1:]
            for each in (path, unquote(path))
        )
        return plain if plain in self._parts else unquoted

    # ── tables of contents ───────────────────────────────────────────────────

    def _entries_of_page(self, name: str) -> Iterator[tuple[str, str]]:
        page, _ = self.page(name)
        for link in page.all(f"nav {LINK}"):
            reference = link.attributes.get("href")
            if reference:
                yield self._resolve(name, reference), one_line(flat_text(link))

    def _entries_of_ncx(self, name: str) -> Iterator[tuple[str, str]]:
        for point in self._parts.xml(name).iter("{*}navPoint"):
            content, text = child(point, "content"), child(point, "navLabel", "text")
            if content is not None and text is not None:
                reference = attribute(content, "src") or ""
                yield self._resolve(name, reference), one_line(text.text or "")
