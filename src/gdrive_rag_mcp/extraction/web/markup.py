"""Tames the markup of a page before a parser sees it: depth, attributes, and what never is text.

A parser for HTML5 follows rules that cost the square of the depth and of the attributes: 200,000
nested elements, or as many attributes in one tag, keep it busy for half a minute. Tags are taken
out or renamed here, in one pass over the text; the text between them stays as it is, so that
whatever this pass may misjudge costs time at worst. Elements that XML closes at once (`<a/>`), of
which HTML knows nothing, get an end tag.
"""

import html
import re
from collections import Counter
from dataclasses import dataclass, field

from gdrive_rag_mcp.domain import Reason
from gdrive_rag_mcp.errors import ExtractionError

MAX_TAGS = 2_000_000
MAX_DEPTH = 256
"""Elements deeper than this are laid flat; browsers draw such a line at 512."""
LINK = "x-a"
"""Links by another name, under which they do not take part in repairing misnested markup."""

_LONG_ATTRIBUTES = 1_000
_XML = re.compile(r"[\ufeff\s]*<\?xml\b")
_SUBSET = re.compile(r"<!DOCTYPE[^>\[]{0,1000}\[", re.IGNORECASE)
_SUBSET_END = re.compile(r"\]\s*>")
_PROLOGUE = 2_000
_TOKEN = re.compile(
    r"<(?:"
    r"!--(?:-?>|.*?(?:--!?>|\Z))"
    r"|!\[CDATA\[(?P<cdata>.*?)(?:\]\]>|\Z)"
    r"|[!?][^>]*+(?:>|\Z)"
    r"|(?P<end>/?)(?P<name>[a-zA-Z][^\s/>]*+)"
    r"(?P<attributes>[^>=]*+(?:=\s*+(?:\"[^\"]*+\"|'[^']*+')?+[^>=]*+)*+)(?:>|\Z)"
    r")",
    re.DOTALL,
)
_KEPT_ATTRIBUTE = re.compile(
    r"(?i)(?<![\w-])(hidden|aria-hidden|aria-level|role|style|class|alt|colspan|rowspan|type|value"
    r"|start|reversed|open|checked)(?:\s*=\s*(\"[^\"]*\"|'[^']*'|[^\s>\"']+))?(?![\w-])"
)
# What browsers do not show as text, whatever it holds. Without an end it reaches to the page's end.
_NEVER_TEXT = frozenset({"script", "style"})
_NEVER_TEXT_IF_CLOSED = frozenset({"noscript", "iframe", "noembed", "noframes"})
_PLAIN_INSIDE = frozenset({"title", "textarea", "xmp"})
_RAW = _NEVER_TEXT | _NEVER_TEXT_IF_CLOSED | _PLAIN_INSIDE
# Elements that a parser opens anew in every paragraph until they are closed.
_FORMATTING = frozenset(
    {"b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u"}
)
_ROOTS = frozenset({"html", "body"})
_VOID = frozenset(
    {
        *("area", "base", "basefont", "bgsound", "br", "col", "embed", "frame", "hr", "img"),
        *("input", "keygen", "link", "meta", "param", "source", "track", "wbr"),
    }
)
# Elements that the next of their kind closes, and that therefore cannot nest on their own.
_SELF_ENDING = frozenset(
    {
        *("html", "head", "body", "p", "li", "dt", "dd", "option", "tr", "td", "th", "tbody"),
        *("thead", "tfoot", "caption", "colgroup"),
    }
)
# No end tag inside one of these closes an element outside of it.
_WALLS = frozenset({"table", "template", "object", "marquee", "applet", "svg", "math"})
_FOREIGN = frozenset({"svg", "math"})
_INLINE = frozenset({"span", LINK, "label", "abbr", "cite", "q", "sub", "sup", "mark", "bdi"})


def tame(markup: str, *, xml: bool = False) -> str:
    """Markup that any parser gets through quickly and that says the same; `xml` as for XHTML.

    Raises:
        ExtractionError: there are too many tags (`resource_limit`).
    """
    return _Tamer(_without_subset(markup), xml=xml or bool(_XML.match(markup))).run()


def _without_subset(markup: str) -> str:
    """Drop what a document type declares within itself: entities, which are not expanded."""
    start = _SUBSET.search(markup, 0, _PROLOGUE)
    end = _SUBSET_END.search(markup, start.end()) if start else None
    return markup[: start.start()] + markup[end.end() :] if start and end else markup


@dataclass(slots=True)
class _Room:
    """What is open inside one wall."""

    wall: str
    open: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)


class _Tamer:
    """Goes through the tags once, knowing which elements are open."""

    def __init__(self, markup: str, *, xml: bool) -> None:
        self._markup = markup
        self._xml = xml
        self._out: list[str] = []
        self._rooms = [_Room("")]
        self._walls = Counter[str]()
        self._depth = 0
        self._too_deep = Counter[str]()
        self._unclosed: set[str] = set()

    def run(self) -> str:
        at = tags = 0
        while token := _TOKEN.search(self._markup, at):
            tags += 1
            if tags > MAX_TAGS:
                raise ExtractionError(
                    Reason.RESOURCE_LIMIT, f"The page has more than {MAX_TAGS:,} tags"
                )
            self._out.append(self._markup[at : token.start()])
            at = self._take(token)
        self._out.append(self._markup[at:])
        return "".join(self._out)

    def _take(self, token: re.Match[str]) -> int:
        """Write what stands for a token; returns where to go on."""
        if token["name"] is None:
            self._out.append(html.escape(token["cdata"] or "", quote=False))
            return token.end()
        name = token["name"].lower()
        if token["end"]:
            self._close(_renamed(name))
            return token.end()
        attributes = token["attributes"]
        if name in _RAW and not (self._xml and attributes.endswith("/")):
            return self._take_raw(token, name)
        self._open(_renamed(name), attributes)
        return token.end()

    def _take_raw(self, token: re.Match[str], name: str) -> int:
        """An element whose content is not markup; without an end only its tag is passed over."""
        end = self._end_of_raw(name, token.end())
        if end is None:
            return len(self._markup) if name in _NEVER_TEXT else token.end()
        if name in _PLAIN_INSIDE:
            self._out.append(self._tag(name, token["attributes"]))
            self._out.append(self._markup[token.end() : end.end()] + ">")
        closing = self._markup.find(">", end.end())
        return len(self._markup) if closing < 0 else closing + 1

    def _end_of_raw(self, name: str, start: int) -> re.Match[str] | None:
        if name in self._unclosed:
            return None
        end = re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE).search(self._markup, start)
        if end is None:
            self._unclosed.add(name)
        return end

    # ── elements ─────────────────────────────────────────────────────────────

    def _open(self, name: str, attributes: str) -> None:
        if name in _VOID:
            self._out.append(self._tag(name, attributes))
            return
        if attributes.endswith("/") and (self._xml or self._rooms[-1].wall in _FOREIGN):
            self._out.append(f"{self._tag(name, attributes[:-1])}</{name}>")
            return
        if name in _SELF_ENDING:
            self._out.append(self._tag(name, attributes))
            return
        if self._depth >= MAX_DEPTH:
            self._too_deep[name] += 1
            self._out.append("" if name in _INLINE else "<br>")
            return
        self._depth += 1
        self._rooms[-1].open.append(name)
        self._rooms[-1].counts[name] += 1
        if name in _WALLS:
            self._rooms.append(_Room(name))
            self._walls[name] += 1
        self._out.append(self._tag(name, attributes))

    def _close(self, name: str) -> None:
        if name in _SELF_ENDING or name == "br":
            self._out.append(f"</{name}>")
        elif self._too_deep[name]:
            self._too_deep[name] -= 1
            self._out.append("" if name in _INLINE else "<br>")
        elif self._walls[name]:
            while self._leave_room() != name:
                pass
        elif self._rooms[-1].counts[name]:
            while self._pop() != name:
                pass

    def _leave_room(self) -> str:
        """End the innermost wall, which is named, with all that is open inside."""
        while self._rooms[-1].open:
            self._pop()
        self._walls[self._rooms.pop().wall] -= 1
        return self._pop()

    def _pop(self) -> str:
        room = self._rooms[-1]
        name = room.open.pop()
        room.counts[name] -= 1
        self._depth -= 1
        self._out.append(f"</{name}>")
        return name

    def _tag(self, name: str, attributes: str) -> str:
        if name in _ROOTS:  # attributes of repeated ones add up, and none of them matters
            return f"<{name}>"
        if len(attributes) > _LONG_ATTRIBUTES:
            attributes = _needed(attributes)
        return f"<{name}{attributes}>"


def _renamed(name: str) -> str:
    if name in _FORMATTING:
        return "span"
    return LINK if name == "a" else name


def _needed(attributes: str) -> str:
    """Of many attributes those that decide how an element reads."""
    kept: dict[str, str] = {}
    for found in _KEPT_ATTRIBUTE.finditer(attributes):
        kept.setdefault(found[1].lower(), f" {found[1]}={found[2]}" if found[2] else f" {found[1]}")
    return "".join(kept.values())
