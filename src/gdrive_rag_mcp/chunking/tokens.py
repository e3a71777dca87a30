"""How many tokens a model will make of a text, estimated without the model's tokenizer.

An upper estimate for the vocabulary that the XLM-R family shares (multilingual-e5 among them).
Characters fall into classes with a cost each, in hundredths of a token; the first character of a
word costs more. Common letters are cheap, since they make up long pieces, and rare ones are dear,
so that codes, addresses and gibberish are not taken for prose.
"""

import string
import unicodedata
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

HUNDREDTHS = 100
_ONCE = 50
"""More than two texts cost together than apart: keeps the estimate subadditive."""


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

_START = "^"
_NAMES = (*_COST, _START)
_LATIN_START, _INNER_CAPITAL, _JOINED = 46, 80, 25
TOUCHING = max(_INNER_CAPITAL - _LATIN_START, _JOINED)


def _but(classes: str) -> str:
    """All classes but some, and the start of the text."""
    return "".join(name for name in _NAMES if name not in classes)


# A character costs more because of what is before it: (class before, class, cost)
_TRANSITIONS = (
    (_but("arvu"), "arvu", _LATIN_START),  # the first letter of a Latin word
    ("arv", "u", _INNER_CAPITAL),  # a capital inside it
    ("u", "u", 20),
    ("p", "arvu", _JOINED),  # what a hyphen or an apostrophe joins
    (_but("clz"), "clz", 45),
    (_but("bj"), "bj", 122),
    (_but("im"), "im", 55),
    (_but("ty"), "ty", 20),
    (_but("g"), "g", 50),
    (" " + _START, "qhk0", 30),  # what seldom shares a piece with the blank before it
    (" " + _START, "pxe", 80),
)
_NUMBER = {name: number for number, name in enumerate(_NAMES)}
_UNKNOWN = len(_NAMES)
_WIDTH = 32
"""Room for all classes, so that a pair of them is one index."""
_BLOCK = 1 << 15


def _pair_costs() -> npt.NDArray[np.int32]:
    """What a character costs by its class and that of the one before, shape (_WIDTH * _WIDTH,)."""
    costs = np.zeros((_WIDTH, _WIDTH), np.int32)
    for name, cost in _COST.items():
        costs[:, _NUMBER[name]] = cost
    for befores, classes, cost in _TRANSITIONS:
        for before in befores:
            for name in classes:
                costs[_NUMBER[before], _NUMBER[name]] += cost
    return costs.ravel()


def _known_classes() -> npt.NDArray[np.uint8]:
    """The class of every code point that the table above names."""
    classes = np.full(0x110000, _UNKNOWN, np.uint8)
    for name, _, characters in _CLASSES:
        classes[_codes(characters)] = _NUMBER[name]
    return classes


def _codes(text: str) -> npt.NDArray[np.uint32]:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


_PAIR_COSTS = _pair_costs()
_OPENING_COSTS = _PAIR_COSTS.reshape(_WIDTH, _WIDTH)[_NUMBER[_START]].tolist()
_CLASS_OF = _known_classes()
_PARTS = np.zeros(0x110000, np.uint8)
"""Of characters that the model decomposes, the number of parts; filled in as they are met."""
_CLASS_VIEW, _PARTS_VIEW = _CLASS_OF.data, _PARTS.data


def estimate_tokens(text: str) -> int:
    """Tokens of a text, without the model's own start, end and prefix; 0 for no text.

    `estimate(a + b) <= estimate(a) + estimate(b)`, and it never falls as a text grows. No character
    is free, blanks included, so a bound on it bounds the characters too.
    """
    return as_tokens(measure(text)) if text else 0


def as_tokens(cost: int) -> int:
    """The estimate for a text that is not empty, from its cost."""
    return -(-(cost + _ONCE) // HUNDREDTHS)


def measure(text: str) -> int:
    """The cost of a text in hundredths of a token, to be added up with that of its neighbours.

    Exact for texts parted by blanks; two that touch cost at most `TOUCHING` more together.
    """
    return int(Costs(text).before[len(text)])


def as_cost(tokens: int) -> int:
    """The most that a text of so many tokens can cost."""
    return max(0, tokens * HUNDREDTHS - _ONCE)


class Costs:
    """The cost of any slice of a text, in constant time after one pass over it.

    At the offsets that are `dearer`, room is left for what is joined there.
    """

    def __init__(self, text: str, *, dearer: Sequence[int] = ()) -> None:
        self._text = text
        self._sums = np.zeros(len(text) + 1, np.int64)
        # A view gives Python's own numbers, several times as fast as the array does.
        self.before = self._sums.data
        """What the characters before each offset cost where they stand."""
        last = _NUMBER[_START]
        for start in range(0, len(text), _BLOCK):
            codes = _codes(text[start : start + _BLOCK]).astype(np.intp)
            classes = _classes(codes)
            pairs = np.empty(len(codes), np.intp)
            pairs[0], pairs[1:] = last, classes[:-1]
            pairs *= _WIDTH
            pairs += classes
            costs = _PAIR_COSTS[pairs]
            if _NUMBER[_SEVERAL] in classes:
                costs += _PARTS[codes] * np.int32(HUNDREDTHS)
            block = self._sums[start + 1 : start + 1 + len(codes)]
            np.cumsum(costs, out=block)
            block += self._sums[start]
            last = int(classes[-1])
        if dearer:
            more = np.zeros_like(self._sums)
            more[np.array(dearer) + 1] = _JOINED
            self._sums += np.cumsum(more)

    def of(self, start: int, end: int) -> int:
        """What `text[start:end]` costs by itself, in hundredths of a token."""
        if start >= end:
            return 0
        return self.before[end] - self.opened(start)

    def opened(self, start: int) -> int:
        """What to take from `before[end]` for the cost of a text that begins here."""
        code = ord(self._text[start])
        opening: int = _OPENING_COSTS[_CLASS_VIEW[code]] + _PARTS_VIEW[code] * HUNDREDTHS
        return self.before[start + 1] - opening

    def reach(self, start: int, end: int, limit: int) -> int:
        """The last offset with `estimate_tokens(text[start:offset]) <= limit`, at most `end`."""
        most = min(end, start + limit * MOST_CHARACTERS_PER_TOKEN)
        free = as_cost(limit) + self.opened(start)
        return start + int(np.searchsorted(self._sums[start + 1 : most + 1], free, "right"))


def _classes(codes: npt.NDArray[np.intp]) -> npt.NDArray[np.uint8]:
    """The class of each code point; those never met before are looked up and kept."""
    classes = _CLASS_OF[codes]
    if _UNKNOWN in classes:
        for code in np.unique(codes[classes == _UNKNOWN]).tolist():
            parts = len(unicodedata.normalize("NFKC", chr(code)))
            several = parts > 1
            _PARTS[code] = parts if several else 0
            _CLASS_OF[code] = _NUMBER[_SEVERAL if several else _OTHER]
        classes = _CLASS_OF[codes]
    return classes
