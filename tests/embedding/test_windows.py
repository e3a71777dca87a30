"""Long texts are cut into parts that fit, and nothing of them is lost."""

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from gdrive_rag_mcp.embedding.windows import average, batches, cut, cut_to_fit, estimated_tokens
from gdrive_rag_mcp.errors import EmbeddingError


@given(st.text(alphabet=" \nabcä한漢字ก🙂", max_size=400), st.integers(1, 40))
def test_parts_fit_and_hold_every_character_but_blanks_in_order(text: str, most: int) -> None:
    parts = cut(text, most)

    assert "".join("".join(parts).split()) == "".join(text.split())
    assert all(estimated_tokens(part) <= most for part in parts)


@pytest.mark.parametrize("text", ["", "one short text", "짧은 글"])
def test_a_text_that_fits_is_left_as_it_is(text: str) -> None:
    assert cut(text, 512) == [text]


def test_a_cut_falls_between_words_where_there_are_some() -> None:
    text = "one two three four five six seven eight nine ten " * 20

    assert set(" ".join(cut(text, 25)).split()) == set(text.split())


def test_a_text_without_blanks_is_cut_all_the_same() -> None:
    assert [len(part) for part in cut("漢" * 1000, 300)] == [300, 300, 300, 100]


@given(st.text(alphabet=" \nabcä漢🙂", max_size=200), st.integers(1, 30), st.integers(1, 4))
def test_parts_fit_by_the_models_own_count_even_where_the_estimate_is_wrong(
    text: str, room: int, tokens_a_character: int
) -> None:
    def tokens(part: str) -> int:
        return len(part) * tokens_a_character

    parts = cut_to_fit(text, room, tokens)

    assert "".join("".join(parts).split()) == "".join(text.split())
    assert all(tokens(part) <= room or len(part) == 1 for part in parts)


def test_a_text_that_fits_by_count_is_left_whole_though_the_estimate_says_more() -> None:
    assert cut_to_fit("漢" * 100, 30, lambda part: len(part) // 10) == ["漢" * 100]


def test_calls_are_as_full_as_texts_and_tokens_allow_and_keep_the_order() -> None:
    short, long = ["abc"] * 5, ["abc" * 40] * 3

    assert [*batches(short + long, texts=4, tokens=100)] == [
        short[:4], [*short[4:], *long[:2]], long[2:],
    ]  # fmt: skip
    assert [*batches(long, texts=4, tokens=1)] == [[one] for one in long]
    assert [*batches([], texts=4, tokens=1)] == []


def test_parts_count_by_their_weight_and_the_mean_has_length_1() -> None:
    east, north = np.eye(2, dtype=np.float32)
    vectors = np.stack([east, east, north, north])

    found = average([[1], [3, 1], [1]], vectors, provider="made")

    assert np.allclose(found[1], np.array([3, 1]) / np.sqrt(10), atol=1e-6)
    assert np.array_equal(found[0], east)
    assert np.array_equal(found[2], north)


def test_parts_that_cancel_each_other_out_are_refused() -> None:
    east = np.array([[1, 0], [-1, 0]], np.float32)

    with pytest.raises(EmbeddingError, match="zeros"):
        average([[1, 1]], east, provider="made")
