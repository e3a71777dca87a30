"""Finds the rows of a sheet that name its columns, and says every other row with those names."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from gdrive_rag_mcp.extraction.tables import CELL_SEPARATOR, is_number, names_columns

NAMED_AREA = 200_000
"""In a larger sheet the rows do not repeat the columns' names: that doubles the text."""

_HIDDEN = " (hidden row)"
_LABEL_COLUMNS = 2
_YEAR = re.compile(r"(?:19|20)\d\d")


@dataclass(frozen=True, slots=True)
class SheetRow:
    """A row that is not blank: its number and its filled cells by column, each in one line, from 1.

    `spread` holds the texts of cells merged over several columns, repeated in each of these; `rows`
    counts the lines or rows that it takes up.
    """

    number: int
    cells: Mapping[int, str]
    spread: Mapping[int, str]
    rows: int = 1
    hidden: bool = False

    @property
    def last(self) -> int:
        return self.number + self.rows - 1


@dataclass(frozen=True, slots=True)
class SaidRow:
    """A row as text, under the names of its columns."""

    row: SheetRow
    text: str
    context: str


def say_rows(rows: Iterable[SheetRow], *, named: bool = True) -> Iterator[SaidRow]:
    """Say rows with their columns' names, which are also the context; unnamed, only the context.

    Names are looked for at the top of a block (the first row, and after each blank one), below rows
    with a single cell, which are captions. A block without names of its own keeps those above it:
    a blank row often only parts the months of one table.
    """
    names: Mapping[int, str] = {}
    context = ""
    top = True
    last = 0
    pending = 0
    for row, following in _with_next(rows):
        top = top or row.number > last + 1
        first_block = not names
        last = row.last
        if pending:
            pending -= 1
            yield SaidRow(row, _said(row, {}), "")
        elif top and len(row.cells) == 1:
            yield SaidRow(row, _said(row, {}), "")
        elif top and (found := _names(row, following, needs_contrast=not first_block)):
            names, pending, top = found.names, found.rows - 1, False
            context = CELL_SEPARATOR.join(names[column] for column in sorted(names))
            yield SaidRow(row, _said(row, {}), "")
        else:
            top = False
            yield SaidRow(row, _said(row, names if named else {}), context)


@dataclass(frozen=True, slots=True)
class _Names:
    names: Mapping[int, str]
    rows: int


def _names(row: SheetRow, below: SheetRow | None, *, needs_contrast: bool) -> _Names | None:
    """The names of columns in one row, or in two when the upper one is merged over groups."""
    if below is None or below.number != row.last + 1 or len(below.cells) < _LABEL_COLUMNS:
        return None
    if row.spread and len(row.cells) >= _LABEL_COLUMNS and names_groups(row, below):
        columns = sorted({*row.cells, *row.spread, *below.cells})
        upper = {**row.cells, **row.spread}
        return _Names({at: _joined(upper.get(at), below.cells.get(at)) for at in columns}, 2)
    if not names_columns(_with_years_told(list(row.cells.values()))):
        return None
    if needs_contrast and not _contrast(row, below):
        return None
    return _Names(row.cells, 1)


def _joined(group: str | None, name: str | None) -> str:
    """A name under its group; a cell that is merged over both rows is said once."""
    return " ".join(dict.fromkeys(filter(None, (group, name))))


def _with_years_told(cells: Sequence[str]) -> Sequence[str]:
    """Several years in their order are names of columns, although they are numbers."""
    years = [cell for cell in cells if _YEAR.fullmatch(cell)]
    ordered = sorted(set(years))
    if len(years) < _LABEL_COLUMNS or years not in (ordered, ordered[::-1]):
        return cells
    return [f"year {cell}" if _YEAR.fullmatch(cell) else cell for cell in cells]


def names_groups(row: SheetRow, below: SheetRow) -> bool:
    """Whether the row below names the columns of the groups that this row spreads over."""
    under = [text for column, text in below.cells.items() if column in row.spread]
    return len(under) >= _LABEL_COLUMNS and not any(map(is_number, under))


def _contrast(row: SheetRow, below: SheetRow) -> bool:
    """Numbers below texts: the sign that a row names what follows rather than being part of it."""
    return any(is_number(text) for column, text in below.cells.items() if column in row.cells)


def _said(row: SheetRow, names: Mapping[int, str]) -> str:
    texts: Iterable[str] = row.cells.values()
    if names:
        texts = [
            f"{names[column]}: {text}" if column in names else text
            for column, text in row.cells.items()
        ]
    return CELL_SEPARATOR.join(texts) + _HIDDEN * row.hidden


def _with_next(rows: Iterable[SheetRow]) -> Iterator[tuple[SheetRow, SheetRow | None]]:
    held: SheetRow | None = None
    for row in rows:
        if held is not None:
            yield held, row
        held = row
    if held is not None:
        yield held, None
