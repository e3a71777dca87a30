"""Cuts words into pieces of a vocabulary so that the sum of their scores is highest (Kudo 2018).

The result is that of the library `tokenizers`, to the piece. Of ways with equal sums, the one whose
last piece is longest is taken; and sums are equal where they should be, as scores have single
precision and sums double, which never rounds them. SentencePiece rounds, and cuts a row of dashes
otherwise.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gdrive_rag_mcp.embedding.piece_trie import Numbers, PieceTrie

# What SentencePiece takes off the lowest score for a character that is in no piece.
PENALTY = 10.0
# Bounds what is held of a text at a time, such as one of a million times the same character.
_BLOCK = 4096
_BEGINNING = (0, 0)


@dataclass(frozen=True, slots=True)
class Unigram:
    """A vocabulary with the log probability of each piece; `unknown` stands for any other text."""

    trie: PieceTrie
    scores: npt.NDArray[np.float32]
    unknown: int
    unknown_score: float

    @classmethod
    def of(cls, trie: PieceTrie, scores: npt.NDArray[np.float32], unknown: int) -> "Unigram":
        return cls(trie, scores, unknown, float(scores.min()) - PENALTY)

    def cut(self, words: Sequence[str]) -> list[tuple[int, ...]]:
        """The ids of each word. No piece may reach from one word into the next.

        Neighbouring characters that are in no piece are one unknown piece.
        """
        text = "".join(words)
        ways = self._best_ways(text)
        found, end = [], len(text)
        for word in reversed(words):
            start = end - len(word)
            ids: list[int] = []
            while end > start:
                end, piece = ways[end]
                if not (ids and piece == ids[-1] == self.unknown):
                    ids.append(piece)
            found.append(tuple(reversed(ids)))
        return found[::-1]

    def _best_ways(self, text: str) -> list[tuple[int, int]]:
        """For each place, the start and the id of the last piece on the best way there."""
        codes = self.trie.codes_of(text)
        best = [0.0] + [-np.inf] * len(text)
        ways = [_BEGINNING] * len(best)
        for begin in range(0, len(text), _BLOCK):
            for start, end, piece, score in self._edges(codes, begin):
                total = best[start] + score
                if total > best[end]:
                    best[end] = total
                    ways[end] = start, piece
        return ways

    def _edges(self, codes: Numbers, begin: int) -> Iterator[tuple[int, int, int, float]]:
        """Start, end, id and score of what can be a piece from there on, by start."""
        block = range(begin, min(begin + _BLOCK, len(codes)))
        in_no_piece = np.ones(len(block), bool)
        found = []
        for length, starts, pieces in self.trie.matches(codes, block):
            found.append((starts, starts + length, pieces, self.scores[pieces]))
            if length == 1:
                in_no_piece[starts - begin] = False
        lone = begin + np.flatnonzero(in_no_piece)
        unknown = np.full(len(lone), self.unknown), np.full(len(lone), self.unknown_score)
        found.append((lone, lone + 1, *unknown))
        starts, ends, pieces, scores = (
            np.concatenate(column) for column in zip(*found, strict=True)
        )
        order = np.argsort(starts, kind="stable")
        columns = (starts, ends, pieces, scores.astype(np.float64))
        return zip(*(column[order].tolist() for column in columns), strict=True)
