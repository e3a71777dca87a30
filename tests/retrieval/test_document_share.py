"""One document does not take all the first places where another's passages are as good."""

from gdrive_rag_mcp.domain import Hit
from gdrive_rag_mcp.retrieval.ranking import shared_out
from gdrive_rag_mcp.testing.made_evidence import passage


def hits(*scored: tuple[int, float]) -> list[Hit]:
    return [
        Hit(passage(f"text {at}", number), at, score) for at, (number, score) in enumerate(scored)
    ]


def documents(ordered: list[Hit]) -> list[str]:
    return [hit.passage.document_id for hit in ordered]


def test_a_fourth_passage_waits_for_another_document_that_is_as_good() -> None:
    given = hits((1, 1.0), (1, 0.9), (1, 0.8), (1, 0.7), (1, 0.69), (2, 0.68), (3, 0.67))
    ordered = shared_out(given, most=3, near=0.9)
    assert documents(ordered) == ["d1", "d1", "d1", "d2", "d3", "d1", "d1"]


def test_what_is_much_worse_goes_before_nothing() -> None:
    given = hits((1, 1.0), (1, 0.9), (1, 0.8), (1, 0.7), (2, 0.3))
    assert shared_out(given, most=3, near=0.9) == given


def test_the_first_hit_stays_and_nothing_gets_lost_or_doubled() -> None:
    given = hits(*((1, 1.0 - at / 100) for at in range(8)), (2, 0.92), (2, 0.91))
    ordered = shared_out(given, most=3, near=0.9)
    assert ordered[0] == given[0]
    assert sorted(hit.rank for hit in ordered) == sorted(hit.rank for hit in given)
    assert [hit.rank for hit in ordered if hit.passage.document_id == "d1"] == list(range(8))


def test_three_passages_of_a_document_come_before_others_that_are_nearly_as_good() -> None:
    given = hits((1, 1.0), (1, 0.99), (1, 0.98), (2, 0.97))
    assert shared_out(given, most=3, near=0.9) == given


def test_only_the_first_five_places_are_shared_out() -> None:
    given = hits((1, 1.0), (1, 0.99), (1, 0.98), (2, 0.97), (3, 0.96), (1, 0.95), (4, 0.94))
    assert shared_out(given, most=3, near=0.9) == given
