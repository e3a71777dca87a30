"""All pieces of a tokenizer as a trie in three arrays.

A double array (Aoe 1989): the child of the node in cell `n` by a character is the cell
`base[n] + code`, if that cell says that `n` is its parent. So a step down is one look-up, which
numpy takes from all places of a text at once. A dictionary of as many pieces takes ten times the
memory.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

from gdrive_rag_mcp.embedding.model_folder import CELLS_FILE, CODES_FILE

_CELL = np.dtype([("base", "<i4"), ("parent", "<i4"), ("piece", "<i4")])
_NONE = -1
_CODE_POINTS = 0x110000
# How many cells are tried at a time.
_WINDOW = 128

Numbers = npt.NDArray[np.integer]


@dataclass(frozen=True, slots=True)
class PieceTrie:
    """The arrays; `codes` numbers the characters that occur in pieces from 1."""

    base: Numbers
    parent: Numbers
    piece: Numbers
    codes: Numbers

    def codes_of(self, text: str) -> Numbers:
        """The text's characters by their numbers here."""
        codes: Numbers = self.codes[np.frombuffer(text.encode("utf-32-le"), "<u4")]
        return codes

    def find(self, piece: str) -> int:
        """The place of a piece in the vocabulary; it is known to be there."""
        found = {
            length: places for length, _, places in self.matches(self.codes_of(piece), range(1))
        }
        return int(found[len(piece)][0])

    def matches(self, codes: Numbers, places: range) -> Iterator[tuple[int, Numbers, Numbers]]:
        """Every piece that begins at these places of a text that is given as its codes.

        By its length: the length, where pieces of it begin, in order, and which ones.
        """
        starts, nodes = np.asarray(places), np.zeros(len(places), np.int32)
        for length in range(1, len(codes) + 1):
            inside = np.searchsorted(starts, len(codes) - length, side="right")
            starts, nodes = starts[:inside], nodes[:inside]
            cells = self.base[nodes] + codes[starts + (length - 1)]
            found = self.parent[cells] == nodes
            starts, nodes = starts[found], cells[found]
            if not len(starts):
                return
            pieces = self.piece[nodes]
            whole = pieces >= 0
            yield length, starts[whole], pieces[whole]


def open_piece_trie(folder: Path) -> PieceTrie:
    """Read what `build_piece_trie` made from the files that it was written to.

    They are 9 MB, of which most is soon used, and not mapped: a process would die, without a word,
    of a mapped file that somebody cuts off.
    """
    cells, codes = np.load(folder / CELLS_FILE), np.load(folder / CODES_FILE)
    return PieceTrie(cells["base"], cells["parent"], cells["piece"], codes)


def build_piece_trie(pieces: Sequence[str]) -> tuple[npt.NDArray[np.void], Numbers]:
    """The cells and the codes of these pieces, each of which is found by its place."""
    texts = np.array(pieces)
    points = texts.view("<u4").reshape(len(texts), -1)
    codes = _codes(points)
    rows = np.pad(codes[points], ((0, 0), (0, 1)))
    order = np.lexsort(rows.T[::-1])
    nodes = _nodes(rows[order], order)
    return _placed(nodes, int(codes.max())), codes


def _codes(points: Numbers) -> Numbers:
    """A number for each code point: 0 for those in no piece, small ones for the frequent."""
    counts = np.bincount(points.ravel(), minlength=_CODE_POINTS)
    counts[0] = 0  # what fills up short pieces
    frequent = np.argsort(-counts, kind="stable")[: np.count_nonzero(counts)]
    codes = np.zeros(_CODE_POINTS, np.uint16)
    codes[frequent] = np.arange(1, len(frequent) + 1)
    return codes


@dataclass(frozen=True, slots=True)
class _Nodes:
    """Every node but the root, by depth, siblings side by side: its parent, code and piece."""

    parents: Numbers
    codes: Numbers
    pieces: Numbers


def _nodes(rows: Numbers, order: Numbers) -> _Nodes:
    """`rows` are the pieces as codes, sorted, each ended by zeros; `order` says which pieces."""
    parents, codes, pieces = [], [], []
    above, differs = np.zeros(len(rows), np.int64), np.zeros(len(rows), bool)
    differs[0] = True
    count = 1
    for column, following in pairwise(rows.T):
        differs[1:] |= column[1:] != column[:-1]
        first = differs & (column > 0)
        here = count - 1 + np.cumsum(first)
        ends = first & (following == 0)
        parents.append(above[first])
        codes.append(column[first].astype(np.int64))
        pieces.append(np.where(ends[first], order[first], _NONE))
        above, count = here, count + int(first.sum())
    return _Nodes(np.concatenate(parents), np.concatenate(codes), np.concatenate(pieces))


class _FreeCells:
    """Which cells beyond those of the root and its children have no node yet."""

    def __init__(self, alphabet: int) -> None:
        self._alphabet = alphabet
        self._free = np.zeros(alphabet + 1, bool)
        self._tried = alphabet + 1

    def place(self, codes: Numbers) -> int:
        """Take the cells of a family, and return its base.

        Cells before which one did not fit are not tried again: only children will fill them.
        """
        while True:
            self._grow(self._tried + _WINDOW)
            window = self._free[self._tried : self._tried + _WINDOW]
            bases = self._tried + np.flatnonzero(window) - codes[0]
            fits = self._free[bases[:, None] + codes].all(axis=1)
            if fits.any():
                base = int(bases[fits.argmax()])
                self._free[base + codes] = False
                return base
            self._tried += _WINDOW

    def first(self, count: int) -> Numbers:
        """The first cells that are free."""
        self._grow(len(self._free) + count)
        return np.flatnonzero(self._free)[:count]

    def _grow(self, tried: int) -> None:
        if (missing := tried + self._alphabet - len(self._free)) > 0:
            self._free = np.concatenate([self._free, np.ones(missing + len(self._free), bool)])


def _placed(nodes: _Nodes, alphabet: int) -> npt.NDArray[np.void]:
    """Every node in a cell of its own: the largest families first, only children last of all."""
    parents, firsts, sizes = np.unique(nodes.parents, return_index=True, return_counts=True)
    base_of, cell_of = np.zeros((2, len(nodes.codes) + 1), np.int64)
    cell_of[1 : sizes[0] + 1] = nodes.codes[: sizes[0]]  # of the root, whose base is 0
    free = _FreeCells(alphabet)
    several = 1 + np.flatnonzero(sizes[1:] > 1)
    for family in several[np.argsort(-sizes[several], kind="stable")]:
        members = slice(firsts[family], firsts[family] + sizes[family])
        base = free.place(nodes.codes[members])
        base_of[parents[family]] = base
        cell_of[1:][members] = base + nodes.codes[members]
    alone = 1 + np.flatnonzero(sizes[1:] == 1)
    cells = free.first(len(alone))
    cell_of[1 + firsts[alone]] = cells
    base_of[parents[alone]] = cells - nodes.codes[firsts[alone]]
    return _filled(nodes, base_of, cell_of, alphabet)


def _filled(
    nodes: _Nodes, base_of: Numbers, cell_of: Numbers, alphabet: int
) -> npt.NDArray[np.void]:
    """As many cells as no step from any node leads beyond."""
    cells = np.zeros(int(base_of.max()) + alphabet + 1, _CELL)
    cells["parent"] = cells["piece"] = _NONE
    cells["base"][cell_of] = base_of
    cells["parent"][cell_of[1:]] = cell_of[nodes.parents]
    cells["piece"][cell_of[1:]] = nodes.pieces
    return cells
