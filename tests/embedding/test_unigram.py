"""Small vocabularies of any kind are searched as the library `tokenizers` searches them."""

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models

from gdrive_rag_mcp.embedding.piece_trie import PieceTrie, build_piece_trie
from gdrive_rag_mcp.embedding.unigram import Unigram

LETTERS = "abcé한\U0001f52c"
PIECES = st.text(LETTERS, min_size=1, max_size=6)
# Few and round, so that many ways have the same sum.
SCORES = st.sampled_from([-1.0, -1.5, -2.0, -3.0, -4.5, -9.0]) | st.floats(-20, 0, width=32)


def _trie(pieces: list[str]) -> PieceTrie:
    cells, codes = build_piece_trie(pieces)
    return PieceTrie(cells["base"], cells["parent"], cells["piece"], codes)


@given(
    vocabulary=st.dictionaries(PIECES, SCORES, min_size=1, max_size=40),
    words=st.lists(st.text(LETTERS + "z", min_size=1, max_size=30), max_size=5),
)
# A character that is alone in no piece: whether it is unknown depends on what that costs.
@example(vocabulary={"ca": -9.0, "ab": -1.0, "a": -9.0, "b": -9.0}, words=["cab"])
def test_words_are_cut_as_the_library_cuts_them(
    vocabulary: dict[str, float], words: list[str]
) -> None:
    pieces = [("?", 0.0), *vocabulary.items()]
    library = Tokenizer(models.Unigram(pieces, unk_id=0))
    scores = np.array([score for _, score in pieces], np.float32)
    ours = Unigram.of(_trie([piece for piece, _ in pieces]), scores, unknown=0)

    # Of ours, words may not share a piece, which the mark in front of each sees to elsewhere.
    found = [ours.cut([word])[0] for word in words]

    assert found == [tuple(library.encode(word).ids) for word in words]


@given(pieces=st.sets(PIECES, min_size=1, max_size=200), text=st.text(LETTERS, max_size=60))
def test_a_trie_finds_every_piece_in_a_text_and_nothing_else(pieces: set[str], text: str) -> None:
    ordered = sorted(pieces)
    trie = _trie(ordered)
    expected = {
        (start, piece)
        for piece in pieces
        for start in range(len(text))
        if text.startswith(piece, start)
    }

    found = [
        (int(start), ordered[piece])
        for length, starts, places in trie.matches(trie.codes_of(text), range(len(text)))
        for start, piece in zip(starts, places, strict=True)
    ]

    assert sorted(found) == sorted(expected)
    assert [trie.find(piece) for piece in ordered] == list(range(len(ordered)))


def test_a_word_longer_than_what_is_searched_at_a_time_is_cut_as_a_whole() -> None:
    pieces = ["?", "ab", "bc", "abc", "a", "b", "c", "cab"]
    scores = [0.0, -2.0, -2.5, -4.0, -3.0, -3.5, -3.0, -5.0]
    library = Tokenizer(models.Unigram(list(zip(pieces, scores, strict=True)), unk_id=0))
    ours = Unigram.of(_trie(pieces), np.array(scores, np.float32), unknown=0)
    text = "abcabbcza" * 3_000

    assert ours.cut([text]) == [tuple(library.encode(text).ids)]
