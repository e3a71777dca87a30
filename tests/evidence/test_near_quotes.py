"""Quotes that were changed: whatever is done to their words, an honest place or none is told."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gdrive_rag_mcp.domain import QuoteMatch, QuoteVerdict
from gdrive_rag_mcp.errors import QueryError
from gdrive_rag_mcp.evidence.quotes import checked_quote, verify

# Few words, so that they repeat; and signs, which stand for nothing when places are weighed.
WORDS = st.sampled_from(
    [
        "a",
        "the",
        "of",
        "rent",
        "lease",
        "notice",
        "days",
        "30",
        "I",
        "x",
        "契約",
        "の",
        "|",
        "—",
        "(",
        ")",
        ".",
        ",",
        "#",
        "*",
    ]
)
TEXTS = st.lists(WORDS, min_size=3, max_size=40).map(" ".join)
SAID = (
    "Either party may end the lease by giving notice of ninety days in writing to the other party "
    "at its registered office, and no later than the thirtieth of June of the year before."
)


@st.composite
def changed_quotes(draw: st.DrawFn) -> tuple[str, str]:
    """A text, and words of it of which some were replaced, dropped, doubled or moved."""
    text = draw(TEXTS)
    words = text.split()
    start = draw(st.integers(0, len(words) - 1))
    quote = words[start : start + draw(st.integers(1, 12))]
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, len(quote) - 1))
        match draw(st.sampled_from(["replace", "drop", "double", "move"])):
            case "replace":
                quote[at] = draw(WORDS)
            case "drop" if len(quote) > 1:
                del quote[at]
            case "double":
                quote.insert(at, quote[at])
            case _:
                quote.insert(draw(st.integers(0, len(quote) - 1)), quote.pop(at))
    return text, " ".join(quote)


def assert_is_honest(text: str, quote: str, match: QuoteMatch) -> None:
    """What is told of a place is what stands there."""
    assert 0 <= match.similarity <= 1
    assert bool(match.places) is (match.verdict is not QuoteVerdict.ABSENT)
    for place in match.places:
        assert 0 <= place.start < place.end <= len(text)
    if match.verdict is QuoteVerdict.NEAR:
        place = match.places[0]
        assert match.differences
        assert all(one.document in text[place.start : place.end] for one in match.differences)
        assert all(one.quote in quote for one in match.differences)


@settings(max_examples=300, deadline=None)
@given(changed_quotes())
@example(("notice a x # | , a of — I rent to a the — days —", "— the"))
@example((") . , * 契約 of rent lease * to # 30 notice 30 | , rent , 30 days # x", "# days notice"))
@example(("x , * , x , the a ( a 30 days | . I — of * の", "x , * of the"))
def test_a_changed_quote_is_told_with_what_stands_there_or_is_absent(
    asked: tuple[str, str],
) -> None:
    text, quote = asked
    try:
        checked = checked_quote(quote)
    except QueryError:
        return

    assert_is_honest(text, quote, verify(text, checked))


@pytest.mark.parametrize("sign", ["—", "|", "#", "( —"])
def test_a_sign_that_stands_elsewhere_too_does_not_lead_away_from_the_word(sign: str) -> None:
    text = f"notice a x # | ( of {sign} I rent to a the {sign} days {sign}"

    match = verify(text, checked_quote(f"{sign} the"))

    assert_is_honest(text, f"{sign} the", match)


@given(st.integers(0, SAID.count(" ")), st.sampled_from(["zebra", "41", "—", "the", "of of"]))
def test_one_changed_word_of_a_sentence_leaves_it_near(at: int, other: str) -> None:
    words = SAID.split(" ")
    changed = " ".join([*words[:at], other, *words[at + 1 :]])

    match = verify(f"Before it. {SAID} After it, the rent is due.", checked_quote(changed))

    if changed != SAID:
        assert match.verdict is QuoteVerdict.NEAR
        assert match.similarity > 0.9
        assert_is_honest(f"Before it. {SAID} After it, the rent is due.", changed, match)
