"""Cells merged into one: what the first says holds for all of them."""

from collections.abc import Iterable, Mapping

from gdrive_rag_mcp.extraction.sheet.rows import SheetRow

Corner = tuple[int, int]
_MAX_CELLS = 200_000
"""Filling stops after this many: files with tens of thousands of merged ranges exist."""


class Merges:
    """The merged ranges of a sheet; rows must be asked for in order."""

    def __init__(self, ranges: Iterable[tuple[Corner, Corner]]) -> None:
        """Take ranges as corners, both included, counted from 0."""
        self._across: dict[int, list[tuple[int, int]]] = {}
        self._down: dict[int, list[tuple[int, int]]] = {}
        self._wanted: dict[int, list[int]] = {}
        self._anchors: dict[tuple[int, int], str] = {}
        self._plain = True
        left = _MAX_CELLS
        for (top, first), (bottom, last) in ranges:
            self._plain = False
            left -= (bottom - top) + (last - first)
            if left < 0:
                break
            if last > first:
                self._across.setdefault(top + 1, []).append((first + 1, last + 1))
            if bottom > top:
                self._wanted.setdefault(top + 1, []).append(first + 1)
            for row in range(top + 2, bottom + 2):
                self._down.setdefault(row, []).append((top + 1, first + 1))

    def row(
        self, number: int, cells: Mapping[int, str], *, rows: int = 1, hidden: bool = False
    ) -> SheetRow:
        """The row with what merged cells above and beside give it.

        A cell merged downwards is filled in every row, as it is part of each. One merged over
        columns is filled only where columns are named, else a total would be said many times.
        """
        if self._plain:
            return SheetRow(number, cells, {}, rows, hidden)
        filled = dict(cells)
        for anchor in self._down.get(number, ()):
            if self._anchors.get(anchor) and anchor[1] not in filled:
                filled[anchor[1]] = self._anchors[anchor]
        for column in self._wanted.get(number, ()):
            self._anchors[number, column] = cells.get(column, "")
        spread = {
            column: cells[first]
            for first, last in self._across.get(number, ())
            if first in cells
            for column in range(first, last + 1)
        }
        return SheetRow(number, dict(sorted(filled.items())), spread, rows, hidden)
