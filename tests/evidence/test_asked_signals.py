"""Signals of what a question asks for, in several languages, against values worked out by hand."""

import math
from collections.abc import Mapping

import pytest

from gdrive_rag_mcp.evidence import asked_signals as signals
from gdrive_rag_mcp.evidence.asked_signals import ASKED_SIGNALS
from gdrive_rag_mcp.evidence.reading import WINDOW, Reading, read
from gdrive_rag_mcp.evidence.signals import SEARCH_SIGNALS, close_coverage
from gdrive_rag_mcp.terms import query_terms
from gdrive_rag_mcp.testing.made_evidence import hit, idf, retrieved


def reading(question: str, *texts: str, known: Mapping[str, int] | None = None) -> Reading:
    """Hits of these texts; every token of the question is in 2 of 100 chunks unless told."""
    if known is None:
        known = {term.token: 2 for term in query_terms(question)}
    hits = tuple(hit(text, rank, bm25=9.0 - rank) for rank, text in enumerate(texts, 1))
    return read(retrieved(question, hits, known))


ANSWERED = [
    (
        "When did the Hanoi lease end?",
        "The Hanoi lease had its end in 1987.",
        "The Hanoi lease had its end.",
    ),
    (
        "Wann endete der Mietvertrag?",
        "Der Mietvertrag endete am 3. Mai.",
        "Der Mietvertrag endete bald.",
    ),
    ("Когда истек договор аренды?", "Договор аренды истек 3 мая.", "Договор аренды истек."),
    ("租约什么时候结束？", "租约于1987年结束。", "租约已经结束。"),
    ("契約はいつ終わりましたか", "契約は5月3日に終わりました。", "契約は終わりました。"),
    (
        "Hợp đồng thuê kết thúc khi nào?",
        "Hợp đồng thuê kết thúc năm 1987.",
        "Hợp đồng thuê kết thúc.",
    ),
    ("اجاره چه سالی پایان یافت؟", "اجاره سال ۱۳۶۵ پایان یافت.", "اجاره پایان یافت."),
    ("How many rooms has the house?", "The house has rooms, 12 of them.", "The house has rooms."),
    (
        "How many rooms has the house?",
        "The house has twelve rooms.",
        "The house of 1987 has rooms.",
    ),
    ("How much is the rent?", "The rent is 500 euros.", "The rent is 500."),
    ("Сколько стоит аренда?", "Аренда стоит 500 рублей.", "Аренда стоит дорого."),
    ("家賃はいくらですか", "家賃は500円です。", "家賃は高いです。"),
    ("임대료는 얼마입니까?", "임대료는 500원.", "임대료는 비싸다."),
    (
        "How long does the lease run?",
        "The lease does run for 30 days.",
        "The lease does run for 30 people.",
    ),
    ("How long does the lease run?", "The lease does run three years.", "The lease does run."),
    (
        "Wie lange läuft der Mietvertrag?",
        "Der Mietvertrag läuft 30 Tage.",
        "Der Mietvertrag läuft.",
    ),
    (
        "Who signed the lease?",
        "The lease was signed by Miller.",
        "The lease was signed by someone.",
    ),
    ("Где подписали договор?", "Договор подписали в Казани.", "Договор подписали здесь."),
]


@pytest.mark.parametrize(("question", "with_answer", "without"), ANSWERED)
def test_an_answer_of_the_type_asked_for_counts_near_the_terms(
    question: str, with_answer: str, without: str
) -> None:
    told = reading(question, without, with_answer)
    assert signals.answer_type_near(told) == pytest.approx(
        close_coverage(reading(question, with_answer))
    )
    assert signals.answer_type_near(told) > 0
    assert signals.answer_type_near(reading(question, without)) == 0.0


def test_an_answer_far_from_the_terms_does_not_count() -> None:
    far = "The Hanoi lease had its end " + "word " * WINDOW + "1987."
    assert signals.answer_type_near(reading("When did the Hanoi lease end?", far)) == 0.0


def test_what_the_question_names_itself_is_no_answer() -> None:
    asked = reading(
        "Who signed the lease with Miller in 1987?", "The lease with Miller was signed."
    )
    assert signals.answer_type_near(asked) == 0.0
    dated = reading("When after 1987 did the lease end?", "The lease came to its end after 1987.")
    assert signals.answer_figure_present(dated) == 0.0


@pytest.mark.parametrize("question", ["What is a lease?", "谁签了租约？", "누가 서명했습니까?"])
def test_questions_whose_answer_cannot_be_seen_say_nothing(question: str) -> None:
    assert math.isnan(signals.answer_type_near(reading(question, "lease 租约")))


def test_the_figure_asked_for_is_looked_for_in_the_fullest_window_alone() -> None:
    question = "When did the Hanoi lease end?"
    full, other = "The Hanoi lease had its end.", "The lease of 1987."
    assert signals.answer_figure_present(reading(question, other, full)) == 0.0
    assert signals.answer_figure_present(reading(question, full + " It was 1987.")) == 1.0
    assert math.isnan(signals.answer_figure_present(reading("Who signed the lease?", full)))


@pytest.mark.parametrize(
    ("question", "text", "share"),
    [
        ("Is the deposit 5,000?", "A deposit of 5.000", 1.0),
        ("保証金は5000ですか", "保証金は５０００です", 1.0),
        ("क्या जमा 5000 है?", "जमा ५००० है", 1.0),
        ("Is the deposit 5,000 or 70?", "A deposit of 5000", 0.5),
        ("Is the deposit 5,000?", "A deposit of 50,000", 0.0),
        ("Is the deposit 5,000?", "A deposit. " + "word " * WINDOW + "5000", 0.0),
        ("Was the deposit paid in 1987?", "A deposit", math.nan),
        ("Was the deposit paid on 3 May?", "A deposit", math.nan),
    ],
)
def test_numbers_held_are_found_in_any_form_near_the_terms(
    question: str, text: str, share: float
) -> None:
    assert signals.numbers_held(reading(question, text)) == pytest.approx(share, nan_ok=True)


@pytest.mark.parametrize(
    ("question", "text", "share"),
    [
        ("What happened to the lease on 3 May 1987?", "The lease of 1987-05-03", 1.0),
        ("Was geschah mit dem Mietvertrag am 3. Mai 1987?", "Mietvertrag vom 3.5.1987", 1.0),
        ("1987年5月3日の契約は何ですか", "契約は1987年5月3日に", 1.0),
        ("What happened to the lease in May 1987?", "The lease of May 3, 1987", 1.0),
        ("What happened to the lease on 3 May 1987?", "The lease of 4 May 1987", 0.5),
        ("What happened to the lease in 1987?", "The lease of 1988", 0.0),
        ("What happened to the lease?", "The lease of 1988", math.nan),
    ],
)
def test_dates_held_compares_years_months_and_days(question: str, text: str, share: float) -> None:
    assert signals.dates_held(reading(question, text)) == pytest.approx(share, nan_ok=True)


@pytest.mark.parametrize(
    ("question", "text", "share"),
    [
        ("How many kilometers is the road?", "The road has 5 km", 1.0),
        ("How many kilometers is the road?", "The road has 5 miles", 0.0),
        ("Wie viele Tage dauert die Reise?", "Die Reise dauert 3 Tage", 1.0),
        ("Con đường dài bao nhiêu km?", "Con đường dài 5 kilômét", 1.0),
        ("What is the rent in dollars?", "The rent is $500", 1.0),
        ("In what year was the rent paid?", "The rent was paid in 1987", math.nan),
        ("What is the rent?", "The rent is $500", math.nan),
    ],
)
def test_units_held_looks_for_the_unit_under_any_of_its_names(
    question: str, text: str, share: float
) -> None:
    assert signals.units_held(reading(question, text)) == pytest.approx(share, nan_ok=True)


def test_entities_are_the_capitalised_words_acronyms_and_codes_within_a_question() -> None:
    question = "What did Marco Polo sell to NASA with KX200?"
    names = ("marco", "polo", "nasa", "kx200")
    known = {"sell": 9, "marco": 3, "polo": 3, "nasa": 5, "kx200": 1}
    whole = sum(idf(known[name], 100) for name in names)
    held = reading(
        question, "Marco sells. Polo", "nasa kx200 " + "word " * 50 + "marco", known=known
    )
    best = (idf(5, 100) + idf(1, 100) + idf(3, 100)) / whole
    assert signals.entities_held(held) == pytest.approx(best)
    assert signals.entities_together(held) == pytest.approx((idf(5, 100) + idf(1, 100)) / whole)


@pytest.mark.parametrize(
    ("question", "text", "expected"),
    [
        ("Who was the friend of Marco?", "marco", 1.0),
        ("Marco Polo was whose friend?", "marco polo", 1.0),
        ("Who wrote “the long road”?", "long road", 1.0),
        ("トムの友人は誰ですか", "トムの友人", 1.0),
        ("Кто был другом Марко?", "никто", 0.0),
        ("Wessen Freund war Marco Polo?", "Marco Polo", 1.0),
        ("Welche Miete zahlt der Mieter?", "Miete", math.nan),
        ("What is the rent?", "rent", math.nan),
        ("Rent of what?", "rent", math.nan),
        ("谁是他的朋友？", "朋友", math.nan),
    ],
)
def test_what_counts_as_a_name(question: str, text: str, expected: float) -> None:
    assert signals.entities_held(reading(question, text)) == pytest.approx(expected, nan_ok=True)


DENIED = [
    ("Which rooms are not let?", "The rooms that are not let", "The rooms that are let"),
    ("Welche Zimmer sind nicht vermietet?", "Zimmer ohne Mieter", "Zimmer sind vermietet"),
    ("Quelles pièces ne sont pas louées ?", "pièces jamais louées", "pièces louées"),
    ("Какие комнаты не сданы?", "комнаты без жильцов", "комнаты сданы"),
    ("Phòng nào không cho thuê?", "phòng chưa cho thuê", "phòng cho thuê của ông"),
    ("Hangi odalar kiralık değil?", "kiralık olmayan odalar", "kiralık odalar"),
    ("कौन से कमरे किराए पर नहीं हैं?", "कमरे किराए के बिना", "कमरे किराए पर हैं"),
    ("哪些房间没有出租？", "房间没有出租", "房间已出租"),
    ("貸していない部屋は何ですか", "部屋は貸さない", "部屋は貸す"),
    ("임대하지 않은 방은 무엇인가?", "방은 임대하지 않는다", "방은 임대한다"),
    ("ห้องใดไม่ให้เช่า", "ห้องไม่ให้เช่า", "ห้องให้เช่า"),
    ("کدام اتاق‌ها اجاره نشده؟", "اتاق‌ها بدون اجاره", "اتاق‌ها اجاره شد"),
]


@pytest.mark.parametrize(("question", "denying", "affirming"), DENIED)
def test_a_negation_asked_for_must_be_in_the_fullest_window(
    question: str, denying: str, affirming: str
) -> None:
    assert signals.negation_agrees(reading(question, denying)) == 1.0
    assert signals.negation_agrees(reading(question, affirming)) == 0.0


def test_without_a_negation_in_the_question_that_of_the_text_says_nothing() -> None:
    assert math.isnan(signals.negation_agrees(reading("Which rooms are let?", "rooms not let")))


OPPOSED = [
    ("Which room is the largest?", "largest and smallest room", "the smallest room"),
    ("Which rooms are occupied?", "rooms are occupied", "rooms are unoccupied"),
    ("Which rooms are unoccupied?", "rooms are unoccupied", "rooms are occupied"),
    ("Welches Zimmer ist das größte?", "das größte Zimmer", "das kleinste Zimmer"),
    ("Какая комната первая?", "первая комната", "последняя комната"),
    ("哪个房间最大？", "房间最大", "房间最小"),
    ("最大の部屋はどれですか", "最大の部屋", "最小の部屋"),
    ("서울에서 가장 높은 방은?", "서울의 높은 방", "서울의 낮은 방"),
    ("Phòng nào lớn nhất?", "phòng lớn nhất", "phòng nhỏ nhất"),
]


@pytest.mark.parametrize(("question", "agreeing", "opposite"), OPPOSED)
def test_a_window_with_the_opposite_of_a_word_asked_disagrees(
    question: str, agreeing: str, opposite: str
) -> None:
    # A prefixed opposite is known of only where it is met: any word might have one.
    agrees = math.nan if "occupied" in question else 1.0
    assert signals.opposites_agree(reading(question, agreeing)) == pytest.approx(
        agrees, nan_ok=True
    )
    assert signals.opposites_agree(reading(question, opposite)) == 0.0


def test_a_question_that_names_both_opposites_asks_which() -> None:
    asked = reading("Is the rent higher or lower?", "The rent is lower.")
    assert math.isnan(signals.opposites_agree(asked))


def test_a_word_with_no_opposite_says_nothing() -> None:
    assert math.isnan(signals.opposites_agree(reading("Who paid the rent?", "rent")))


def test_every_signal_is_documented_named_once_and_unknown_with_nothing_found() -> None:
    empty = read(retrieved("When did Marco Polo not pay 5,000 dollars more?", (), {}))
    for name, signal in ASKED_SIGNALS.items():
        assert signal.__doc__
        assert name not in SEARCH_SIGNALS
        assert math.isnan(signal(empty)) or signal(empty) == 0.0
