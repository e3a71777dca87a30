"""Copies collapse into the best of them, which says where they are; versions do not."""

import pytest

from gdrive_rag_mcp.domain import Hit, Mode
from gdrive_rag_mcp.retrieval.ranking import without_copies
from gdrive_rag_mcp.testing.made_evidence import passage
from tests.retrieval.small_search import SmallSearch, found

CLAUSE = (
    "The tenant pays the rent in advance on the first working day of each month to the account "
    "of the landlord, and bears the cost of heating, water and small repairs up to the limit that "
    "the annex names for each year of the lease."
)
KLAUSEL = (
    "Der Mieter zahlt die Miete im Voraus am ersten Werktag des Monats auf das Konto des "
    "Vermieters und trägt die Kosten für Heizung, Wasser und kleine Reparaturen bis zu der Grenze, "
    "die in der Anlage für jedes Jahr genannt wird."
)
CHINESE = (
    "承租人应于每月第一个工作日向出租人账户预付租金，"
    "并承担暖气、水费以及不超过附件所列限额的小修费用。"
)


def test_copies_collapse_and_the_hit_names_where_they_are(small: SmallSearch) -> None:
    texts = {f"copy{number}": CLAUSE for number in range(6)}
    texts["other"] = "Rent of garages is paid with the rent of the flat."
    retrieved = small.ask(texts, "When is the rent paid?")
    assert sorted(found(retrieved)) == ["copy0", "other"]
    [hit] = [hit for hit in retrieved.hits if hit.passage.document_id == "copy0"]
    assert sorted(copy.document_id for copy in hit.duplicates) == [
        f"copy{number}" for number in range(1, 6)
    ]
    assert all(copy.exact and copy.path for copy in hit.duplicates)


@pytest.mark.parametrize(
    ("one", "other", "question"),
    [
        (CLAUSE, CLAUSE.upper(), "When is the rent paid?"),
        (CLAUSE, CLAUSE.replace(", ", " , ").replace(" ", "  "), "When is the rent paid?"),
        (KLAUSEL, KLAUSEL.replace("trägt", "tra\u0308gt"), "Wann wird die Miete gezahlt?"),
        (CHINESE, CHINESE.replace("，", "。"), "租金何时支付？"),
    ],
)
def test_case_blanks_and_marks_make_no_other_text(
    small: SmallSearch, one: str, other: str, question: str
) -> None:
    retrieved = small.ask({"a": one, "b": other}, question)
    assert len(retrieved.hits) == 1
    assert [copy.exact for copy in retrieved.hits[0].duplicates] == [True]


def test_a_word_of_many_that_is_another_leaves_a_near_copy_which_is_told(
    small: SmallSearch,
) -> None:
    changed = CLAUSE.replace("working day", "business day")
    retrieved = small.ask({"a": CLAUSE, "b": changed}, "When is the rent paid?")
    assert [copy.exact for copy in retrieved.hits[0].duplicates] == [False]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (f"{CLAUSE} The rent is 900 euros.", f"{CLAUSE} The rent is 950 euros."),
        (f"{CLAUSE} It ends on 1 March 2024.", f"{CLAUSE} It ends on 1 May 2024."),
        (CLAUSE, CLAUSE.replace("bears", "does not bear")),
        (f"{CLAUSE} Signed by Anna Schmidt.", f"{CLAUSE} Signed by Anna Weber."),
        (KLAUSEL, KLAUSEL.replace("trägt die", "trägt nicht die")),
        (CHINESE, CHINESE.replace("应于", "不应于")),
        ("The rent is due monthly.", "The rent is due yearly."),
    ],
)
def test_what_differs_in_a_number_a_date_a_name_or_a_denial_is_no_copy(
    small: SmallSearch, one: str, other: str
) -> None:
    retrieved = small.ask({"a": one, "b": other}, "rent Miete 租金")
    assert sorted(found(retrieved)) == ["a", "b"]


def test_copies_do_not_take_the_places_of_other_hits(small: SmallSearch) -> None:
    texts = {f"copy{number}": CLAUSE for number in range(30)}
    texts |= {f"t{number}": f"Rent of garage {number} in the yard." for number in range(12)}
    retrieved = small.ask(
        texts, "rent in advance on the first working day", mode=Mode.KEYWORD, limit=10
    )
    assert len(retrieved.hits) == 10
    assert len([one for one in found(retrieved) if one.startswith("copy")]) == 1


def test_the_kept_one_has_the_best_rank_of_the_group(small: SmallSearch) -> None:
    texts = {f"copy{number}": CLAUSE for number in range(4)}
    [hit] = small.ask(texts, "rent").hits
    assert (hit.keyword_rank, hit.vector_rank) == (1, 1)


def test_the_kept_one_takes_over_what_the_group_has_of_best_in_each_ranking() -> None:
    first = Hit(passage(CLAUSE, 1), 1, 0.9, keyword_rank=4, bm25=2.0, vector_rank=2, cosine=0.8)
    other = Hit(passage(CLAUSE, 2), 2, 0.8, keyword_rank=1, bm25=5.0, vector_rank=3, cosine=0.7)
    unseen = Hit(passage(CLAUSE, 3), 3, 0.7, vector_rank=1, cosine=0.85)
    [kept] = without_copies([first, other, unseen])
    assert kept.passage.document_id == "d1"
    assert (kept.keyword_rank, kept.bm25, kept.vector_rank, kept.cosine) == (1, 5.0, 1, 0.85)
