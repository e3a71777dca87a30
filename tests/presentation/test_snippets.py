"""What a terminal shows of a passage."""

from hypothesis import given
from hypothesis import strategies as st

from gdrive_rag_mcp.domain import TermStatistics
from gdrive_rag_mcp.presentation.snippets import SNIPPET_CHARS, snippet

FILLER = "The workshop is open on all working days and closed on public holidays. " * 20


def term(word: str, idf: float = 3.0) -> TermStatistics:
    return TermStatistics(word, (word,), 1, idf)


def test_a_short_passage_is_shown_whole_on_one_line() -> None:
    assert snippet("Two\nlines\tand a  blank") == "Two lines and a blank"


def test_a_long_passage_is_shown_where_the_question_is_answered() -> None:
    text = FILLER + "The deposit is 7,400 euros. " + FILLER

    shown = snippet(text, [term("deposit")])

    assert "The deposit is 7,400 euros." in shown
    assert shown.startswith("… ")
    assert shown.endswith(" …")


def test_the_place_with_more_of_the_question_wins() -> None:
    text = "The deposit. " + FILLER + "The deposit for the workshop in Bremen. " + FILLER

    shown = snippet(text, [term("deposit"), term("bremen")])

    assert "deposit for the workshop in Bremen" in shown


def test_without_a_known_term_it_is_the_beginning() -> None:
    assert snippet("First. " + FILLER, [term("absent")]).startswith("First. ")


@given(st.text(max_size=2000), st.lists(st.text(max_size=6), max_size=4))
def test_it_is_never_longer_than_promised(text: str, words: list[str]) -> None:
    assert len(snippet(text, [term(word) for word in words])) <= SNIPPET_CHARS + 4
