"""What an element of a page is to a reader: its kind, whether it shows, and the walk over all."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from selectolax.lexbor import LexborNode

from gdrive_rag_mcp.extraction.web.markup import LINK

Node: TypeAlias = LexborNode
TEXT = "-text"
NOTHING = ""
"""The kind of what no reader sees."""

# Not shown, or told apart from the text: deletions, readings beside ideographs, what stands in for
# films and sounds, annotations to formulas.
_ABSENT = frozenset(
    {
        *("head", "script", "style", "template", "noscript", "iframe", "noembed", "noframes"),
        *("del", "rt", "rp", "rtc", "audio", "video", "canvas", "datalist", "annotation"),
        *("annotation-xml", "defs", "symbol", "metadata", "param", "-comment", "!doctype"),
    }
)
BLOCKS = frozenset(
    {
        *("html", "body", "address", "article", "aside", "blockquote", "center", "details"),
        *("dialog", "dir", "div", "dl", "dd", "dt", "fieldset", "figcaption", "figure", "footer"),
        *("form", "frameset", "header", "hgroup", "hr", "legend", "li", "main", "menu", "nav"),
        *("ol", "p", "pre", "section", "search", "summary", "table", "caption", "tbody", "thead"),
        *("tfoot", "tr", "td", "th", "ul", "h1", "h2", "h3", "h4", "h5", "h6", "desc"),
    }
)
HEADINGS = {f"h{level}": level for level in range(1, 7)}
_ROLES: Mapping[str, str] = {
    "table": "table",
    "grid": "table",
    "rowgroup": "tbody",
    "row": "tr",
    "cell": "td",
    "gridcell": "td",
    "columnheader": "th",
    "rowheader": "th",
    "list": "ul",
    "listitem": "li",
    "navigation": "nav",
    "contentinfo": "footer",
    "complementary": "aside",
}
# LaTeXML makes tables within paragraphs of spans.
_CLASSES: Mapping[str, str] = {
    "ltx_tabular": "table",
    "ltx_thead": "thead",
    "ltx_tbody": "tbody",
    "ltx_tr": "tr",
    "ltx_th": "th",
    "ltx_td": "td",
}
_RENAMED: Mapping[str, str] = {LINK: "a", "listing": "pre", "xmp": "pre", "plaintext": "pre"}
_OTHERWISE_NAMED = frozenset({"div", "span", "p", "section", "ul", "ol", "li"})
_INVISIBLE = re.compile(
    r"(?i)(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse))"
)
_AS_BLOCK = re.compile(r"(?i)(?:^|[;\s])display\s*:\s*(?:block|flex|grid|list-item|table(?!-c))")
_SHOWN_AS_BLOCK = "-block"
_RANK = re.compile("[1-9]")
_LOWEST = 6


def kind_of(node: Node, *, show_aria_hidden: bool = False) -> str:
    """What a reader sees in an element: a tag's name, of the tag it acts as, or `NOTHING`."""
    tag = node.tag or ""
    if tag in _ABSENT or tag == TEXT:
        return tag if tag == TEXT else NOTHING
    tag = _RENAMED.get(tag, tag)
    attributes = node.attributes
    if tag == "dialog" and "open" not in attributes:
        return NOTHING
    if not attributes:
        return tag
    # A picture that is not read out, as its formula is, can still be seen.
    if _is_hidden(attributes, show_aria_hidden=show_aria_hidden or tag == "img"):
        return NOTHING
    return _acting_as(tag, attributes)


def is_block(kind: str) -> bool:
    """Whether it begins and ends a line of its own."""
    return kind in BLOCKS or kind == _SHOWN_AS_BLOCK


def walk(root: Node, enters: Callable[[Node], bool]) -> Iterator[Node]:
    """Go through all below a node in order; yields the nodes that were entered, as they end.

    `enters` is told of every node as it begins, and says whether to go inside.
    """
    open_nodes: list[Node] = []
    node = root.first_child
    while True:
        if node is not None:
            if enters(node):
                open_nodes.append(node)
                node = node.first_child
            else:
                node = node.next
        elif open_nodes:
            node = open_nodes.pop()
            yield node
            node = node.next
        else:
            return


def children(node: Node) -> Iterator[Node]:
    """The nodes directly below."""
    child = node.first_child
    while child is not None:
        yield child
        child = child.next


def text_of(node: Node) -> str:
    """What a text node says."""
    return node.text_content or ""


def number_in(attributes: Mapping[str, str | None], name: str, otherwise: int) -> int:
    """A whole number among the attributes."""
    raw = (attributes.get(name) or "").strip()
    is_number = raw.isascii() and raw.isdigit() and len(raw) < _LOWEST
    return int(raw) if is_number else otherwise


def _is_hidden(attributes: Mapping[str, str | None], *, show_aria_hidden: bool) -> bool:
    if "hidden" in attributes and attributes["hidden"] != "until-found":
        return True
    if attributes.get("aria-hidden") == "true" and not show_aria_hidden:
        return True
    return bool(_INVISIBLE.search(attributes.get("style") or ""))


def _acting_as(tag: str, attributes: Mapping[str, str | None]) -> str:
    role = attributes.get("role") or ""
    if role in {"presentation", "none"} and tag == "table":
        return "div"
    if tag not in _OTHERWISE_NAMED:
        return tag
    if role == "heading":
        rank = _RANK.fullmatch(attributes.get("aria-level") or "2")
        return f"h{min(int(rank[0]), _LOWEST)}" if rank else "h2"
    if role in _ROLES:
        return _ROLES[role]
    if tag == "span":
        return _span(attributes)
    return tag


def _span(attributes: Mapping[str, str | None]) -> str:
    names = (attributes.get("class") or "").split()
    # A header cell carries the class of a cell, too.
    found = next((_CLASSES[name] for name in reversed(names) if name in _CLASSES), None)
    if found:
        return "th" if "ltx_th" in names else found
    return _SHOWN_AS_BLOCK if _AS_BLOCK.search(attributes.get("style") or "") else "span"
