"""Tables of a page as rows of plain cells, and which tables only lay the page out."""

from collections.abc import Iterator

from gdrive_rag_mcp.extraction.tables import Row, header_rows
from gdrive_rag_mcp.extraction.web.inline import flat_text
from gdrive_rag_mcp.extraction.web.nodes import HEADINGS, Node, children, kind_of, number_in, walk

_CELLS = frozenset({"td", "th"})
_GROUPS = frozenset({"thead", "tbody", "tfoot"})
_MAX_SPAN = 200
_MAX_REPEATED = 200
_MAX_FILLED = 500_000
_MAX_DATA_CELL = 1_000
"""Who lays a page out in columns writes paragraphs into cells; a cell of data is shorter."""
_LISTS = frozenset({"ul", "ol", "dl"})
_STRUCTURE = frozenset({"table", "hr", "form", "nav", "main", "article", "section", *HEADINGS})


def is_layout(table: Node) -> bool:
    """Whether a table is a frame for whatever stands in it, rather than data."""
    rows = [list(_cells(row)) for row in _rows(table)]
    cells = [cell for row in rows for cell in row]
    if all(len(row) <= 1 for row in rows):
        return any(_holds(cell, _STRUCTURE | _LISTS) for cell in cells)
    if any(kind_of(cell) == "th" for cell in cells) or _captions(table):
        return False
    return any(_holds(cell, _STRUCTURE) for cell in cells)


def caption_of(table: Node) -> str:
    """What a table is headed by."""
    return " ".join(filter(None, map(flat_text, _captions(table))))


def read_rows(table: Node) -> list[Row]:
    """The rows, short texts repeated in all columns and rows that a cell spans."""
    return _Grid().read(table)


def naming_rows(table: Node, rows: list[Row]) -> int:
    """How many rows at the top name the columns.

    Where header cells head rows only, no row does, whatever the first one looks like.
    """
    if any(row.header for row in rows):
        return header_rows(rows)
    heads_rows = any(kind_of(cell) == "th" for row in _rows(table) for cell in _cells(row))
    return 0 if heads_rows else header_rows(rows)


def is_frame(rows: list[Row]) -> bool:
    """Whether rows have but one column, or hold what nobody writes into cells of data."""
    if any(row.header for row in rows):
        return False
    filled = (sum(bool(cell) for cell in row.cells) for row in rows)
    longest = max((len(cell) for row in rows for cell in row.cells), default=0)
    return max(filled, default=0) <= 1 or longest > _MAX_DATA_CELL


class _Grid:
    """Places cells in columns, as those above them leave room."""

    def __init__(self) -> None:
        self._below: dict[int, tuple[int, str]] = {}  # column → rows still spanned, text
        self._filled = 0

    def read(self, table: Node) -> list[Row]:
        rows = []
        for row in _rows(table):
            cells = list(_cells(row))
            rows.append(Row(self._place(cells), _names_columns(row, cells)))
        return rows

    def _place(self, cells: list[Node]) -> tuple[str, ...]:
        placed: dict[int, str] = self._from_above()
        column = 0
        for cell in cells:
            while column in placed:
                column += 1
            text = flat_text(cell)
            width, height = self._span(cell)
            for at in range(column, column + width if len(cells) > 1 else column + 1):
                placed[at] = text if at == column else self._again(text)
                if height > 1:
                    self._below[at] = (height - 1, text)
            column += width
        last = max(placed, default=-1)
        return tuple(placed.get(at, "") for at in range(last + 1))

    def _span(self, cell: Node) -> tuple[int, int]:
        """The columns and rows of a cell; one each in tables built to say much with little."""
        if self._filled > _MAX_FILLED:
            return 1, 1
        attributes = cell.attributes
        width = min(max(1, number_in(attributes, "colspan", 1)), _MAX_SPAN)
        return width, number_in(attributes, "rowspan", 1)

    def _from_above(self) -> dict[int, str]:
        if self._filled > _MAX_FILLED:
            self._below = {}
        above = {column: self._again(text) for column, (_, text) in self._below.items()}
        self._below = {
            column: (left - 1, text) for column, (left, text) in self._below.items() if left > 1
        }
        return above

    def _again(self, text: str) -> str:
        """A text once more, unless it is a long one."""
        self._filled += len(text) + 1
        return text if len(text) <= _MAX_REPEATED else ""


def _names_columns(row: Node, cells: list[Node]) -> bool:
    """Header cells only, or among those that the table itself calls its head."""
    group = row.parent
    if group is not None and kind_of(group) == "thead":
        return True
    return bool(cells) and all(kind_of(cell) == "th" for cell in cells)


def _rows(table: Node) -> Iterator[Node]:
    for child in children(table):
        kind = kind_of(child)
        if kind == "tr":
            yield child
        elif kind in _GROUPS:
            yield from (row for row in children(child) if kind_of(row) == "tr")


def _cells(row: Node) -> Iterator[Node]:
    return (cell for cell in children(row) if kind_of(cell) in _CELLS)


def _captions(table: Node) -> list[Node]:
    return [child for child in children(table) if kind_of(child) == "caption"]


def _holds(cell: Node, kinds: frozenset[str]) -> bool:
    """Whether an element of these kinds is anywhere below."""
    found: list[Node] = []

    def enters(node: Node) -> bool:
        if kind_of(node) in kinds:
            found.append(node)
        return not found

    for _ in walk(cell, enters):
        if found:
            break
    return bool(found)
