"""Which language a question or passage is in, and what a text does not say."""

import pytest

from gdrive_rag_mcp.terms import detected_language, language_of, words


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("How many days of leave are there?", "en"),
        ("Wie viele Urlaubstage gibt es?", "de"),
        ("Combien de jours de congé y a-t-il ?", "fr"),
        ("¿Cuántos días hay?", "es"),
        ("Có bao nhiêu ngày nghỉ?", "vi"),
        ("Kaç gün izin var, hangi yılda başlar?", "tr"),
        ("Сколько дней отпуска?", "ru"),
        ("كم عدد أيام الإجازة؟", "ar"),
        ("چند روز مرخصی هست؟", "fa"),
        ("कितने दिन की छुट्टी है?", "hi"),
        ("年假有多少天？", "zh"),
        ("有給休暇は何日ですか", "ja"),
        ("연차휴가는 며칠인가요?", "ko"),
        ("ลาพักร้อนได้กี่วัน", "th"),
        ("Πόσες ημέρες άδειας;", "el"),
    ],
)
def test_a_question_shows_its_language(text: str, language: str) -> None:
    assert detected_language(text) == language_of(text) == language


@pytest.mark.parametrize("text", ["", "42 %", "Tesla", "KX-200", "Invoice 2024 Berlin", "Q1;Q2;Q3"])
def test_names_codes_and_figures_are_in_no_language(text: str) -> None:
    assert detected_language(text) is None


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("What does the Korean word 정책 mean in the handbook?", "en"),
        ("KX-200 제품의 배터리 용량은 얼마인가요?", "ko"),
        ("尼古拉・特斯拉于1856年出生，是一位发明家，也是电气工程师。", "zh"),
        ("Was bedeutet 禅 in diesem Text?", "de"),
    ],
)
def test_a_quoted_word_of_another_script_does_not_decide(text: str, language: str) -> None:
    assert detected_language(text) == language


def test_where_the_text_does_not_say_english_is_as_good_as_any() -> None:
    assert language_of("Invoice 2024 Berlin") == "en"


def test_words_come_as_written_each_with_its_index_tokens() -> None:
    assert list(words("Über 3 Tage 年假期")) == [
        ("Über", ("uber",)), ("3", ("3",)), ("Tage", ("tage",)), ("年假期", ("年假", "假期")),
    ]  # fmt: skip
