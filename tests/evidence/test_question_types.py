"""The type of answer that a question asks for, by language."""

import re

import pytest

from gdrive_rag_mcp.evidence.lexicon_questions import QUESTION_WORDS
from gdrive_rag_mcp.evidence.question_types import AnswerType, answer_type
from gdrive_rag_mcp.terms import language_of

ASKED = {
    "who": {
        "en": "Who signed the lease?",
        "de": "Wer hat den Vertrag unterschrieben?",
        "fr": "Qui a signé le contrat ?",
        "es": "¿Quién firmó el contrato?",
        "pt": "Quem assinou o contrato?",
        "it": "Chi ha firmato il contratto?",
        "nl": "Wie heeft het contract getekend?",
        "ro": "Cine a semnat contractul?",
        "vi": "Ai đã ký hợp đồng?",
        "tr": "Sözleşmeyi kim imzaladı?",
        "el": "Ποιος υπέγραψε τη σύμβαση;",
        "ru": "Кто подписал договор?",
        "ar": "من الذي وقع العقد؟",
        "fa": "چه کسی قرارداد را امضا کرد؟",
        "hi": "अनुबंध पर किसने हस्ताक्षर किए?",
        "th": "ใครลงนามในสัญญา",
        "zh": "谁签了合同？",
        "ja": "契約に署名したのは誰ですか。",
        "ko": "누가 계약에 서명했습니까?",
        "id": "Siapa yang menandatangani kontrak?",
    },
    "when": {
        "en": "In what year did it open?",
        "de": "In welchem Jahr wurde es eröffnet?",
        "fr": "En quelle année a-t-il ouvert ?",
        "es": "¿En qué año abrió?",
        "pt": "Em que ano abriu?",
        "it": "In quale anno è stato aperto?",
        "nl": "In welk jaar ging het open?",
        "ro": "În ce an s-a deschis?",
        "vi": "Nó mở cửa vào năm nào?",
        "tr": "Hangi yılda açıldı?",
        "el": "Ποιο έτος άνοιξε;",
        "ru": "В каком году он открылся?",
        "ar": "في أي عام تم افتتاحه؟",
        "fa": "در چه سالی افتتاح شد؟",
        "hi": "यह किस वर्ष खुला?",
        "th": "เปิดเมื่อปีใด",
        "zh": "它是哪一年开放的？",
        "ja": "それは何年に開業しましたか。",
        "ko": "언제 문을 열었습니까?",
        "id": "Kapan dibuka?",
    },
    "where": {
        "en": "Where is the office?",
        "de": "Wo liegt das Büro?",
        "fr": "Où se trouve le bureau ?",
        "es": "¿Dónde está la oficina?",
        "vi": "Văn phòng nằm ở đâu?",
        "tr": "Ofis nerede?",
        "ru": "Где находится офис?",
        "ar": "أين يقع المكتب؟",
        "fa": "دفتر کجا قرار دارد؟",
        "hi": "कार्यालय कहाँ है?",
        "th": "สำนักงานอยู่ที่ไหน",
        "zh": "办公室在哪里？",
        "ja": "事務所はどこですか。",
        "ko": "사무실은 어디에 있습니까?",
    },
    "how_many": {
        "en": "How many people work there?",
        "de": "Wie viele Menschen arbeiten dort?",
        "fr": "Combien de personnes y travaillent ?",
        "es": "¿Cuántas personas trabajan allí?",
        "vi": "Có bao nhiêu người làm việc ở đó?",
        "ru": "Сколько людей там работает?",
        "ar": "كم عدد الموظفين؟",
        "fa": "چند نفر آنجا کار می‌کنند؟",
        "hi": "वहाँ कितने लोग काम करते हैं?",
        "zh": "那里有多少人工作？",
        "ja": "そこでは何人が働いていますか。",
        "ko": "몇 명이 일합니까?",
    },
    "how_much": {
        "en": "What percentage of the rent is paid?",
        "de": "Wie hoch ist die Miete?",
        "vi": "Tiền thuê là bao nhiêu tiền?",
        "ru": "Какой процент аренды оплачен?",
        "fa": "چند درصد پرداخت شد؟",
        "zh": "租金多少钱？",
        "ja": "家賃はいくらですか。",
        "ko": "임대료는 얼마입니까?",
    },
    "how_long": {
        "en": "How long does the lease run?",
        "de": "Wie lange läuft der Vertrag?",
        "fr": "Combien de temps dure le bail ?",
        "vi": "Hợp đồng kéo dài bao lâu?",
        "zh": "租约多久？",
        "th": "สัญญานานเท่าไหร่",
    },
    "other": {
        "en": "Why was the lease ended?",
        "de": "Was steht im Vertrag?",
        "vi": "Hợp đồng nói gì?",
        "zh": "合同里写了什么？",
        "ja": "契約には何が書かれていますか。",
    },
}


@pytest.mark.parametrize(
    ("kind", "language", "question"),
    [(kind, *pair) for kind, asked in ASKED.items() for pair in asked.items()],
)
def test_the_question_word_of_each_language_tells_the_type_of_answer(
    kind: str, language: str, question: str
) -> None:
    assert answer_type(question, language) == kind


@pytest.mark.parametrize(
    "question",
    [
        "What happens when the lease ends?",
        "When the lease ends, what must be paid?",
        "Which form is for those who leave?",
    ],
)
def test_a_question_word_that_begins_a_clause_is_not_what_is_asked(question: str) -> None:
    assert answer_type(question, "en") is AnswerType.OTHER


def test_machine_and_how_many_are_told_apart_by_their_marks() -> None:
    assert answer_type("Máy nào đắt nhất?", "vi") is AnswerType.OTHER
    assert answer_type("Có mấy máy?", "vi") is AnswerType.HOW_MANY


def test_a_language_without_a_table_asks_for_anything() -> None:
    assert answer_type("Hvem skrev under?", "da") is AnswerType.OTHER


def test_every_language_has_every_type_and_no_group_of_its_own() -> None:
    for language, table in QUESTION_WORDS.items():
        assert set(table) == set(AnswerType), language
        assert all(re.compile(pattern).groups == 0 for pattern in table.values()), language


def test_the_languages_of_the_tables_are_those_that_are_detected() -> None:
    assert language_of(ASKED["when"]["vi"]) == "vi"
    assert language_of(ASKED["when"]["fa"]) == "fa"
