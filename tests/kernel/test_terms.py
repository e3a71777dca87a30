"""What counts as the same word, what a text is cut into, and what a question asks about."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gdrive_rag_mcp.cleaning import clean
from gdrive_rag_mcp.stop_words import STOP_PAIRS, STOP_WORDS
from gdrive_rag_mcp.terms import fold, is_single_sign, language_of, query_terms, stem, tokens

ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Leave", "LEAVE"),
        ("nghỉ phép", "nghi phep"),
        ("nghỉ phép", "nghi\u0309 phe\u0301p"),
        ("Đặng", "dang"),
        ("Straße", "STRASSE"),
        ("Büro", "buro"),
        ("Isparta", "ısparta"),
        ("İstanbul", "istanbul"),
        ("ISTANBUL", "ıstanbul"),
        ("Łódź", "lodz"),
        ("Ærø", "aero"),
        ("œuvre", "OEUVRE"),
        ("كتاب", "کتاب"),  # Arabic and Persian kaf
        ("علي", "علی"),  # Arabic and Persian yeh
        ("على", "علي"),
        ("أحمد", "احمد"),
        ("إجازة", "اجازه"),
        ("آب", "اب"),
        ("كِتَابٌ", "كتاب"),
        ("كـــتاب", "كتاب"),
        ("می\u200cخواهم", "میخواهم"),
        ("שָׁלוֹם", "שלום"),
        ("Ёлка", "елка"),
        ("ΆΔΕΙΑ", "άδεια"),
        ("άδειας", "ΑΔΕΙΑΣ"),
        ("ＫＸ－２００", "kx-200"),
        ("ｶﾞｽ", "ガス"),
        ("각", "\u1100\u1161\u11a8"),
        ("ﬁnance", "finance"),
        ("Vertrags\u00adtext", "Vertragstext"),
        ("①", "1"),
        ("Ⅳ", "iv"),
    ],
)
def test_words_that_a_reader_takes_for_the_same_are_the_same(one: str, other: str) -> None:
    assert fold(one) == fold(other)
    assert tokens(one) == tokens(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("हिन्दी", "हनद"),  # vowel signs are no accents
        ("が", "か"),
        ("ปี", "ป"),
        ("й", "k"),
        ("நாள்", "நாள"),
        ("年", "月"),
    ],
)
def test_signs_that_change_the_word_are_kept(one: str, other: str) -> None:
    assert fold(one) != fold(other)


@given(ANY_TEXT)
def test_folding_twice_is_folding_once(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@given(ANY_TEXT)
def test_cutting_tokens_again_finds_no_new_ones(text: str) -> None:
    once = set(tokens(text))
    again = set(tokens(" ".join(tokens(text))))

    assert again >= once
    assert all(is_single_sign(token) for token in again - once)


@given(ANY_TEXT)
def test_no_token_is_empty_or_has_a_blank_or_a_capital(text: str) -> None:
    for token in tokens(text):
        assert token
        assert not set(token) & set(" \t\n_\u200b\u200c\u00ad")
        assert fold(token) == token


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("?!… — _", []),
        ("Article 12(3), 2024-01-31", ["article", "12", "3", "2024", "01", "31"]),
        ("snake_case", ["snake", "case"]),
        ("don't", ["don", "t"]),
        ("年假有", ["年假", "假有", "有"]),
        ("税", ["税"]),
        ("연차휴가 규정", ["연차", "차휴", "휴가", "가", "규정", "정"]),
        ("有給休暇", ["有給", "給休", "休暇", "暇"]),
        ("データ・ベース", ["デー", "ータ", "タ", "ベー", "ース", "ス"]),
        ("ลาป่วย", ["ลา", "าป", "ป่", "่ว", "วย", "ย"]),
        ("KX200제품", ["kx200", "제품", "품"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("தமிழ் நாள்", ["தமிழ்", "நாள்"]),
        ("می\u200cخواهم", ["ميخواهم"]),
    ],
)
def test_a_text_is_cut_into_words_and_runs_without_blanks_into_pairs_and_their_end(
    text: str, expected: list[str]
) -> None:
    assert tokens(text) == expected


# ── questions ────────────────────────────────────────────────────────────────

QUESTIONS = {
    "en": ("How many days of leave do we have?", "days leave"),
    "de": ("Wie viele Tage Urlaub haben wir?", "tage urlaub"),
    "fr": ("Combien de jours de vacances sont payés ?", "jours vacances payes"),
    "es": ("¿Cuántos días de vacaciones tiene el empleado?", "dias vacaciones empleado"),
    "pt": ("Quantos dias de férias tem o empregado?", "dias ferias empregado"),
    "it": ("Quanti giorni di ferie ha il dipendente?", "giorni ferie dipendente"),
    "nl": ("Hoeveel dagen verlof hebben wij?", "dagen verlof"),
    "vi": ("Nhân viên được nghỉ phép bao nhiêu ngày?", "nhan vien nghi phep ngay"),
    "tr": ("Bir yılda kaç gün izin var?", "yilda gun izin"),
    "ro": ("Câte zile de concediu are un angajat?", "zile concediu angajat"),
    "ru": ("Сколько дней отпуска у нас есть?", "днеи отпуска"),
    "el": ("Πόσες ημέρες άδειας έχει ο εργαζόμενος;", "ημερεσ αδειασ εργαζομενοσ"),
    "ar": ("هل هناك إجازة في أكتوبر؟", "اجازه اكتوبر"),
    "fa": ("چند روز مرخصی برای هر کارمند هست؟", "روز مرخصي كارمند"),
    "hi": ("कर्मचारी को कितने दिन की छुट्टी है?", "कर्मचारी दिन छुट्टी"),
}


@pytest.mark.parametrize("language", QUESTIONS)
def test_a_question_is_about_its_content_words_and_not_its_function_words(language: str) -> None:
    question, content = QUESTIONS[language]

    assert language_of(question) == language
    assert [term.token for term in query_terms(question) if term.key] == content.split()
    assert set(tokens(question)) == {term.token for term in query_terms(question)}


@pytest.mark.parametrize(
    ("question", "function", "content"),
    [
        ("年假有多少天？", {"有多", "多少"}, {"年假", "少天"}),
        ("有給休暇は何日ですか", {"です", "すか"}, {"有給", "休暇"}),
        ("연차휴가는 며칠인가요?", {"인가", "가요"}, {"연차", "휴가", "며칠"}),
        ("ลาป่วยในปีแรก", {"ใน"}, {"ลา", "วย", "แร"}),
    ],
)
def test_question_words_without_blanks_are_told_by_their_pairs(
    question: str, function: set[str], content: set[str]
) -> None:
    key = {term.token: term.key for term in query_terms(question)}

    assert all(key[pair] is False for pair in function)
    assert all(key[pair] is True for pair in content)


@pytest.mark.parametrize(
    "question",
    [
        "Who is it?", "What", "Was ist das?", "Qu'est-ce que c'est ?", "¿Qué es esto?", "là gì",
        "Bu nedir?", "Что это у нас?", "ما هو؟", "این چه هست؟", "यह क्या है?", "是什么？",
        "什么", "무엇인가요?", "何ですか",
    ],
)  # fmt: skip
def test_a_question_of_function_words_alone_asks_about_nothing_and_keeps_its_terms(
    question: str,
) -> None:
    terms = query_terms(question)

    assert terms
    assert not any(term.key for term in terms)


@pytest.mark.parametrize("language", STOP_WORDS)
def test_the_function_words_of_a_language_are_clean_and_are_words(language: str) -> None:
    for word in STOP_WORDS[language]:
        assert clean(word) == word == word.lower()
        assert tokens(word), word


def test_every_stop_pair_is_one_that_a_text_is_cut_into() -> None:
    assert {pair for pair in STOP_PAIRS if tokens(pair) != [pair, pair[-1]]} == set()


def test_a_term_is_shown_as_it_was_asked_and_searched_for_as_it_is_indexed() -> None:
    shown = {term.surface: term.token for term in query_terms("Straße NGHỈ 연차휴가 Ａ１")}

    assert shown == {
        "Straße": "strasse", "NGHỈ": "nghi", "연차": "연차", "차휴": "차휴", "휴가": "휴가",
        "A1": "a1",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("question", "asked"),
    [("假", ["假"]), ("25일", ["25", "일"]), ("年假", ["年假"]), ("税 と 円", ["税", "と", "円"])],
)
def test_a_question_has_a_single_character_only_where_one_stands_alone(
    question: str, asked: list[str]
) -> None:
    assert [term.token for term in query_terms(question)] == asked


@given(ANY_TEXT)
def test_a_question_has_no_term_twice(text: str) -> None:
    found = [term.token for term in query_terms(clean(text))]

    assert len(found) == len(set(found))


# ── stems ────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("en", "policies", "policy"),
        ("de", "vertrage", "vertrag"),
        ("fr", "contrats", "contrat"),
        ("es", "contratos", "contrato"),
        ("ru", "отпуска", "отпуск"),
        ("tr", "kitaplar", "kitap"),
    ],
)
def test_two_forms_of_a_word_have_one_stem(language: str, one: str, other: str) -> None:
    assert stem(one, language) == stem(other, language) == fold(stem(one, language))


@pytest.mark.parametrize(("token", "language"), [("2024", "en"), ("연차", "ko"), ("phep", "vi")])
def test_what_has_no_stem_is_its_own(token: str, language: str) -> None:
    assert stem(token, language) == token
