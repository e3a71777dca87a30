"""Chunks as rows: how locators and headings are stored, and how a row becomes a passage."""

import json
from functools import lru_cache
from typing import Any

from gdrive_rag_mcp.domain import Locator, Passage
from gdrive_rag_mcp.store.documents import Texts, as_json, told
from gdrive_rag_mcp.store.scoping import read_time
from gdrive_rag_mcp.store.translation import decoding

# Documents have the same places, and a heading path has many chunks, one after the other.
_places = lru_cache(maxsize=2048)
_paths = lru_cache(maxsize=256)
PASSAGE_COLUMNS = """SELECT c.num, c.ordinal, c.start, c."end", c.locator, c.headings, c.context,
    c.hash, c.file, d.title, f.id, f.name, f.path, f.mime,
    f.url, f.modified_time, f.indexed_at, coalesce(f.revision, f.version), f.anchors
    FROM chunks c JOIN files f ON f.num = c.file JOIN documents d ON d.file = c.file"""


@_places
def stored_locator(locator: Locator) -> str:
    """A locator as JSON, without what it does not say."""
    return as_json(told(locator))


@_places
@decoding()
def read_locator(text: str) -> Locator:
    """A stored locator."""
    return Locator(**json.loads(text))


@_paths
def stored_headings(headings: tuple[str, ...]) -> str:
    """A heading path as JSON."""
    return as_json(headings)


@_paths
@decoding()
def read_headings(text: str) -> tuple[str, ...]:
    """A stored heading path."""
    return tuple(json.loads(text))


@decoding()
def read_passage(row: tuple[Any, ...], texts: Texts) -> Passage:
    """A row of `PASSAGE_COLUMNS` as a passage."""
    (_, ordinal, start, end, locator, headings, context, digest, file, title, document, name, path,
     mime, url, modified, indexed, revision, anchors) = row  # fmt: skip
    place = read_locator(locator)
    return Passage(
        chunk_id=f"{document}:{ordinal}:{digest[:8]}",
        document_id=document,
        title=title,
        name=name,
        path=path,
        mime_type=mime,
        text=texts.part(file, start, end),
        context=context,
        headings=read_headings(headings),
        start=start,
        end=end,
        locator=place,
        url=url,
        modified_time=read_time(modified),
        indexed_at=read_time(indexed),
        revision=revision,
        anchor=_anchor(anchors, place),
    )


def _anchor(stored: str | None, place: Locator) -> str | None:
    """How a source links to a place, if it was found out when the document was read."""
    if stored is None:
        return None
    anchors: dict[str, str] = json.loads(stored)
    named = (place.value, place.label)
    return next((found for name in named if (found := anchors.get(f"{place.kind}:{name}"))), None)
