"""Shows numbers in the format that a sheet gives their cells: percent, currency, leading zeros.

Format: ECMA-376 part 1, 18.8.31. Dates are left alone: their readers know them, and the ISO form is
what is searched for.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

from gdrive_rag_mcp.extraction.sheet_values import show_number

# The numbers of formats that every program knows without their being written down.
KNOWN_FORMATS: Mapping[int, str] = {
    1: "0",
    2: "0.00",
    3: "#,##0",
    4: "#,##0.00",
    9: "0%",
    10: "0.00%",
    14: "yyyy-mm-dd",
    15: "yyyy-mm-dd",
    16: "yyyy-mm-dd",
    17: "yyyy-mm-dd",
    22: "yyyy-mm-dd hh:mm",
    37: "#,##0;(#,##0)",
    38: "#,##0;(#,##0)",
    39: "#,##0.00;(#,##0.00)",
    40: "#,##0.00;(#,##0.00)",
    41: "#,##0",
    42: "#,##0",
    43: "#,##0.00",
    44: "#,##0.00",
}
_MAX_CODE = 255
_MAX_DIGITS = 15
_MAX_DECIMALS = 10
_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|[_*].'
    r"|\[\$(?P<currency>[^\]-]*)(?:-[^\]]*)?\]|\[(?P<bracket>[^\]]*)\]"
    r"|(?P<general>(?i:general))|(?P<digits>[0#?.,]*[0#?][0#?.,]*)|(?P<percent>%)"
    r"|(?P<other>[eEyYmMdDhHsSgGbB/@]|[aA](?:[mM])?/[pP](?:[mM])?)|(?P<plain>.)"
)
_LITERALS = ("quoted", "escaped", "currency", "plain")
_COLOUR = re.compile(r"(?i)black|blue|cyan|green|magenta|red|white|yellow|colou?r *\d+|dbnum\d")
_MAX_SECTIONS = 4
_DATE = re.compile(r"(?i)[ymd]")
_NO_DATE = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]|(?i:general)')


@dataclass(frozen=True, slots=True)
class _Section:
    """One of the up to three ways a format writes numbers; `digits` are runs of placeholders."""

    literals: tuple[str, ...]
    digits: tuple[str, ...]
    percents: int

    @property
    def says_minus(self) -> bool:
        return any(mark in "".join(self.literals) for mark in "-(−")

    def write(self, value: Decimal) -> str:
        """Write a number that is not negative."""
        if len(self.digits) == 1:
            runs = [_written(value.scaleb(2 * self.percents), self.digits[0])]
        else:
            runs = _distributed(value, self.digits)
        pieces = [self.literals[0]]
        for run, literal in zip(runs, self.literals[1:], strict=True):
            pieces += (run, literal)
        return " ".join("".join(pieces).split())


@dataclass(frozen=True, slots=True)
class NumberFormat:
    """How a cell shows its number: for positive ones, negative ones and zero."""

    sections: tuple[_Section | None, ...]

    def show(self, value: float) -> str:
        """The number as the sheet shows it; as it is where the format hides it or knows more."""
        section = self._section(value)
        if section is None or not abs(value) < 10**_MAX_DIGITS:
            return show_number(value)
        text = section.write(abs(Decimal(format(value, ".15g"))))
        return f"-{text}" if value < 0 and not section.says_minus else text

    def _section(self, value: float) -> _Section | None:
        if value < 0 and len(self.sections) > 1:
            return self.sections[1]
        is_third = value == 0 and len(self.sections) > 2  # noqa: PLR2004 - zero is the third
        return self.sections[2 if is_third else 0]


def number_format(code: str | None) -> NumberFormat | None:
    """What a format code makes of numbers; nothing when it shows them as they are, or as dates."""
    if not code or len(code) > _MAX_CODE:
        return None
    parsed = [_parse(section) for section in _split(code)[:_MAX_SECTIONS]]
    if parsed[0] is None:
        return None
    return NumberFormat(tuple(parsed[:3]))


def shows_dates(code: str) -> bool:
    """Whether numbers with this format are days counted from the end of 1899."""
    return bool(_DATE.search(_NO_DATE.sub("", code)))


def _split(code: str) -> list[str]:
    sections = [""]
    for token in _TOKEN.finditer(code):
        if token[0] == ";":
            sections.append("")
        else:
            sections[-1] += token[0]
    return sections


def _parse(section: str) -> _Section | None:
    """Nothing for conditions, dates, fractions, exponents, and where no digit must be shown."""
    literals, digits, percents = [""], [], 0
    for token in _TOKEN.finditer(section):
        kind = token.lastgroup or ""
        if kind == "other" or (kind == "bracket" and not _COLOUR.fullmatch(token[kind])):
            return None
        if kind in ("digits", "general"):
            digits.append(token[0].lower() if kind == "general" else token[0])
            literals.append("")
        elif kind == "percent":
            percents += 1
            literals[-1] += "%"
        elif kind in _LITERALS:
            literals[-1] += token[kind]
    placeholders = set("".join(digits))
    if placeholders <= set("?.,") or percents > 1 or (len(digits) > 1 and placeholders & set(".,")):
        return None
    return _Section(tuple(literals), tuple(digits), percents)


def _written(value: Decimal, digits: str) -> str:
    """A number over placeholders such as `#,##0.00`; commas at the end are thousands left out."""
    if digits == "general":
        return show_number(float(value))
    bare = digits.rstrip(",")
    whole, _, fraction = bare.partition(".")
    fraction = fraction.replace(",", "")[:_MAX_DECIMALS]
    scaled = value.scaleb(-3 * (len(digits) - len(bare)))
    rounded = scaled.quantize(Decimal(1).scaleb(-len(fraction)), rounding=ROUND_HALF_UP)
    units, _, decimals = f"{rounded:f}".partition(".")
    shown = f"{int(units):,}" if "," in whole else units
    padded = shown.zfill(whole.count("0"))
    least = len(fraction.rstrip("#"))
    decimals = decimals[:least] + decimals[least:].rstrip("0")
    return f"{padded}.{decimals}" if decimals else padded


def _distributed(value: Decimal, digits: Sequence[str]) -> list[str]:
    """The digits of a whole number over several runs, as in telephone numbers: `00-0000`."""
    left = f"{value.quantize(Decimal(1), rounding=ROUND_HALF_UP):f}"
    runs = []
    for run in reversed(digits[1:]):
        runs.append(left[-len(run) :].rjust(run.count("0"), "0"))
        left = left[: -len(run)]
    runs.append(left.rjust(digits[0].count("0"), "0"))
    return runs[::-1]
