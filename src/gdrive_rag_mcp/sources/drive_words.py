"""Labels of places as the extractors write them, and the parts of addresses that lead there."""

import re
from collections.abc import Iterable, Mapping

from gdrive_rag_mcp.cleaning import clean

_LABEL_LENGTH = 200
_FRAGMENT = re.compile(r"[A-Za-z0-9._~:-]{1,200}")


def one_line(label: str) -> str:
    """A label as it stands in a locator: clean, white space folded, bounded."""
    folded = " ".join(clean(label).split())
    return folded if len(folded) <= _LABEL_LENGTH else folded[: _LABEL_LENGTH - 1].rstrip() + "…"


def is_fragment(part: str) -> bool:
    """Whether an id can stand in an address as it is."""
    return _FRAGMENT.fullmatch(part) is not None


def unambiguous(places: Iterable[tuple[str, str]]) -> Mapping[str, str]:
    """Anchors by place; a place that stands for several, or for none, has no anchor.

    A wrong link is worse than none.
    """
    found: dict[str, str] = {}
    for place, anchor in places:
        found[place] = "" if place in found else anchor
    return {place: anchor for place, anchor in found.items() if anchor}
