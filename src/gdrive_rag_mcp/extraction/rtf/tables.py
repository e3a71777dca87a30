"""Collects the cells of RTF tables, which are marked by where they end."""

from dataclasses import dataclass, field


@dataclass(slots=True)
class TableRows:
    """The rows of the table at hand, and the one that is under way."""

    rows: list[list[str]] = field(default_factory=list)
    headers: int = 0
    _cells: list[str] = field(default_factory=list)
    _pieces: list[str] = field(default_factory=list)
    _merged: list[bool] = field(default_factory=list)
    _is_merged: bool = False
    _is_header: bool = False

    def begin_row(self) -> None:
        """What follows describes the cells of a row."""
        self._merged = []
        self._is_merged = self._is_header = False

    def mark_header(self) -> None:
        self._is_header = True

    def mark_merged(self) -> None:
        """The cell described next goes on with the one above it."""
        self._is_merged = True

    def end_description(self) -> None:
        self._merged.append(self._is_merged)
        self._is_merged = False

    def add_text(self, text: str) -> None:
        self._pieces.append(text)

    def end_cell(self) -> None:
        self._cells.append(" ".join(" ".join(self._pieces).split()))
        self._pieces = []

    def end_row(self) -> None:
        """Take the row; a cell that goes on with the one above says the same."""
        above = self.rows[-1] if self.rows else []
        for at, merged in enumerate(self._merged):
            if merged and at < min(len(self._cells), len(above)) and not self._cells[at]:
                self._cells[at] = above[at]
        if any(self._cells):
            self.headers += self._is_header and self.headers == len(self.rows)
            self.rows.append(self._cells)
        self._cells = []

    def take(self) -> tuple[list[list[str]], int]:
        """The rows so far and how many of them are headers; nothing stays."""
        if self._cells or self._pieces:
            self.end_cell()
            self.end_row()
        rows, headers = self.rows, self.headers
        self.rows, self.headers = [], 0
        return rows, headers
