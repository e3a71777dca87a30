"""Writes numbers as the letters and Roman numerals that count the items of lists."""

from collections.abc import Callable

_ALPHABET = 26
_MAX_ROMAN = 3_999
_ROMAN = (
    *((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l")),
    *((40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")),
)


def numeral(count: int, form: str, letters: Callable[[int], str]) -> str:
    """A number in the form `a`, `A`, `i` or `I`, as far as it can be written so; else in digits.

    `letters` writes a number from 1 in small letters, of which there are several ways.
    """
    if form in ("a", "A") and count > 0:
        written = letters(count)
    elif form in ("i", "I") and 0 < count <= _MAX_ROMAN:
        written = _roman(count)
    else:
        return str(count)
    return written.upper() if form.isupper() else written


def counted_letters(count: int) -> str:
    """As digits of a number: y, z, aa, ab."""
    written = ""
    while count > 0:
        count, digit = divmod(count - 1, _ALPHABET)
        written = chr(ord("a") + digit) + written
    return written


def repeated_letters(count: int) -> str:
    """As office programs write them by default: y, z, aa, bb; at most ten of a letter."""
    repeats, digit = divmod(count - 1, _ALPHABET)
    return chr(ord("a") + digit) * min(repeats + 1, 10)


def _roman(count: int) -> str:
    digits = ""
    for size, digit in _ROMAN:
        digits += digit * (count // size)
        count %= size
    return digits
