"""Guesses the encoding of a text that does not show it, damaged ones included.

A detector rejects every codec in which a single byte is wrong, so one stray byte in a Korean text
makes it Arabic. It is asked again, therefore, about what each likely codec leaves of the text once
what cannot be decoded is taken out; the answer it is surest of, with the fewest losses, holds.
"""

import codecs
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import chardet

_SAMPLE = 200_000
_SIFTS = ("utf-8", "cp949", "cp932", "gb18030", "big5", "euc_jp")
"""Codecs in which a text in any other multi-byte encoding survives, but not its damage."""
_MULTIBYTE = re.compile("utf-8|cp9(?:32|49|50)|gb|big5|euc|hz|johab|shift")
# What a detector names, and the superset that the programs of the time really wrote.
_SUPERSETS: Mapping[str, str] = {
    "euc-kr": "cp949",
    "euc_jis_2004": "euc_jp",
    "shift_jis": "cp932",
    "gb2312": "gb18030",
    "iso-8859-1": "cp1252",
}
_SURE = 0.3
"""Wrong answers about damaged texts stay below this; few right ones about whole texts do."""
_UNSURE = 0.15
_FOREIGN = 0.2
"""In Latin alphabets fewer letters than this are beyond ASCII; a wrong guess spoils few words."""
_MAX_LOST = 0.25
_LOSSES_COUNT = 4
_RARE = 0.01
_UTF8_AMONG_OTHERS = 0.2
_ASCII = bytes(range(0x80))


@dataclass(frozen=True, slots=True)
class Guess:
    """A codec, how good the guess is from 0 to 1, and whether a reader should be warned of it."""

    codec: str
    score: float
    doubtful: bool = False


def guess(data: bytes) -> Guess | None:
    """The codec that statistics speak for, over the lines that tell something.

    Pages of plain ASCII would drown these.
    """
    sample = b"\n".join(line for line in data.split(b"\n") if not line.isascii())[:_SAMPLE]
    best = _best(
        _detected(sample, sample),
        _detected(_without_rare_bytes(sample), sample),
    )
    if best is None or best.score <= _SURE:
        sifted = (_detected(left, sample) for left in _sifted(sample))
        best = _best(best, *sifted)
        best = _best(best, _utf8_among_others(sample, best))
    return replace(best, doubtful=_is_doubtful(best, sample)) if best else None


def right_and_wrong(data: bytes, codec: str) -> tuple[int, int]:
    """How many characters beyond ASCII a codec finds, and how many things that are none."""
    text = data.decode(codec, errors="replace")
    wrong = text.count("\ufffd")
    return len(text) - len(text.encode("ascii", errors="ignore")) - wrong, wrong


def _best(*found: Guess | None) -> Guess | None:
    return max(filter(None, found), key=lambda one: one.score, default=None)


def _detected(left: bytes, sample: bytes) -> Guess | None:
    """What the detector says to what is left of a sample; losses in the sample tell against it."""
    answer = chardet.detect(left)
    name = (answer["encoding"] or "").lower()
    try:
        codec = codecs.lookup(_SUPERSETS.get(name, name)).name
    except LookupError:
        return None
    right, wrong = right_and_wrong(sample, codec)
    share = wrong / (right + wrong) if wrong else 0.0
    return Guess(codec, answer["confidence"] * max(0.0, 1 - _LOSSES_COUNT * share))


def _sifted(sample: bytes) -> Iterator[bytes]:
    for codec in _SIFTS:
        right, wrong = right_and_wrong(sample, codec)
        if 0 < wrong <= _MAX_LOST * (right + wrong):
            yield sample.decode(codec, errors="ignore").encode(codec, errors="ignore")


def _without_rare_bytes(sample: bytes) -> bytes:
    """Without the bytes beyond ASCII that are hardly ever used, as a stray one is."""
    counts = Counter(sample.translate(None, delete=_ASCII))
    left = max(1.0, counts.total() * _RARE)
    rare = bytearray()
    for byte, count in sorted(counts.items(), key=lambda entry: entry[1]):
        left -= count
        if left < 0:
            break
        rare.append(byte)
    return sample.translate(None, delete=bytes(rare))


def _utf8_among_others(sample: bytes, best: Guess | None) -> Guess | None:
    """Characters of UTF-8 hardly come about by chance: with more of them than else, it is that."""
    if best and _MULTIBYTE.match(best.codec) and not right_and_wrong(sample, best.codec)[1]:
        return None
    text = sample.decode("utf-8", errors="ignore")
    right = len(text.encode()) - len(text.encode("ascii", errors="ignore"))
    wrong = len(sample) - len(text.encode())
    return Guess("utf-8", _UTF8_AMONG_OTHERS) if right > wrong else None


def _is_doubtful(best: Guess, sample: bytes) -> bool:
    """Bytes that are characters of several bytes each are so hardly by chance."""
    if best.score > _UNSURE or _MULTIBYTE.match(best.codec):
        return False
    foreign, _ = right_and_wrong(sample, best.codec)
    return foreign > _FOREIGN * len(sample)
