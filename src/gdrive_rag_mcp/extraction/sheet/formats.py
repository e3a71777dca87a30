"""Shows numbers in the format that a sheet gives their cells: percent, currency, leading zeros.

Format: ECMA-376 part 1, 18.8.31. Dates are left alone: their readers know them, and the ISO form is
what is searched for.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

from gdrive_rag_mcp.extraction.sheet.values import show_number

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
class _Number:
    """A run of placeholders such as `#,##0.00`; `shift` moves the point, as percents ask for."""

    grouped: bool
    zeros: int
    decimals: int
    least: int
    shift: int
    unit: Decimal

    def write(self, value: Decimal) -> str:
        rounded = value.scaleb(self.shift).quantize(self.unit, rounding=ROUND_HALF_UP)
        text = f"{rounded:,f}" if self.grouped else f"{rounded:f}"
        if self.zeros > 1:
            whole, point, fraction = text.partition(".")
            text = f"{whole.zfill(self.zeros)}{point}{fraction}"
        if self.least < self.decimals:
            kept = len(text) - self.decimals + self.least
            text = (text[:kept] + text[kept:].rstrip("0")).rstrip(".")
        return text


@dataclass(frozen=True, slots=True)
class _Section:
    """One of the up to three ways a format writes numbers: literals around runs of placeholders.

    Of several runs, as in telephone numbers, each takes its share of the digits.
    """

    literals: tuple[str, ...]
    runs: tuple[str, ...]
    number: _Number | None

    @property
    def says_minus(self) -> bool:
        return any(mark in "".join(self.literals) for mark in "-(−")

    def write(self, value: Decimal) -> str:
        """Write a number that is not negative."""
        if self.number:
            return f"{self.literals[0]}{self.number.write(value)}{self.literals[1]}"
        if self.runs == ("general",):
            return f"{self.literals[0]}{show_number(float(value))}{self.literals[1]}"
        pieces = [self.literals[0]]
        for run, literal in zip(_distributed(value, self.runs), self.literals[1:], strict=True):
            pieces += (run, literal)
        return "".join(pieces)


@dataclass(frozen=True, slots=True)
class NumberFormat:
    """How a cell shows its number: for positive ones, negative ones and zero."""

    sections: tuple[_Section | None, ...]

    def show(self, value: float) -> str:
        """The number as the sheet shows it; as it is where the format hides it or knows more."""
        section = self._section(value)
        if section is None or not abs(value) < 10**_MAX_DIGITS:
            return show_number(value)
        text = section.write(abs(Decimal(format(value, ".15g")))).strip()
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
    literals, runs, percents = [""], [], 0
    for token in _TOKEN.finditer(section):
        kind = token.lastgroup or ""
        if kind == "other" or (kind == "bracket" and not _COLOUR.fullmatch(token[kind])):
            return None
        if kind in ("digits", "general"):
            runs.append(token[0].lower())
            literals.append("")
        elif kind == "percent":
            percents += 1
            literals[-1] += "%"
        elif kind in _LITERALS:
            literals[-1] += token[kind]
    placeholders = set("".join(runs))
    if placeholders <= set("?.,") or percents > 1 or (len(runs) > 1 and placeholders - set("0#?")):
        return None
    number = _number(runs[0], percents) if len(runs) == 1 and runs[0] != "general" else None
    return _Section(
        tuple(" ".join(f"|{each}|".split())[1:-1] for each in literals), tuple(runs), number
    )


def _number(run: str, percents: int) -> _Number:
    """Commas at the end of a run are thousands left out."""
    bare = run.rstrip(",")
    whole, _, fraction = bare.partition(".")
    fraction = fraction.replace(",", "")[:_MAX_DECIMALS]
    decimals = len(fraction)
    return _Number(
        grouped="," in whole,
        zeros=whole.count("0"),
        decimals=decimals,
        least=len(fraction.rstrip("#")),
        shift=2 * percents - 3 * (len(run) - len(bare)),
        unit=Decimal(1).scaleb(-decimals),
    )


def _distributed(value: Decimal, digits: Sequence[str]) -> list[str]:
    """The digits of a whole number over several runs, as in telephone numbers: `00-0000`."""
    left = f"{value.quantize(Decimal(1), rounding=ROUND_HALF_UP):f}"
    runs = []
    for run in reversed(digits[1:]):
        runs.append(left[-len(run) :].rjust(run.count("0"), "0"))
        left = left[: -len(run)]
    runs.append(left.rjust(digits[0].count("0"), "0"))
    return runs[::-1]
