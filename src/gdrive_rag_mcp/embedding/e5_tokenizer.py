"""The tokenizer of multilingual-e5-small, with the ids that the library `tokenizers` would give.

That library normalises here too. Its Unigram model would take 280 MB for these 250,000 pieces.
"""

import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import numpy as np
from tokenizers import Regex, normalizers

from gdrive_rag_mcp.embedding.model_folder import CELLS_FILE, CODES_FILE, SCORES_FILE
from gdrive_rag_mcp.embedding.packed_model import PackedModel, array_file
from gdrive_rag_mcp.embedding.piece_trie import build_piece_trie, open_piece_trie
from gdrive_rag_mcp.embedding.unigram import Unigram

# What SentencePiece's `nmt_nfkc` rule does besides NFKC: it drops some characters and takes others,
# the joiners and the replacement character among them, for a blank.
_DROPPED = "[\x01-\x08\x0b\x0e-\x1f\x7f\x8f\x9f]"
_BLANKS = "[\t\n\x0c\r\u1680\u200b-\u200f\u2028\u2029\u2581\ufeff\ufffd]"
_MARK = "▁"
_START, _END, _UNKNOWN = "<s>", "</s>", "<unk>"
# Wherever a text has these words, they are read as what they stand for: so does the tokenizer that
# the model's authors publish.
_SPECIAL = (_START, "<pad>", _END, _UNKNOWN, "<mask>")
_MOST_WORDS, _LONGEST_WORD = 10_000, 32


class E5Tokenizer:
    """Text to ids; safe to use from several threads.

    No piece reaches beyond a word, so a word has the same ids anywhere, and some are remembered.
    """

    def __init__(self, folder: Path) -> None:
        trie = open_piece_trie(folder)
        scores = np.load(folder / SCORES_FILE)
        self._special = {word: trie.find(word) for word in _SPECIAL}
        self._unigram = Unigram.of(trie, scores, self._special[_UNKNOWN])
        self.ends = self._special[_START], self._special[_END]
        self._between = re.compile(f"({'|'.join(_SPECIAL)})")
        self._remembered: dict[str, tuple[int, ...]] = {}
        self._normalizer = normalizers.Sequence(
            [
                normalizers.Replace(Regex(_DROPPED), ""),
                normalizers.Replace(Regex(_BLANKS), " "),
                normalizers.NFKC(),
            ]
        )

    def ids(self, text: str) -> list[int]:
        found: list[int] = []
        for part in self._between.split(text):
            if part in self._special:
                found.append(self._special[part])
            else:
                found.extend(self._ids_of_words(part))
        return found

    def _ids_of_words(self, text: str) -> Iterator[int]:
        words = self._normalizer.normalize_str(text).split()
        known = {word: self._remembered.get(word, ()) for word in words}
        new = [word for word, ids in known.items() if not ids]
        found = self._unigram.cut([_MARK + word for word in new])
        known.update(zip(new, found, strict=True))
        self._remember(new, known)
        return chain.from_iterable(known[word] for word in words)

    def _remember(self, words: list[str], known: dict[str, tuple[int, ...]]) -> None:
        if len(self._remembered) > _MOST_WORDS:
            self._remembered.clear()
        self._remembered.update(
            (word, known[word]) for word in words[:_MOST_WORDS] if len(word) <= _LONGEST_WORD
        )


def tokenizer_files(packed: PackedModel) -> dict[str, bytes]:
    """The files that `E5Tokenizer` reads, by their names in the folder."""
    cells, codes = build_piece_trie(packed.pieces)
    scores = np.array(packed.scores, "<f4")
    arrays = {CELLS_FILE: cells, CODES_FILE: codes, SCORES_FILE: scores}
    return {name: array_file(array) for name, array in arrays.items()}
