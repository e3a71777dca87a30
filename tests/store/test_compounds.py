"""Compounds find their parts, and parts the compounds made of them."""

import pytest

from gdrive_rag_mcp.compounds import best_split
from gdrive_rag_mcp.domain import EVERYTHING, Filters
from gdrive_rag_mcp.store import Store
from gdrive_rag_mcp.terms import query_terms
from gdrive_rag_mcp.testing.hand_written import HandWritten, found_by_words


def ids(store: Store, question: str) -> list[str]:
    return [hit.document_id for hit in found_by_words(store, question)]


def chunks(store: Store, question: str) -> dict[str, int]:
    with store.reading():
        terms = store.index.statistics(query_terms(question), EVERYTHING, Filters()).terms
    return {term.surface: term.chunks for term in terms if term.key}


@pytest.mark.parametrize(
    ("text", "question", "term"),
    [
        ("Der Anspruch auf Urlaub verfällt.", "Wie ist der Urlaubsanspruch?", "Urlaubsanspruch"),
        ("Die Kosten der Reise trägt die Firma.", "Wer zahlt die Reisekosten?", "Reisekosten"),
        ("Het recht op verlof vervalt niet.", "Wat is het verlofrecht van ons?", "verlofrecht"),
        ("Every sheet of the time is kept.", "Where is the timesheet?", "timesheet"),
        ("Rätten till semester gäller alla.", "Vad är semesterrätten för oss?", "semesterrätten"),
    ],
)
def test_an_unknown_compound_is_known_where_its_parts_stand_together(
    store: Store, hand: HandWritten, text: str, question: str, term: str
) -> None:
    hand.put("right", text)
    hand.put("other", "ganz etwas anderes 12")
    assert ids(store, question) == ["right"]
    assert chunks(store, question)[term] == 1


def test_parts_that_stand_far_apart_are_no_compound(store: Store, hand: HandWritten) -> None:
    hand.put("apart", f"Der Berg. {'Wort ' * 30} Die Rosen.")
    hand.put("berg", "Ein Berg und noch ein Berg.")
    assert chunks(store, "Wo wohnt der Rosenberg?")["Rosenberg"] == 0


def test_a_known_compound_is_not_taken_apart(store: Store, hand: HandWritten) -> None:
    hand.put("whole", "Der Urlaubsanspruch beträgt 25 Tage.")
    hand.put("parts", "Anspruch auf Urlaub")
    assert ids(store, "Wie ist der Urlaubsanspruch?")[0] == "whole"


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Der Urlaubsanspruch beträgt 25 Tage.", "Welchen Anspruch auf Urlaub gibt es?"),
        ("Das Vertragsende ist im Mai.", "Wann ist das Ende des Vertrags?"),
        ("De verlofaanvraag is goedgekeurd.", "Hoe doe ik een aanvraag voor verlof?"),
        ("Fill in the timesheet weekly.", "Which sheet is for the time?"),
    ],
)
def test_the_words_of_a_question_find_the_compound_made_of_them(
    store: Store, hand: HandWritten, text: str, question: str
) -> None:
    hand.put("compound", text)
    hand.put("other", "ganz etwas anderes 12")
    assert ids(store, question) == ["compound"]


def test_a_compound_with_something_else_is_not_taken_for_a_word(
    store: Store, hand: HandWritten
) -> None:
    hand.put("a", "Hausmeister")
    assert chunks(store, "Welches Haus hat Fenster?")["Haus"] == 0


def test_of_several_ways_to_split_the_commoner_parts_win() -> None:
    counts = {"staub": 5, "ecken": 3, "staube": 0, "stau": 40, "becken": 60}
    split = best_split(
        "staubecken", "de", lambda words: {w: counts[w] for w in words if counts.get(w)}
    )
    assert split == ("stau", "becken")


def test_a_language_without_compounds_has_none() -> None:
    assert best_split("staubecken", "fr", lambda words: dict.fromkeys(words, 1)) is None
