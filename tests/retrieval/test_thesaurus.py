"""The operator's dictionary: what a term stands for, in any language."""

import pytest

from gdrive_rag_mcp.domain import Mode
from gdrive_rag_mcp.retrieval import Thesaurus, analyse
from tests.retrieval.small_search import SmallSearch, found, known

HOUSE = Thesaurus(
    [
        ("PTO", "paid time off", "Urlaub", "年假", "연차 휴가", "nghỉ phép"),
        ("NDA", "non-disclosure agreement"),
    ]
)
TEXTS = {
    "german": "Der Urlaub beträgt 25 Tage.",
    "chinese": "员工每年有二十天年假。",
    "korean": "연차 휴가는 15일이다.",
    "vietnamese": "Nhân viên được nghỉ phép 12 ngày.",
    "english": "Everybody gets paid time off.",
    "parts": "Invoices are paid in time; switch it off.",
}


@pytest.mark.parametrize(
    "question",
    ["How much PTO is there?", "How much paid time off is there?", "Urlaub?", "有多少天年假？",
     "연차 휴가는 며칠?", "Có bao nhiêu ngày nghỉ phép?"],
)  # fmt: skip
def test_a_term_finds_what_means_the_same_and_not_its_scattered_words(
    small: SmallSearch, question: str
) -> None:
    retrieved = small.ask(TEXTS, question, mode=Mode.KEYWORD, thesaurus=HOUSE, limit=10)
    assert set(found(retrieved)) >= {"german", "chinese", "korean", "vietnamese", "english"}
    assert "parts" not in found(retrieved)[:5]


def test_a_term_counts_as_known_when_a_synonym_is(small: SmallSearch) -> None:
    texts = {"german": "Der Urlaub beträgt 25 Tage.", "other": "Something else."}
    with_it = small.ask(texts, "How much PTO?", mode=Mode.KEYWORD, thesaurus=HOUSE)
    without = small.ask(texts, "How much PTO?", mode=Mode.KEYWORD)
    assert (known(with_it), known(without)) == ({"PTO": 1}, {"PTO": 0})


def test_a_term_of_several_words_counts_once_and_is_named_as_the_operator_wrote_it(
    small: SmallSearch,
) -> None:
    retrieved = small.ask(
        {"a": "Nothing."}, "paid time off for parents", mode=Mode.KEYWORD, thesaurus=HOUSE
    )
    assert known(retrieved) == {"paid time off": 0, "parents": 0}


def test_other_forms_of_a_term_are_the_term() -> None:
    terms = analyse("How long do non-disclosure agreements bind?", HOUSE)
    assert any("nda" in term.synonyms for term in terms)


@pytest.mark.parametrize("question", ["PTO NDA", "paid time off NDA", "NDA paid time off PTO"])
def test_terms_side_by_side_are_each_found(question: str) -> None:
    synonyms = {one for term in analyse(question, HOUSE) for one in term.synonyms}
    assert {"urlaub", "non disclosure agreement"} <= synonyms


def test_questions_without_such_terms_are_as_they_were() -> None:
    question = "When does the lease end?"
    assert analyse(question, HOUSE) == analyse(question)


def test_a_term_in_two_groups_has_the_synonyms_of_both() -> None:
    both = Thesaurus([("AL", "annual leave"), ("AL", "Alabama")])
    [term] = [term for term in analyse("AL?", both) if term.key]
    assert set(term.synonyms) == {"annual leave", "alabama"}
