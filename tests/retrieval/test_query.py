"""Questions at the border: what is refused, what is repaired, what is only text."""

import pytest

from gdrive_rag_mcp.errors import QueryError
from gdrive_rag_mcp.retrieval.query import MAX_QUESTION_CHARACTERS, analyse, checked_question


@pytest.mark.parametrize("text", ["", "   \n", "?!…", "— “” ()", "🙂🙂", "\x00", "\ud800", "＿_"])
def test_a_question_without_a_word_is_refused_with_a_remedy(text: str) -> None:
    with pytest.raises(QueryError) as refused:
        checked_question(text)
    assert refused.value.hint


def test_a_question_over_the_limit_is_refused_with_its_length_and_the_limit() -> None:
    with pytest.raises(QueryError, match=r"100,000 characters.*4,000"):
        checked_question("word " * 19_999 + "words")


def test_a_question_at_the_limit_is_taken() -> None:
    assert len(checked_question("a" * MAX_QUESTION_CHARACTERS)) == MAX_QUESTION_CHARACTERS


def test_nul_surrogates_and_bidi_overrides_are_taken_out_of_a_question() -> None:
    assert checked_question("leave\x00 \ud83dpolicy\u202e?") == "leave policy?"


def test_decomposed_and_composed_questions_are_the_same() -> None:
    assert checked_question("nghi\u0309 phe\u0301p") == checked_question("nghỉ phép")


@pytest.mark.parametrize(
    "text",
    ['lease AND NOT "void"', "title:lease", "lease*", "NEAR(lease, 5)", '" OR 1=1 --', "^lease -x"],
)
def test_operators_of_a_search_syntax_are_only_text(text: str) -> None:
    assert checked_question(text) == text
    assert all(term.token.isalnum() for term in analyse(text))


def test_function_words_are_marked_and_the_rest_is_key() -> None:
    terms = {term.token: term.key for term in analyse("How many days of sabbatical leave?")}
    assert terms == {
        "how": False, "many": False, "of": False, "days": True, "sabbatical": True, "leave": True,
    }  # fmt: skip


def test_a_word_asked_twice_is_one_term() -> None:
    assert [term.token for term in analyse("Lease or lease?")] == ["lease", "or"]


def test_a_script_without_blanks_is_asked_for_in_pairs() -> None:
    assert [term.token for term in analyse("特斯拉")] == ["特斯", "斯拉"]
