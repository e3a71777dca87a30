"""What is found out of a sheet beside its values, which its reader chokes on or leaves out.

The reader lays every sheet out as a full rectangle, so that one stray cell in the last corner would
take more memory than there is; it drops error values and formulas that were never calculated; and
it knows neither how numbers are shown nor what is hidden.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from gdrive_rag_mcp.domain import Reason
from gdrive_rag_mcp.errors import ExtractionError
from gdrive_rag_mcp.extraction.sheet.comment import Note
from gdrive_rag_mcp.extraction.sheet.formats import NumberFormat
from gdrive_rag_mcp.extraction.sheet.values import column_letters

MAX_AREA = 5_000_000
FormattedCells = tuple[tuple[int, NumberFormat], ...]
"""The columns of a row whose numbers have a format, and the format."""

# ECMA-376 part 1, 18.17.3, and [MS-XLS] 2.5.10: error values by their code.
ERRORS: Mapping[int, str] = {
    0x00: "#NULL!",
    0x07: "#DIV/0!",
    0x0F: "#VALUE!",
    0x17: "#REF!",
    0x1D: "#NAME?",
    0x24: "#NUM!",
    0x2A: "#N/A",
    0x2B: "#GETTING_DATA",
}


@dataclass(slots=True)
class Scan:
    """How far a sheet reaches and what there is to know of its cells; numbers from 1."""

    rows: int = 0
    columns: int = 0
    remarks: dict[tuple[int, int], str] = field(default_factory=dict)
    hidden_rows: set[int] = field(default_factory=set)
    hidden_columns: list[tuple[int, int]] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    _formats: dict[int, FormattedCells] = field(default_factory=dict)
    _patterns: dict[FormattedCells, FormattedCells] = field(default_factory=dict)

    @property
    def area(self) -> int:
        return self.rows * self.columns

    def reach(self, row: int, column: int) -> None:
        """Note that a cell is filled."""
        self.rows = max(self.rows, row)
        self.columns = max(self.columns, column)

    def add_formats(self, row: int, cells: Sequence[tuple[int, NumberFormat]]) -> None:
        """Note how the numbers of a row are shown; rows that are alike share one record."""
        if cells:
            pattern = tuple(cells)
            self._formats[row] = self._patterns.setdefault(pattern, pattern)

    def formats(self, row: int) -> FormattedCells:
        return self._formats.get(row, ())

    def check(self, name: str) -> None:
        """Refuse a sheet that would be laid out over too many cells.

        Raises:
            ExtractionError: `too_large`.
        """
        if self.area > MAX_AREA:
            raise ExtractionError(
                Reason.TOO_LARGE,
                f"Sheet {name} reaches over {self.area:,} cells, more than {MAX_AREA:,}",
                hint="Delete the stray cells far to the right or below.",
            )

    def hidden_part(self) -> str:
        """The hidden columns within reach, in words; empty when none is."""
        spans = [
            (first, min(last, self.columns))
            for first, last in self.hidden_columns
            if first <= self.columns
        ]
        named = [_span(*span) for span in spans]
        many = len(named) > 1 or any(last > first for first, last in spans)
        return f"hidden column{'s' * many} {', '.join(named)}" if named else ""


def _span(first: int, last: int) -> str:
    letters = column_letters(first)
    return letters if first == last else f"{letters}-{column_letters(last)}"
