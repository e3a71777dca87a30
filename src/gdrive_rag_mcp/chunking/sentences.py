"""Where sentences end, in many languages, by punctuation and layout alone.

No model, and no words but the abbreviations that stand before names and numbers.

An end that is missed costs little (a longer unit); one that is invented tears a fact apart. So in
doubt there is none.
"""

import re
from collections.abc import Iterator

_CLOSERS = "[\"'”’»)\\]]"
_WIDE_CLOSERS = "[”’」』）】》\"')\\]]"
# Every part starts only at the first character of its run, which keeps the search linear.
_END = re.compile(
    rf"(?<![.!?…])[.!?…]++{_CLOSERS}*+(?=\s)\s*+"
    rf"|(?<![。！？｡।॥؟۔።៕။])[。！？｡।॥؟۔።៕။]++{_WIDE_CLOSERS}*+\s*+"
    r"|(?<!ฯ)ฯ++\s++"
    r"|\n[ \t]*+\n\s*+"
    r"|\n(?=[ \t]*+(?:[-*•‣◦▪–]|\d{1,3}[.)])[ \t])"
)
_BEFORE_NAME_OR_NUMBER = re.compile(
    # titles and references, then Latin and Cyrillic initials, then days and numbers of lists
    r"(?:(?<!\w)(?:dr|prof|mr|mrs|ms|st|hr|fr|jr|sr|dipl|ing|hon|gen|nr|no|art|abs|kap|vol|pp|fig|"
    r"abb|tab|sec|ca|approx|bzw|vgl|usw|bsp|evtl|inkl|exkl|ggf|vs|cf|tel|tp|ths|ts|gs|pgs|ông|bà)"
    r"|(?<!\w)(?:[^\W\d_]\.[ ]?)*[^\W\d_]|(?<![\d.,])\d{1,3}|\n[ \t]*\d{1,3}(?:\.\d{1,3})*)$",
    re.IGNORECASE,
)
_LOOK_BACK = 16
_CLOSED = re.compile(rf"[.!?…:。！？｡।॥؟۔።៕]{_WIDE_CLOSERS}*\s*$")


def sentence_ends(text: str, start: int, end: int) -> Iterator[int]:
    """Offsets after each sentence of `text[start:end]` and its blanks; the last is `end`."""
    for match in _END.finditer(text, start, end):
        if match.end() < end and not _is_abbreviation(text, match, start):
            yield match.end()
    yield end


def ends_sentence(text: str, end: int) -> bool:
    """Whether what stands before an offset is complete, as far as its last mark tells."""
    return _CLOSED.search(text[max(0, end - _LOOK_BACK) : end]) is not None


def _is_abbreviation(text: str, match: re.Match[str], start: int) -> bool:
    """Whether a single full stop belongs to the word before it, or the next word goes on."""
    mark = match.group().rstrip()
    if not mark or mark[0] not in ".…!?":
        return False
    if text[match.end()].islower():
        return True
    if mark != ".":
        return False
    before = text[max(start, match.start() - _LOOK_BACK) : match.start()]
    return _BEFORE_NAME_OR_NUMBER.search(before) is not None
