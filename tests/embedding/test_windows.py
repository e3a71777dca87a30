"""Long texts are cut into parts that fit, and nothing of them is lost."""

import hypothesis.strategies as st
import pytest
from hypothesis import given

from gdrive_rag_mcp.embedding.windows import cut, estimated_tokens


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
