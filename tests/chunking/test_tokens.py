"""The token estimate by itself; `test_real_tokens.py` holds it against a real tokenizer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gdrive_rag_mcp.chunking.tokens import (
    HUNDREDTHS,
    MOST_CHARACTERS_PER_TOKEN,
    TOUCHING,
    Costs,
    estimate_tokens,
    measure,
)

TEXTS = st.one_of(
    st.text(max_size=80),
    st.text(alphabet="aZq. 9-é한ฯก،", max_size=80),
    st.text("﷽㍿ab ", max_size=20),
)


def test_no_text_costs_nothing_and_any_text_costs_something() -> None:
    assert estimate_tokens("") == 0
    assert estimate_tokens("a") >= 1
    assert estimate_tokens(" ") >= 1


@given(TEXTS, TEXTS)
def test_two_texts_together_never_cost_more_than_apart(one: str, other: str) -> None:
    assert estimate_tokens(one + other) <= estimate_tokens(one) + estimate_tokens(other)
    assert measure(one + other) <= measure(one) + measure(other) + TOUCHING
    assert measure(f"{one} {other}") == measure(f"{one} ") + measure(other)


@given(TEXTS, st.characters(exclude_categories=["Cs"]))
def test_a_longer_text_never_costs_less(text: str, more: str) -> None:
    assert estimate_tokens(text + more) >= estimate_tokens(text)


@given(st.text(min_size=1, max_size=300))
def test_a_bound_on_tokens_bounds_the_characters(text: str) -> None:
    assert len(text) <= estimate_tokens(text) * MOST_CHARACTERS_PER_TOKEN
    assert len(text) * 8 <= measure(text)


@given(TEXTS.filter(bool), st.integers(1, 30), st.data())
def test_a_limit_reaches_as_far_as_the_estimate_allows(
    text: str, limit: int, data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    fitting = [
        offset
        for offset in range(start, len(text) + 1)
        if estimate_tokens(text[start:offset]) <= limit
    ]

    costs = Costs(text)

    assert costs.reach(start, len(text), limit) == fitting[-1]
    assert costs.reach(start, fitting[-1], limit) == fitting[-1]


@given(TEXTS, st.data())
def test_a_slice_costs_what_it_costs_by_itself(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))

    assert Costs(text).of(start, end) == measure(text[start:end])


def test_costs_hold_far_into_a_long_text() -> None:
    text = "Ein Satz, der sich wiederholt. " * 4000
    costs, offset, steps = Costs(text), 0, 0

    while offset < len(text):
        reached = costs.reach(offset, len(text), 50)
        assert estimate_tokens(text[offset:reached]) <= 50
        assert reached == len(text) or estimate_tokens(text[offset : reached + 1]) > 50
        offset, steps = reached, steps + 1

    assert steps > 400


@pytest.mark.parametrize(
    ("dearer", "cheaper"),
    [
        ("Xk9fQz2LpR7vWm4T", "sixteen character"),  # a code, and prose
        ("zqxwvkjyzqxw", "sternenlicht"),
        ("﷽", "a"),  # one character that stands for eighteen
        ("연구개발보고서", "lengthy"),
        ("\U0001f9ea\U0001f52c\U0001f9eb", "abc"),
    ],
)
def test_what_models_cut_finely_costs_more_than_prose_of_that_length(
    dearer: str, cheaper: str
) -> None:
    assert measure(dearer) > 1.5 * measure(cheaper)


def test_plain_english_costs_about_a_token_and_a_half_a_word() -> None:
    text = "The deposit is due within three weeks after the beginning of the lease."

    assert 13 * HUNDREDTHS <= measure(text) <= 22 * HUNDREDTHS
