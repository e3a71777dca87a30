"""Addresses that open a document at the place that is cited, where its format can do that."""

import re
from urllib.parse import urlsplit, urlunsplit

from gdrive_rag_mcp.domain import Locator

_SCHEMES = ("http://", "https://", "file:")
_ANCHOR = re.compile(r"[a-z]+=[A-Za-z0-9._~:-]+(?:&[a-z]+=[A-Za-z0-9._~:-]+)*")
_CELLS = re.compile(r"[A-Z]{1,3}[0-9]{1,7}(?::[A-Z]{1,3}[0-9]{1,7})?")


def deep_link(
    url: str | None, mime_type: str, locator: Locator, anchor: str | None = None
) -> str | None:
    """The document's address, opened at the place; the address alone where that is not possible.

    `anchor` is the source's own way to the place, such as `tab=t.0&heading=h.x`, `gid=7` or
    `slide=id.p3`; for a page of a PDF file the format has one (RFC 8118: `#page=N`).
    """
    if url is None or not url.startswith(_SCHEMES) or "#" in url:
        return url
    if anchor:
        return _anchored(url, locator, anchor) if _ANCHOR.fullmatch(anchor) else url
    if mime_type == "application/pdf" and locator.kind == "page" and locator.first is not None:
        return f"{url}#page={locator.first}"
    return url


def _anchored(url: str, locator: Locator, anchor: str) -> str:
    """A document's tab belongs into the query, everything else behind the `#`."""
    pairs = anchor.split("&")
    tabs = [pair for pair in pairs if pair.startswith("tab=")]
    places = [pair for pair in pairs if not pair.startswith("tab=")]
    cells = _cells(locator)
    if cells and anchor.startswith("gid="):
        places.append(f"range={cells}")
    parts = urlsplit(url)
    query = parts.query
    if tabs:
        kept = [pair for pair in query.split("&") if pair and not pair.startswith("tab=")]
        query = "&".join([*kept, *tabs])
    return urlunsplit((parts.scheme, parts.netloc, parts.path, query, "&".join(places)))


def _cells(locator: Locator) -> str | None:
    """The range in a sheet's locator, whose name may hold anything, `!` too."""
    if locator.kind != "sheet":
        return None
    sheet = locator.value.rpartition("!")[0] if locator.label is None else locator.label
    cells = locator.value.removeprefix(f"{sheet}!")
    return cells if _CELLS.fullmatch(cells) and cells != locator.value else None
