"""What tables have in common wherever they stand: rows as lines, and which row names columns."""

from collections.abc import Sequence
from dataclasses import dataclass

CELL_SEPARATOR = " | "
_MAX_NAME = 80
_MIN_COLUMNS = 2


@dataclass(frozen=True, slots=True)
class Row:
    """The texts of a row's cells; `header` when the file itself says that it names the columns."""

    cells: tuple[str, ...]
    header: bool


def row_line(cells: Sequence[str]) -> str:
    """A row as one line; white space in cells is folded, blank cells at the end are dropped."""
    folded = [" ".join(cell.split()) for cell in cells]
    while folded and not folded[-1]:
        folded.pop()
    return CELL_SEPARATOR.join(folded)


def names_columns(cells: Sequence[str]) -> bool:
    """Whether a row may name columns: several short, different texts that are no numbers."""
    filled = [cell.strip() for cell in cells if cell.strip()]
    return (
        len(filled) >= _MIN_COLUMNS
        and len({cell.casefold() for cell in filled}) == len(filled)
        and all(map(_is_name, filled))
    )


def _is_name(cell: str) -> bool:
    """Short, and no number, formula or error value."""
    is_error = cell.startswith("#") and cell.isupper()
    return not (len(cell) > _MAX_NAME or is_number(cell) or cell.startswith("=") or is_error)


def is_number(cell: str) -> bool:
    """Whether a cell shows a quantity, such as `1,200.50`, `12 %` or `€ 3`."""
    return any(map(str.isdecimal, cell)) and not any(map(str.isalpha, cell))


def header_rows(rows: Sequence[Row]) -> int:
    """How many rows at the top name the columns: those marked so, or a first row that looks so."""
    marked = next((at for at, row in enumerate(rows) if not row.header), len(rows))
    if 0 < marked < len(rows):
        return marked
    cells = rows[0].cells
    return int(len(rows) > 1 and all(cells) and names_columns(cells))
