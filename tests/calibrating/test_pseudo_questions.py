"""A passage makes one question, always the same, in whatever language it is written."""

import pytest

from gdrive_rag_mcp.calibrating.questions import question_from
from gdrive_rag_mcp.terms import query_terms, tokens

PASSAGES = {
    "en": "The deposit of the workshop in Bremen is three months of rent, paid before moving in.",
    "de": "Die Kaution für die Werkstatt in Bremen beträgt drei Monatsmieten vor dem Einzug.",
    "vi": "Tiền đặt cọc của xưởng ở Bremen là ba tháng tiền thuê, trả trước khi dọn vào.",
    "th": "เงินมัดจำของโรงงานในเบรเมินคือค่าเช่าสามเดือนซึ่งต้องจ่ายก่อนย้ายเข้า",
    "zh": "不来梅车间的押金为三个月的租金，应在搬入之前支付给出租人。",
    "ja": "ブレーメンの工場の敷金は家賃の三か月分で、入居の前に支払う必要があります。",
    "ko": "브레멘 작업장의 보증금은 석 달 치 월세이며 입주하기 전에 지불해야 합니다.",
    "ar": "تأمين الورشة في بريمن هو إيجار ثلاثة أشهر يدفع قبل الانتقال إلى المبنى.",
    "fa": "ودیعه کارگاه در برمن سه ماه اجاره است که پیش از ورود باید پرداخت شود.",
    "hi": "ब्रेमेन की कार्यशाला की जमानत तीन महीने का किराया है जो प्रवेश से पहले देना होता है।",
}


@pytest.mark.parametrize("language", PASSAGES)
def test_a_question_has_some_of_the_words_of_its_passage_in_order(language: str) -> None:
    passage = PASSAGES[language]
    question = question_from(passage, "a")
    assert question is not None
    assert question == question_from(passage, "a")
    telling = [term.token for term in query_terms(question) if term.key]
    known = set(tokens(passage))
    shared = [token for token in telling if token in known]
    assert len(shared) >= 3
    assert len(shared) >= 0.8 * len(telling), "it is about the passage"
    of_passage = [term.token for term in query_terms(passage) if term.key]
    assert len(telling) < len(of_passage), "people ask with fewer words"


def test_another_key_may_choose_other_words() -> None:
    questions = {question_from(PASSAGES["en"], str(number)) for number in range(10)}
    assert len(questions) > 1


@pytest.mark.parametrize("text", ["", "Yes.", "The of and.", "12.", "Leave Rent"])
def test_a_passage_of_a_few_words_makes_none(text: str) -> None:
    assert question_from(text, "a") is None


def test_a_short_sentence_gives_way_to_one_that_says_more() -> None:
    text = "Yes. Indeed so. The notice period of every permanent employee is three months."
    question = question_from(text, "k")
    assert question is not None
    assert {"notice", "period", "permanent", "employee", "months", "three"} & set(tokens(question))
