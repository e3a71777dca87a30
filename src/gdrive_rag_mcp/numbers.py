"""Numbers as people write them: grouped or not, with or without a leading zero, in other digits."""

import re
import unicodedata

_MARKS = ".,'\u2019\u066c "
GROUPED = (
    f"(?<![\\w{_MARKS.strip()}])"
    f"(?:\\d{{1,3}}(?:[{_MARKS}]\\d{{3}})+|\\d{{1,2}}(?:,\\d{{2}})+,\\d{{3}})(?!\\w)"
)
"""5,000 and 5.000 and 5 000, and 12,34,567: a regular expression without groups."""
_LETTERS_AND_DIGITS = re.compile("([a-z]{1,5})([0-9]{2,})|([0-9]{2,})([a-z]{1,2})")
_GROUP = 3
_LAKHS = 2
_YEAR = re.compile("(?:19|20)\\d\\d")
_LAST_DAY = 31
_PART_OF_YEAR = "(?:[qh][1-4]|[1-4][qh])"
_PERIOD = re.compile(
    f"(?:{_PART_OF_YEAR}(?:fy|cy)?|(?:fye?|cy|gj){_PART_OF_YEAR}?)(?P<last>(?:19|20)[0-9]{{2}})"
    f"|(?:fye?|cy|gj)?(?P<first>(?:19|20)[0-9]{{2}}){_PART_OF_YEAR}"
    f"|{_PART_OF_YEAR}?(?:fye?|cy|gj)(?P<short>[0-9]{{2}})"
)
"""FY2022, FY22, Q22023, 2023Q1, 3QFY24: a fiscal, calendar or business year, or a part of one."""
_THIS_CENTURY = 70
_DIGITS_OF = {
    "ar": ("\u0660", "\u06f0"),
    "fa": ("\u06f0", "\u0660"),
    "hi": ("\u0966",),
    "ne": ("\u0966",),
    "th": ("\u0e50",),
}
"""The zeros of the digits that a language is written with beside 0 to 9."""


def digits(text: str) -> str:
    """The digits of a number without what groups them."""
    return "".join(filter(str.isdigit, text))


def other_spellings(token: str, language: str) -> tuple[str, ...]:
    """How else a number may stand in the index; a grouped one is several tokens side by side.

    >>> other_spellings("5000", "en")
    ('5 000',)
    >>> other_spellings("1234567", "en")
    ('1 234 567', '12 34 567')
    >>> other_spellings("03", "en"), other_spellings("2024", "en"), other_spellings("kx4711", "en")
    (('3',), (), ('kx 4711',))
    >>> other_spellings("fy22", "en")
    ('fy 22', '2022')
    """
    if not token.isdecimal():
        code = _LETTERS_AND_DIGITS.fullmatch(token)
        apart = (" ".join(filter(None, code.groups())),) if code else ()
        return *apart, *_year_of_period(token)
    plain = "".join(str(unicodedata.decimal(sign)) for sign in token)
    ways = [plain, *_padded(plain), *_grouped(plain)]
    own_zero = chr(ord(token[0]) - unicodedata.decimal(token[0]))
    zeros = dict.fromkeys((own_zero, *_DIGITS_OF.get(language, ())))
    ways += [_in_digits(way, zero) for way in tuple(ways) for zero in zeros]
    return tuple(way for way in dict.fromkeys(ways) if way != token)


def _year_of_period(token: str) -> tuple[str, ...]:
    """The year that a period is in or of: who speaks of it may name the year alone."""
    period = _PERIOD.fullmatch(token)
    if period is None:
        return ()
    if short := period["short"]:
        return (f"{19 if int(short) >= _THIS_CENTURY else 20}{short}",)
    return (period["last"] or period["first"],)


def _padded(plain: str) -> tuple[str, ...]:
    """Days and months: 1 and 01."""
    day = 1 <= int(plain[:_GROUP]) <= _LAST_DAY and len(plain) <= _LAKHS
    if not day:
        return ()
    other = plain.lstrip("0") if plain.startswith("0") else plain.zfill(2)
    return (other,) if other != plain else ()


def _grouped(plain: str) -> tuple[str, ...]:
    if len(plain) <= _GROUP or _YEAR.fullmatch(plain):
        return ()
    rest, last = plain[:-_GROUP], plain[-_GROUP:]
    ways = dict.fromkeys(
        " ".join([*_from_the_right(rest, size), last]) for size in (_GROUP, _LAKHS)
    )
    return tuple(ways)


def _from_the_right(text: str, size: int) -> list[str]:
    first = len(text) % size
    groups = [text[at : at + size] for at in range(first, len(text), size)]
    return [text[:first], *groups] if first else groups


def _in_digits(text: str, zero: str) -> str:
    return "".join(chr(ord(zero) + int(sign)) if sign.isdigit() else sign for sign in text)
