"""How many tokens a model will make of a text, estimated without the model's tokenizer.

An upper estimate for the vocabulary that the XLM-R family shares (multilingual-e5 among them).
Characters fall into classes with a cost each, in hundredths of a token; the first character of a
word costs more. Common letters are cheap, since they make up long pieces, and rare ones are dear,
so that codes, addresses and gibberish are not taken for prose.
"""

import re
import string
import unicodedata
from itertools import chain

_UNIT = 100
# For what two neighbours cost more together than apart: keeps the estimate subadditive.
_ONCE = 50
_CACHED_CHARACTERS = 70_000


def _range(first: int, last: int) -> str:
    return "".join(map(chr, range(first, last + 1)))


# class, cost of each character, characters; a later line wins over an earlier one
_CLASSES: tuple[tuple[str, int, str], ...] = (
    ("w", 75, _range(0x530, 0x8FF) + _range(0x980, 0xDFF) + _range(0xE80, 0x18FF)),
    ("v", 62, _range(0xC0, 0x24F) + _range(0x1E00, 0x1EFF) + _range(0x300, 0x36F) + "ªº"),
    ("z", 150, _range(0x370, 0x52F) + _range(0x1F00, 0x1FFF)),
    ("c", 28, "άέήίαγδεηικλμνοπρςστυωόабвгдежзийклмнопрстуыьячюхцш"),
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
    (" ", 8, " \t\n\r\u00a0\u2009\u200a\u3000"),
)
_OTHER = "x"
MOST_CHARACTERS_PER_TOKEN = 13
"""Longer texts are above the estimate: no character costs less than a blank."""
_COST = {name: cost for name, cost, _ in _CLASSES} | {_OTHER: 100}
_STARTS: tuple[tuple[re.Pattern[str], int], ...] = (
    (re.compile("(?<![arvu])[arvu]"), 46),  # a Latin word
    (re.compile("(?<=[arv])u"), 80),  # a capital inside it
    (re.compile("(?<=u)u"), 20),
    (re.compile("(?<![cz])[cz]"), 45),  # a Cyrillic or Greek one
    (re.compile("(?<![bj])[bj]"), 122),
    (re.compile("(?<![im])[im]"), 55),
    (re.compile("(?<![ty])[ty]"), 20),
    (re.compile("(?<!g)g"), 50),
    (re.compile("(?<![^ ])[pqxhk0]"), 30),  # what follows a blank and seldom shares a piece with it
    (re.compile("(?<![^ ])[px]"), 50),
    (re.compile("(?<=p)[arvu]"), 25),
)


class _ClassOf(dict[int, str]):
    """The class of each character; one that the model decomposes counts for each part."""

    def __missing__(self, code: int) -> str:
        classes = _OTHER * max(1, len(unicodedata.normalize("NFKC", chr(code))))
        if len(self) < _CACHED_CHARACTERS:
            self[code] = classes
        return classes


_CLASS_OF = _ClassOf(
    chain.from_iterable(((ord(char), name) for char in chars) for name, _, chars in _CLASSES)
)


def estimate_tokens(text: str) -> int:
    """Tokens of a text, without the model's own start, end and prefix; 0 for no text.

    `estimate(a + b) <= estimate(a) + estimate(b)`, and it never falls as a text grows. No character
    is free, blanks included, so a bound on it bounds the characters too.
    """
    if not text:
        return 0
    classes = text.translate(_CLASS_OF)
    cost = _ONCE + sum(classes.count(name) * cost for name, cost in _COST.items())
    cost += sum(len(start.findall(classes)) * more for start, more in _STARTS)
    return -(-cost // _UNIT)
