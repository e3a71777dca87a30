"""Numbers the items of lists in an OpenDocument text, which says how they count, but no numbers."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from gdrive_rag_mcp.extraction.ooxml import Element, attribute, local_name, whole_number

BULLET = "•"
_MAX_LEVEL = 10
_MAX_START = 1_000_000
_ALPHABET = 26
_Key = tuple[str, int]


@dataclass(frozen=True, slots=True)
class _Level:
    """How one level of a list is numbered; without a form it is not."""

    form: str
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
        numbers = (_written(counts.get((style, each), 1), _form(levels, each)) for each in upper)
        return f"{known.before}{'.'.join(numbers)}{known.after}"


def _levels(style: Element) -> Mapping[int, _Level]:
    levels = {}
    for each in style:
        if local_name(each) == "list-level-style-number":
            number = whole_number(attribute(each, "level"), 1, _MAX_LEVEL)
            levels[number] = _Level(
                attribute(each, "num-format") or "",
                attribute(each, "num-prefix") or "",
                attribute(each, "num-suffix") or "",
                whole_number(attribute(each, "display-levels"), 1, _MAX_LEVEL),
                whole_number(attribute(each, "start-value"), 1, _MAX_START),
            )
    return levels


def _form(levels: Mapping[int, _Level], level: int) -> str:
    return levels[level].form if level in levels else "1"


def _written(count: int, form: str) -> str:
    """Letters as such, and all other numbers as digits."""
    if form.lower() != "a" or count < 1:
        return str(count)
    letter = chr(ord(form) + (count - 1) % _ALPHABET)
    return letter * min((count - 1) // _ALPHABET + 1, _MAX_LEVEL)
