"""Words that the corpus does not know, as the asker wrote them."""

import pytest

from gdrive_rag_mcp.evidence.missing import missing_words
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


def test_a_latin_name_in_another_script_is_named() -> None:
    assert missing("Kubernetes 비용은?", "비용", "용은") == ["Kubernetes"]
