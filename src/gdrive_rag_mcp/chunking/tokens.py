"""How many tokens a model will make of a text, estimated without the model's tokenizer.

An upper estimate for the vocabulary that the XLM-R family shares (multilingual-e5 among them).
Characters fall into classes with a cost each, in hundredths of a token; the first character of a
word costs more. Common letters are cheap, since they make up long pieces, and rare ones are dear,
so that codes, addresses and gibberish are not taken for prose.
"""

import re
import string
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate, chain

HUNDREDTHS = 100
_ONCE = 50
"""More than two texts cost together than apart: keeps the estimate subadditive."""
_CACHED_CHARACTERS = 70_000


def _range(first: int, last: int) -> str:
    return "".join(map(chr, range(first, last + 1)))


# class, cost of each character, characters; a later line wins over an earlier one
_CLASSES: tuple[tuple[str, int, str], ...] = (
    ("w", 75, _range(0x530, 0x8FF) + _range(0x980, 0xDFF) + _range(0xE80, 0x18FF)),
    ("s", 50, _range(0x590, 0x5FF)),
    ("v", 59, _range(0xC0, 0x24F) + _range(0x1E00, 0x1EFF) + _range(0x300, 0x36F) + "ªº"),
    ("z", 150, _range(0x370, 0x52F) + _range(0x1F00, 0x1FFF)),
    ("c", 28, "абвгдежзийклмнопрстуыьячюхцш"),
    ("l", 38, "άέήίόύώαβγδεζηθικλμνξοπρςστυφχω"),
    ("j", 150, _range(0x600, 0x6FF) + _range(0x750, 0x77F)),
    ("b", 13, "اأبةتثجحخدرزسشصطعفقكلمنهويکی"),
    ("m", 150, _range(0x900, 0x97F)),
    ("i", 27, "ंअइएकगचजटडतथदनपबभमयरलवशषसहािीुूेैो्"),
    ("y", 130, _range(0xE00, 0xE7F)),
    ("t", 38, "กขคงจชซญดตถทธนบปผพฟภมยรลวศษสหอะัาำิีึืุูเแโใไ็่้์"),
    ("k", 79, _range(0x3041, 0x30FF)),
    ("h", 98, _range(0x3400, 0x4DBF) + _range(0x4E00, 0x9FFF) + "々"),
    ("g", 73, _range(0xAC00, 0xD7A3) + _range(0x1100, 0x11FF) + _range(0x3130, 0x318F)),
    ("a", 19, "abcdefghilmnoprstu"),
    ("r", 92, "jkqvwxyz"),
    ("u", 22, string.ascii_uppercase),
    ("0", 44, string.digits),
    ("p", 100, string.punctuation + "×÷"),
    ("q", 80, "«»。、，．：；？！「」『』（）［］《》〈〉・“”‘’‚„–—…،؛؟।॥۔·"),
    (" ", 8, " \t\n\r\u00a0\u3000" + _range(0x2000, 0x200F)),
)
_OTHER = "x"
_SEVERAL = "e"
"""A character that the model decomposes: it counts for each of its parts."""
_COST = {name: cost for name, cost, _ in _CLASSES} | {_OTHER: HUNDREDTHS, _SEVERAL: 0}
MOST_CHARACTERS_PER_TOKEN = 13
"""Longer texts are above the estimate: no character costs less than a blank."""


@dataclass(frozen=True, slots=True)
class _Transition:
    """A character that costs more because of the class of the one before it."""

    classes: frozenset[str]
    pattern: re.Pattern[str]
    cost: int


def _transition(before: str, classes: str, cost: int) -> _Transition:
    return _Transition(frozenset(classes), re.compile(f"(?{before})[{classes}]"), cost)


_LATIN_START, _INNER_CAPITAL, _JOINED = 46, 80, 25
TOUCHING = max(_INNER_CAPITAL - _LATIN_START, _JOINED)
_TRANSITIONS = (
    _transition("<![arvu]", "arvu", _LATIN_START),  # the first letter of a Latin word
    _transition("<=[arv]", "u", _INNER_CAPITAL),  # a capital inside it
    _transition("<=u", "u", 20),
    _transition("<=p", "arvu", _JOINED),  # what a hyphen or an apostrophe joins
    _transition("<![clz]", "clz", 45),
    _transition("<![bj]", "bj", 122),
    _transition("<![im]", "im", 55),
    _transition("<![ty]", "ty", 20),
    _transition("<!g", "g", 50),
    _transition("<![^ ]", "qhk0", 30),  # what seldom shares a piece with the blank before it
    _transition("<![^ ]", "pxe", 80),
)


class _ClassOf(dict[int, str]):
    """The class of each character."""

    def __missing__(self, code: int) -> str:
        name = _SEVERAL if len(unicodedata.normalize("NFKC", chr(code))) > 1 else _OTHER
        if len(self) < _CACHED_CHARACTERS:
            self[code] = name
        return name


_CLASS_OF = _ClassOf(
    chain.from_iterable(((ord(char), name) for char in chars) for name, _, chars in _CLASSES)
)


def estimate_tokens(text: str) -> int:
    """Tokens of a text, without the model's own start, end and prefix; 0 for no text.

    `estimate(a + b) <= estimate(a) + estimate(b)`, and it never falls as a text grows. No character
    is free, blanks included, so a bound on it bounds the characters too.
    """
    return -(-(measure(text) + _ONCE) // HUNDREDTHS) if text else 0


def measure(text: str) -> int:
    """The cost of a text in hundredths of a token, to be added up with that of its neighbours.

    Exact for texts parted by blanks; two that touch cost at most `TOUCHING` more together.
    """
    classes = text.translate(_CLASS_OF)
    present = set(classes)
    cost = 0
    for name in present:
        cost += classes.count(name) * _COST[name]
    for transition in _TRANSITIONS:
        if not present.isdisjoint(transition.classes):
            cost += len(transition.pattern.findall(classes)) * transition.cost
    if _SEVERAL in present:
        cost += sum(_parts(text[i]) for i in _positions(classes)) * HUNDREDTHS
    return cost


class Ruler:
    """Finds how far a limit reaches into a text, again and again, in one pass over it."""

    _WINDOW = 8192

    def __init__(self, text: str, end: int) -> None:
        self._text = text
        self._end = end
        self._origin = 0
        self._sums: list[int] = []

    def reach(self, start: int, limit: int) -> int:
        """The last offset with `estimate_tokens(text[start:offset]) <= limit`, at most `end`."""
        most = min(self._end, start + limit * MOST_CHARACTERS_PER_TOKEN)
        if most > self._origin + len(self._sums) - 1 or not self._sums:
            self._measure(start, max(most, min(self._end, start + self._WINDOW)))
        first = start - self._origin + 1
        free = limit * HUNDREDTHS - _ONCE - _costs(self._text[start : start + 1])[0]
        fits = bisect_right(self._sums, self._sums[first] + free, first, most - self._origin + 1)
        return self._origin + fits - 1

    def _measure(self, start: int, end: int) -> None:
        self._origin = start
        self._sums = list(accumulate(_costs(self._text[start:end]), initial=0))


def _costs(text: str) -> list[int]:
    """What each character of a text costs where it stands, in hundredths."""
    classes = text.translate(_CLASS_OF)
    costs = [_COST[name] for name in classes]
    for transition in _TRANSITIONS:
        for match in transition.pattern.finditer(classes):
            costs[match.start()] += transition.cost
    for position in _positions(classes):
        costs[position] += _parts(text[position]) * HUNDREDTHS
    return costs


def _positions(classes: str) -> list[int]:
    return [match.start() for match in re.finditer(_SEVERAL, classes)]


def _parts(char: str) -> int:
    return len(unicodedata.normalize("NFKC", char))
