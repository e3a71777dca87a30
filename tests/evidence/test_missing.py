"""Words that the corpus does not know, as the asker wrote them."""

import pytest

from gdrive_rag_mcp.evidence.missing import missing_codes, missing_words
from gdrive_rag_mcp.testing.made_evidence import terms_of


def missing(question: str, *known: str) -> list[str]:
    terms = terms_of(question, dict.fromkeys(known, 3))
    return [word.surface for word in missing_words(question, terms)]


def test_an_unknown_word_is_named_as_it_was_written() -> None:
    assert missing("Is SABBATICAL leave paid?", "leave", "paid") == ["SABBATICAL"]


def test_unknown_function_words_are_not_missing() -> None:
    assert missing("Who would have leave?", "leave") == []


def test_a_word_asked_twice_is_named_once() -> None:
    assert missing("Sabbatical or a sabbatical?") == ["Sabbatical"]


@pytest.mark.parametrize(
    ("question", "known", "expected"),
    [
        # 特斯拉 is unknown; 出生 is known, and the pairs across the border prove nothing
        ("特斯拉出生", ["出生"], ["特斯拉"]),
        # both words known, only the pair that straddles them is not
        ("年假工资", ["年假", "工资"], []),
        # one character at the end that no known pair attests is a particle or the like
        ("年假吗", ["年假"], []),
        ("年假", [], ["年假"]),
        ("สัญญาเช่า", [], ["สัญญาเช่า"]),
    ],
)
def test_unknown_pairs_are_put_back_together_to_words(
    question: str, known: list[str], expected: list[str]
) -> None:
    assert missing(question, *known) == expected


def test_a_korean_word_is_named_whole() -> None:
    assert missing("특허청은 어디?", "특허") == ["특허청은"]
    assert missing("특허를 신청", "특허", "신청") == []


def test_a_single_sign_is_missing_only_where_nothing_begins_with_it() -> None:
    assert missing("假 25일", "25") == ["假", "일"]
    assert missing("假 25일", "25", "假", "일") == []


def test_a_latin_name_in_another_script_is_named() -> None:
    assert missing("Kubernetes 비용은?", "비용", "용은") == ["Kubernetes"]


@pytest.mark.parametrize(
    ("question", "codes"),
    [
        ("Is the KX-4711 in stock?", ("KX-4711",)),
        ("Range of the A380?", ("A380",)),
        ("Where is INV-2024-117?", ("INV-2024-117",)),
        ("Rent in 2031?", ("2031",)),
        ("2031년 임대료는?", ("2031",)),
        ("Rent from 2029-2031?", ("2029", "2031")),
        # written in many ways, so that their absence proves nothing
        ("Is 5000 euros the limit?", ()),
        ("The results of Q3?", ()),
        ("Music of the 1960s?", ()),
        ("The 10th series?", ()),
        ("What does USA mean?", ()),
    ],
)
def test_a_code_or_year_that_is_unknown_is_named_whole(
    question: str, codes: tuple[str, ...]
) -> None:
    assert missing_codes(question, missing_words(question, terms_of(question, {}))) == codes


def test_a_code_whose_parts_are_known_is_not_missing() -> None:
    question = "Is the KX-4711 in stock?"
    terms = terms_of(question, {"kx": 1, "4711": 2})
    assert missing_codes(question, missing_words(question, terms)) == ()
