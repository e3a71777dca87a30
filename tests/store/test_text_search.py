"""Search by words: every script, any syntax, and an order that makes sense."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gdrive_rag_mcp.cleaning import clean
from gdrive_rag_mcp.domain import EVERYTHING, Filters, TermStatistics
from gdrive_rag_mcp.store import Store
from gdrive_rag_mcp.store.text_index import inverse_document_frequency
from gdrive_rag_mcp.terms import query_terms, tokens
from gdrive_rag_mcp.testing.hand_written import HandWritten, found_by_words

ANYTHING = Filters()


def ids(store: Store, question: str) -> list[str]:
    return [hit.document_id for hit in found_by_words(store, question)]


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("员工可以申请无薪休假", "休假"),
        ("日本の年次有給休暇について", "有給"),
        ("ソフトウェアの更新", "ソフト"),
        ("휴가 정책은 다음과 같다", "정책"),
        ("นโยบายการลาพักร้อน", "ลาพัก"),
        ("𠮷野家の営業時間", "𠮷野家"),
        ("Nghỉ phép không lương", "nghi phep"),
        ("Nghi phep khong luong", "nghỉ phép"),
        ("Über die Kündigung", "kundigung"),
        ("Ελληνική άδεια", "αδεια"),
        ("Оплачиваемый отпуск", "ОТПУСК"),
        ("Straße nach Łódź", "strasse lodz"),
        ("ＦＵＬＬＷＩＤＴＨ text", "fullwidth"),
        ("إجازة بدون راتب", "اجازة"),
        ("अवकाश नीति", "नीति"),
        ("the policies of the company", "policy"),
        ("our policy", "policies"),
        ("She was running late", "runs"),
        ("die Verträge", "Vertrag der Firma"),
        ("Price list 4711-B", "4711"),
        ("\uf0b7Sabbatical\uf0b7leave", "sabbatical"),
        ("snake_case_name", "case"),
        ("❤️leave1️⃣", "leave1"),
        ("stored at 20 ℃", "20 °c"),
        ("𝐒𝐚𝐛𝐛𝐚𝐭𝐢𝐜𝐚𝐥", "sabbatical"),
        ("ราคา ฿500", "฿500"),
        ("ケース・スタディの例", "ケース・スタディ"),
        ("员工每年享有25天的带薪年假。", "假"),
        ("年假制度", "假"),
        ("연차 휴가는 매년 25일이다.", "25일"),
        ("説明は一万円、税別", "税"),
        ("説明は一万円", "円"),
        ("ลาป่วย", "ย"),
    ],
)
def test_a_text_is_found_by_its_words(
    store: Store, hand: HandWritten, text: str, question: str
) -> None:
    hand.put("a", text)
    hand.put("b", "unrelated 12 無関係 다른")
    assert ids(store, question) == ["a"]


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(min_size=1, max_size=60))
def test_whatever_a_question_takes_for_a_word_is_in_the_index(
    store: Store, hand: HandWritten, text: str
) -> None:
    text = clean(text)
    hand.put("a", text or "-")
    with store.reading():
        statistics = store.index.statistics(query_terms(text), EVERYTHING, ANYTHING)
    assert [term.surface for term in statistics.terms if not term.chunks] == []
    if tokens(text):
        assert ids(store, text) == ["a"]


SYNTAX = [
    *('"', "leave*", "NEAR(leave pay)", "body:leave", "leave AND NOT pay", "^leave", "{body}"),
    *("-leave", "leave OR", "(leave", "leave + pay", 'col : "x', "'; DROP TABLE files; --"),
]


@pytest.mark.parametrize("question", SYNTAX)
def test_search_syntax_is_just_text(store: Store, hand: HandWritten, question: str) -> None:
    hand.put("a", "unpaid leave")
    hand.put("b", f"someone typed {question} here, leaves fall")
    found = ids(store, question)
    assert ("b" in found) == bool(tokens(question))
    assert set(ids(store, "unpaid")) == {"a"}


@pytest.mark.parametrize("token", ['"', '""', 'a" OR "b', "*", "NEAR", "AND", "body", "\ue0001"])
def test_a_term_of_any_characters_is_no_syntax(store: Store, hand: HandWritten, token: str) -> None:
    hand.put("a", "leave")
    term = TermStatistics(token, (token,), 1, 1.0)
    assert store.index.search_text([term], EVERYTHING, ANYTHING, 5) == ()


def test_titles_headings_and_names_are_searched_too(store: Store, hand: HandWritten) -> None:
    hand.put("titled", "text", title="Sabbatical rules")
    hand.put("headed", "text", headings=("Absence", "Sabbatical"))
    hand.put("sabbatical-form", "text")
    assert set(ids(store, "sabbatical")) == {"titled", "headed", "sabbatical-form"}
    assert ids(store, "sabbatical")[0] == "titled"


def test_more_rare_words_rank_higher_and_stop_words_do_not_win(
    store: Store, hand: HandWritten
) -> None:
    for number in range(30):
        hand.put(f"noise{number}", f"this is what the people of the office do on day {number}")
    hand.put("both", "the sabbatical of an apprentice")
    hand.put("one", "the sabbatical of the director")
    hand.put("stops", "what is the of the is what the of what is the")
    found = ids(store, "what is the sabbatical of the apprentice")
    assert found[:2] == ["both", "one"]


def corpus(hand: HandWritten, draw: np.random.Generator) -> dict[str, Counter[str]]:
    """Texts of made-up words, a few of them common; by document."""
    words = [f"w{number}x" for number in range(40)]
    shares = 1 / np.arange(1, 41)
    texts = {}
    for number in range(60):
        text = draw.choice(words, size=12, p=shares / shares.sum()).tolist()
        hand.put(f"d{number}", " ".join(text))
        texts[f"d{number}"] = Counter(text)
    return texts


def test_statistics_count_the_chunks_that_know_a_term(store: Store, hand: HandWritten) -> None:
    texts = corpus(hand, np.random.default_rng(3))
    for number in range(0, 60, 3):  # deleted rows must not be counted
        hand.delete(f"d{number}")
        del texts[f"d{number}"]
    with store.reading():
        asked = query_terms(" ".join(f"w{number}x" for number in range(40)) + " nowhere")
        statistics = store.index.statistics(asked, EVERYTHING, ANYTHING)
    assert (statistics.documents, statistics.chunks) == (40, 40)
    for term in statistics.terms:
        expected = sum(term.surface in words for words in texts.values())
        assert term.chunks == expected
        assert term.idf == pytest.approx(inverse_document_frequency(expected, 40))
    assert statistics.ideal_bm25 == pytest.approx(sum(term.idf for term in statistics.terms))


def test_bm25_is_the_formula_that_statistics_speak_of(store: Store, hand: HandWritten) -> None:
    """sqlite.org/fts5.html §5.1.1: k1 = 1.2, b = 0.75, lengths over all columns."""
    texts = corpus(hand, np.random.default_rng(5))
    with store.reading():
        statistics = store.index.statistics(query_terms("w20x w30x"), EVERYTHING, ANYTHING)
        matches = store.index.search_text(statistics.terms, EVERYTHING, ANYTHING, 100)
        passages = store.index.passages([match.chunk for match in matches], EVERYTHING)
    assert len(matches) == sum(bool({"w20x", "w30x"} & set(words)) for words in texts.values()) > 3
    idf = {term.surface: term.idf for term in statistics.terms}
    for match in matches:
        words = texts[passages[match.chunk].document_id]
        # All texts are equally long, so that the length term is 1.
        score = sum(
            idf[word] * words[word] * 2.2 / (words[word] + 1.2) for word in ("w20x", "w30x")
        )
        assert match.bm25 == pytest.approx(score, rel=1e-6)


def test_a_word_that_half_of_the_corpus_knows_has_a_floor_and_no_negative_weight() -> None:
    assert inverse_document_frequency(90, 100) == 1e-6
    assert inverse_document_frequency(0, 0) == 0.0
    values = [inverse_document_frequency(known, 1000) for known in range(0, 1000, 50)]
    assert values == sorted(values, reverse=True)


@pytest.mark.parametrize("question", ["ما هو كتاب الموظف", "أين يوجد الكتاب", "أين السجل والكتاب"])
def test_an_arabic_word_is_found_through_its_article_and_conjunction(
    store: Store, hand: HandWritten, question: str
) -> None:
    for number, word in enumerate(("كتاب", "الكتاب", "والكتاب", "بالكتاب", "للكتاب", "وكتاب")):
        hand.put(f"book{number}", f"نص {word} هنا")
    hand.put("office", "نص المكتب هنا")
    hand.put("girl", "نص البنت هنا")
    assert set(ids(store, question)) == {f"book{number}" for number in range(6)}


@pytest.mark.parametrize(
    ("question", "kin", "no_kin"),
    [
        ("कर्मचारी को छुट्टी", ["छुट्टियां", "छुट्टी", "कर्मचारियों"], ["छोटा", "कंपनी"]),
        ("the policy of the company", ["policies", "policy"], ["police", "polite"]),
        ("these policies of the company", ["policies", "policy"], ["police", "polite"]),
        ("der Vertrag mit dem Haus", ["Verträge", "Vertrages", "Häuser"], ["Vertrauen", "Hausrat"]),
        ("die Verträge für die Häuser", ["Vertrag", "Haus"], ["Vertrauen", "Hausrat"]),
        ("Bir kitap için izin var mı", ["kitaplar", "kitabı", "kitabın"], ["kitle", "kita"]),
        ("Bu kitabı kim için aldı", ["kitap", "kitaplar"], ["kitle", "kita"]),
        ("Как получить отпуск для нас", ["отпуска", "отпуском"], ["отправка"]),
    ],
)
def test_a_word_is_found_in_its_other_forms(
    store: Store, hand: HandWritten, question: str, kin: list[str], no_kin: list[str]
) -> None:
    for word in (*kin, *no_kin):
        hand.put(word, f"12 {word} 34")
    assert set(ids(store, question)) == set(kin)


@pytest.mark.parametrize("word", ["go", "ab", "is4", "4711", "INV2024"])
def test_short_words_and_codes_have_no_other_forms(
    store: Store, hand: HandWritten, word: str
) -> None:
    for ending in ("", "s", "es", "ing", "ed", "1"):
        hand.put(f"a{ending}", f"{word}{ending} 12")
    assert ids(store, word) == ["a"]


def test_a_term_has_its_dozen_most_frequent_forms_however_many_there_are(
    store: Store, hand: HandWritten
) -> None:
    leads = ("", "ال", "وال", "بال", "لل", "و", "ب")
    spelt = [lead + "كتاب" + ending for lead in leads for ending in ("", "ه", "ها", "هم")]
    for number, word in enumerate(spelt):
        hand.put(f"d{number}", f"نص {word} هنا")
    hand.put("again", f"نص {spelt[-1]} هنا")
    with store.reading():
        (term,) = store.index.statistics(query_terms("كتاب"), EVERYTHING, ANYTHING).terms
    assert term.forms[:2] == ("كتاب", spelt[-1])
    assert len(term.forms) == 13 < len(spelt)
    assert term.chunks == 14


def test_a_single_sign_has_its_most_frequent_pairs_as_forms_and_is_found_in_all(
    store: Store, hand: HandWritten
) -> None:
    others = [chr(0x4E00 + number) for number in range(80)]
    for number, other in enumerate(others):
        hand.put(f"d{number}", f"假{other}")
    hand.put("again", f"假{others[-1]}")
    hand.put("last", "年假")
    hand.put("other", "年度")
    with store.reading():
        (term,) = store.index.statistics(query_terms("假"), EVERYTHING, ANYTHING).terms
        matches = store.index.search_text([term], EVERYTHING, ANYTHING, 100)
    assert term.forms[:2] == ("假", f"假{others[-1]}")
    assert len(term.forms) == 65
    assert term.chunks == len(matches) == 82


def test_a_rare_pair_of_a_single_sign_weighs_no_more_than_a_common_one(
    store: Store, hand: HandWritten
) -> None:
    for number in range(20):
        hand.put(f"noise{number}", "无关")
    for number in range(3):
        hand.put(f"common{number}", "税率")
    hand.put("rare", "税额")
    with store.reading():
        (term,) = store.index.statistics(query_terms("税"), EVERYTHING, ANYTHING).terms
        matches = store.index.search_text([term], EVERYTHING, ANYTHING, 10)
    assert len(matches) == 4
    assert max(match.bm25 for match in matches) == pytest.approx(
        min(match.bm25 for match in matches)
    )


def test_word_forms_that_are_no_kin_are_left_alone(store: Store, hand: HandWritten) -> None:
    hand.put("a", "universe")
    hand.put("b", "policemen politics")
    hand.put("c", "policy")
    assert ids(store, "policies") == ["c"]
