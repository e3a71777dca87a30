"""Wrapped lines read as running text, with the way back to where each character stands.

A page or a mail breaks its lines where there is no more room, in the midst of sentences and words.
For reading, such line ends are blanks, or nothing in scripts without blanks and in words that a
hyphen parts. Lines that end because they are done (lists, addresses, verse, programs, rows) stay.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

ITEM = re.compile(
    r"[ \t]*(?:([•‣⁃◦▪●○■□◆▶➢✓·]|[-*–—](?=[ \t]))"
    r"|([(（]?(?:\d{1,3}(?:\.\d{1,3}){0,3}|[一二三四五六七八九十]{1,3})(?:[.)](?=[ \t])|[、．）]))"
    r"|(\(?[a-zđ]\)(?=[ \t])|[①-⑳])|(第[^\s第]{1,6}[条條章]|제\s?\d+\s?조|§))"
)
"""The start of a list item or of a clause, by the kind of its mark."""
CLAUSE = 4
"""The kind of mark that begins a clause of a law or contract, which is a paragraph and no item."""

_SPACELESS = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Myanmar, Khmer
    "\u2e80-\u2fff\u3001-\u30ff\u3105-\u312f\u31a0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\ufe30-\ufe4f\uff00-\uffef\U00020000-\U0003ffff"  # Han, Kana and their punctuation
)
_GLUED = re.compile(f"[{_SPACELESS}][{_SPACELESS}“”‘’…—]|[“”‘’…—][{_SPACELESS}]")
_SPACELESS_RUN = re.compile(f"[{_SPACELESS}]+")
_LAST_SPACED = "\u0dff"
ITEM_LETTERS = "第제一二三四五六七八九十"
"""Letters that a mark of an item may begin with, beside those in front of a parenthesis."""
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")
_BLANKS = " \t"
_INDENTATION = "\u3000"
"""Begins a paragraph in scripts that write it as wide as a character."""
_HYPHENS = "-\u2010\u00ad"
_SOFT_HYPHEN = "\u00ad"
_LAST_WORD = re.compile(r"[^\W\d_][\w\u2010-]*$")
_FIRST_WORD = re.compile(r"[^\W\d_]+[\u2010-]?")
_AFTER_SHARED = "und oder bzw sowie bis and or to och en of et y e ja"
_SHARED_END = frozenset(_AFTER_SHARED.split())
"""Words after a hyphen that stands for an end named later: `Nord- und Südseite`."""
_BEFORE_HYPHENS = (
    "self non well ex all half high low long short part full real one two three four five first "
    "second third time cost risk user cross multi so"
)
_HYPHENATED = frozenset(_BEFORE_HYPHENS.split())
"""Words that keep the hyphen behind them where it is at a line's end."""
_STATEMENT_ENDS = frozenset(";{}")
_NUMBER_CELL = re.compile(r"(?<!\S)[-+(]?\d[\d.,]*[)%]?(?!\S)")
_LEAST_NUMBERS = 2
_FILLED, _FILLED_SPACELESS = 0.8, 0.7
"""Of the widest line; a line that is done before that has ended for its own sake."""
_LEAST_WIDTH, _LEAST_SMALL_WIDTH, _LEAST_HANGUL_WIDTH, _LEAST_SPACELESS_WIDTH = 40, 25, 15, 10
"""Narrower paragraphs are taken for addresses, verse and columns of words."""
_LEAST_VERSES = 4
_LEAST_ENTRIES = 6
"""So many lines of prose have a stop somewhere, but for scripts that write none."""
_STOP = re.compile("[.!?…;:。！？；：।॥؟؛۔።៕\u0e00-\u0eff\u1000-\u109f]")


@dataclass(frozen=True, slots=True)
class RunningText:
    """A text with its wrapped lines joined, and where its characters come from.

    From each of `_starts` on, a character stands `_shifts` characters further on in the source.
    """

    text: str
    _starts: Sequence[int] = field(repr=False)
    _shifts: Sequence[int] = field(repr=False)

    def offset(self, position: int) -> int:
        """Where the character at a position stands in the source; of the end, the source's end."""
        return position + self._shifts[bisect_right(self._starts, position) - 1]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The offsets in the source of `text[start:end]`."""
        return (self.offset(start), self.offset(end - 1) + 1) if start < end else (0, 0)


def running_text(text: str) -> str:
    """A text with its wrapped lines joined: `join_lines` without the way back."""
    if "\n" not in text:
        return text
    parts: list[str] = []
    done = 0
    for start, end, between in wrapped_line_ends(text):
        parts += (text[done:start], between)
        done = end
    return "".join(parts) + text[done:]


def join_lines(text: str) -> RunningText:
    """Join the wrapped lines of a text; every character keeps its way back."""
    parts: list[str] = []
    starts, shifts = [0], [0]
    done = length = 0
    for start, end, between in wrapped_line_ends(text):
        parts += (text[done:start], between)
        length += start - done + len(between)
        if end - start != len(between):
            starts.append(length)
            shifts.append(end - length)
        done = end
    parts.append(text[done:])
    return RunningText("".join(parts), starts, shifts)


def wrapped_line_ends(text: str) -> Iterator[tuple[int, int, str]]:
    """What parts lines that run on, as start and end in the text, and what is read in its place."""
    lines = text.split("\n")
    if all(map(str.strip, lines)):
        yield from _joints(lines, 0)
        return
    offset = 0
    block: list[str] = []
    for line in (*lines, ""):
        if line and not line.isspace():
            block.append(line)
            continue
        if len(block) > 1:
            yield from _joints(block, offset)
        offset += sum(map(len, block)) + len(block) + len(line) + 1
        block = []


class WrappedLines:
    """Tells of single line ends of a text whether the line runs on; asked for in order, linear."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._start = self._end = 0
        self._wrapped: frozenset[int] = frozenset()

    def runs_on(self, line_end: int) -> bool:
        r"""Whether the `\n` at an offset is only there for want of room."""
        if not self._start <= line_end < self._end:
            self._read_block(line_end)
        return line_end in self._wrapped

    def item_after(self, line_end: int, start: int) -> int | None:
        """The kind of mark with which an item begins at `start`, where the line above is done."""
        kind = starts_item(self._text, start)
        last = self._text[line_end - 1 : line_end]
        if kind is None or not (last == " " or _may_run_on(last)):
            return kind
        return None if self.runs_on(line_end) else kind

    def _read_block(self, line_end: int) -> None:
        """Look at all lines around that no blank one parts."""
        text = self._text
        start, before = line_end, text.rfind("\n", 0, line_end)
        while text[before + 1 : start].strip():
            start = before + 1
            before = text.rfind("\n", 0, before) if before >= 0 else -1
        blank = _BLANK_LINE.search(text, line_end)
        end = blank.start() if blank else len(text)
        self._start, self._end = min(start, line_end), max(end, line_end + 1)
        ends = wrapped_line_ends(text[self._start : self._end])
        self._wrapped = frozenset(text.index("\n", self._start + end) for end, _, _ in ends)


def starts_item(text: str, at: int) -> int | None:
    """The kind of mark with which an item begins at an offset, if one does."""
    first = text[at]
    if first.isalpha() and first not in ITEM_LETTERS and text[at + 1 : at + 2] != ")":
        return None
    item = ITEM.match(text, at)
    return item.lastindex if item else None


def _joints(lines: Sequence[str], offset: int) -> Iterator[tuple[int, int, str]]:
    """The wrapped line ends of lines that no blank one parts."""
    width = _width(lines)
    if width < _LEAST_SPACELESS_WIDTH or _are_lines(lines):
        return
    marks = {starts_item(lines[0], 0)}
    for line, following in pairwise(lines):
        offset += len(line) + 1
        before, after = line.rstrip(" "), following.lstrip(_BLANKS)
        joint = _joint(before, after, width, marks)
        if joint is not None:
            dropped, between = joint
            start = offset - 1 - len(line) + len(before) - dropped
            yield start, offset + len(following) - len(after), between


def _width(lines: Sequence[str]) -> int:
    """Of the longest lines, but for a few that may be two in one."""
    lengths = sorted(map(len, lines))
    index = len(lengths) * 4 // 5
    width = lengths[index]
    return lengths[index - 1] if index > 1 and 2 * width > 3 * lengths[index - 1] else width


def _are_lines(lines: Sequence[str]) -> bool:
    """Whether each line stands for itself: statements, steps of indentation, verse, a log."""
    statements = indented = capitals = 0
    for line in lines:
        first = line[0]
        statements += line[-1] in _STATEMENT_ENDS
        indented += first in _BLANKS
        capitals += first.isupper()
    if 3 * statements >= len(lines) or (capitals == len(lines) >= _LEAST_VERSES):
        return True
    if len(lines) >= _LEAST_ENTRIES and not any(map(_STOP.search, lines)):
        return True
    indented -= lines[0][0] in _BLANKS
    return 0 < indented < len(lines) - 1 and not any(map(ITEM.match, lines))


def _joint(line: str, following: str, width: int, marks: set[int | None]) -> tuple[int, str] | None:
    """How a line goes on in the next: characters to drop at its end, and what is read between."""
    last, first = line[-1], following[0]
    filled = len(line) >= _FILLED * width
    kind = starts_item(following, 0)
    if kind:
        runs_on = filled and _may_run_on(last) and kind not in marks
        if not runs_on or (kind == 1 and first not in "-–—"):
            marks.add(kind)
            return None
    if last in _HYPHENS and (hyphenated := _hyphenated(line, following)):
        return hyphenated
    if not filled and len(line) < _FILLED_SPACELESS * width:
        return None
    if first == _INDENTATION or _is_row(line, following):
        return None
    if last > _LAST_SPACED and _GLUED.match(last + first):
        return (0, "") if _is_spaceless(line) and _is_spaceless(following) else None
    enough = filled or len(line) + _first_word(following) >= _FILLED * width
    wide = width >= _LEAST_WIDTH or width >= _least_width(first)
    return (0, " ") if enough and wide else None


def _may_run_on(last: str) -> bool:
    """Whether a mark may follow in the same sentence upon a line that ends so."""
    return last.isalnum() or last == ","


def _is_row(line: str, following: str) -> bool:
    """Whether a line is one of a table: cells with a sign between them, or several numbers."""
    if "\t" in line or " | " in line or " | " in following:
        return True
    return not line[-1].isalpha() and all(
        len(_NUMBER_CELL.findall(each)) >= _LEAST_NUMBERS for each in (line, following)
    )


def _is_spaceless(line: str) -> bool:
    """Whether most of a line is in a script without blanks; a row of numbers is not."""
    return 2 * sum(map(len, _SPACELESS_RUN.findall(line))) > len(line)


def _first_word(following: str) -> int:
    """The length of the word which would have had to fit, with its blank."""
    return following.find(" ") + 1


def _least_width(first: str) -> int:
    """Of a paragraph whose line begins with this character, to be taken for a wrapped one."""
    if "\uac00" <= first <= "\ud7a3":
        return _LEAST_HANGUL_WIDTH
    return _LEAST_SMALL_WIDTH if first.isalpha() and not first.isupper() else _LEAST_WIDTH


def _hyphenated(line: str, following: str) -> tuple[int, str] | None:
    """What a hyphen at a line's end means for the two halves; None if it parts no word."""
    if line[-1] == _SOFT_HYPHEN:
        return 1, ""
    left, right = _LAST_WORD.search(line[:-1]), _FIRST_WORD.match(following)
    if left is None or right is None:
        return (0, "") if line[-2:-1].isdigit() and following[0].isdigit() else None
    before, after = left.group(), right.group()
    if after in _SHARED_END:
        return 0, " "
    whole = len(before) > 1 and len(after) > 1 and before[-1].islower() and after.islower()
    keeps = {"-", "\u2010"} & {*before, after[-1]} or before.lower() in _HYPHENATED
    return (1 if whole and not keeps else 0), ""
