"""Numbers lists and headings of an OpenDocument text, which says how they count, but no numbers."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from gdrive_rag_mcp.extraction.numerals import counted_letters, numeral, repeated_letters
from gdrive_rag_mcp.extraction.ooxml import Element, attribute, local_name, whole_number

BULLET = "•"
_MAX_LEVEL = 10
_MAX_START = 1_000_000
_OUTLINE = ""
"""Stands for a list style, which always has a name."""

_NUMBERED = frozenset({"list-level-style-number", "outline-level-style"})
_Key = tuple[str, int]


@dataclass(frozen=True, slots=True)
class _Level:
    """How one level of a list is numbered; without a form it is not."""

    form: str
    counted: bool
    before: str
    after: str
    shown: int
    start: int


class ListNumbers:
    """The list styles of a document with their counters; items must be asked for in order."""

    def __init__(self, roots: Iterable[Element]) -> None:
        self._styles = {
            attribute(style, "name") or "": _levels(style)
            for root in roots
            for style in root.iter("{*}list-style")
        }
        for root in roots:
            for style in root.iter("{*}outline-style"):
                self._styles[_OUTLINE] = _levels(style)
        self._counts: dict[_Key, int] = {}

    def begin(self, style: str, level: int, *, continued: bool) -> None:
        """A list begins: it counts from its start, unless it goes on with an earlier one."""
        if not continued:
            self._counts.pop((style, level), None)

    def label(self, style: str, level: int, start: str | None) -> str:
        """The number or bullet of the next item; counts it."""
        levels = self._styles.get(style, {})
        known = levels.get(level)
        if known is None:
            return BULLET
        first = whole_number(start, known.start, _MAX_START)
        key = (style, level)
        counts = self._counts
        counts[key] = counts[key] + 1 if key in counts and start is None else first
        if not known.form:
            return ""
        upper = range(max(1, level - known.shown + 1), level + 1)
        numbers = (_written(counts.get((style, each), 1), levels.get(each)) for each in upper)
        return f"{known.before}{'.'.join(numbers)}{known.after}"

    def heading(self, level: int, start: str | None) -> str:
        """The number of the next heading, where the outline has them; counts it."""
        if level not in self._styles.get(_OUTLINE, {}):
            return ""
        for deeper in range(level + 1, _MAX_LEVEL + 1):
            self._counts.pop((_OUTLINE, deeper), None)
        return self.label(_OUTLINE, level, start)


def _levels(style: Element) -> Mapping[int, _Level]:
    levels = {}
    for each in style:
        if local_name(each) in _NUMBERED:
            number = whole_number(attribute(each, "level"), 1, _MAX_LEVEL)
            levels[number] = _Level(
                attribute(each, "num-format") or "",
                attribute(each, "num-letter-sync") != "true",
                attribute(each, "num-prefix") or "",
                attribute(each, "num-suffix") or "",
                whole_number(attribute(each, "display-levels"), 1, _MAX_LEVEL),
                whole_number(attribute(each, "start-value"), 1, _MAX_START),
            )
    return levels


def _written(count: int, level: _Level | None) -> str:
    if level is None:
        return str(count)
    return numeral(count, level.form, counted_letters if level.counted else repeated_letters)
