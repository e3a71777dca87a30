"""Why evidence is not sufficient, over retrieved evidence made by hand."""

from dataclasses import replace

import pytest

from gdrive_rag_mcp.domain import (
    CosineBackground,
    Evidence,
    PhraseKind,
    PhraseStatistics,
    QueryPhrase,
    VerdictReason,
    Weakness,
)
from gdrive_rag_mcp.evidence import judge
from gdrive_rag_mcp.evidence.parts import parts_of
from gdrive_rag_mcp.testing.made_evidence import hit, retrieved

KNOWN = {
    **dict.fromkeys(("what", "is", "the", "and", "who", "it", "of", "in", "not", "was"), 80),
    "notice": 4,
    "period": 6,
    "signs": 5,
    "lease": 5,
    "rent": 7,
    "2027": 3,
    "marta": 3,
    "lind": 3,
    "paid": 6,
    "400": 2,
    "euros": 9,
    "1": 1,
}
FILLERS = ("The canteen opens.", "Visitors wear badges.", "Laptops are replaced.")


def judged(question: str, *texts: str, cosine: float = 0.8) -> Evidence:
    hits = tuple(
        hit(text, rank, cosine=cosine - rank / 900, bm25=4.0 - rank / 10)
        for rank, text in enumerate((*texts, *FILLERS), start=1)
    )
    background = CosineBackground(0.78, 64)
    return judge(retrieved(question, hits, KNOWN, background=background), threshold=1.0)


def test_the_terms_that_the_best_candidate_lacks_are_named() -> None:
    found = judged("Who signs the lease in the notice period?", "The lease has a rent.")

    assert found.reason is VerdictReason.WEAK_MATCH
    assert found.shortfall.lacking_terms == ("signs", "notice", "period")
    assert Weakness.LACKS_TERMS in found.shortfall.weaknesses


@pytest.mark.parametrize(
    ("held", "lacks"),
    [
        ("In the notice period Marta Lind signs the lease.", False),
        ("In the notice period Marta Lind signs.", False),  # a seventh of the weight
        ("In the notice period Marta signs.", True),
    ],
)
def test_terms_are_said_to_be_lacking_from_a_fifth_of_the_question_on(
    held: str, *, lacks: bool
) -> None:
    found = judged("Who signs the lease of Marta Lind in the notice period?", held)

    assert (Weakness.LACKS_TERMS in found.shortfall.weaknesses) is lacks


def test_a_meaning_no_nearer_than_chance_is_told_and_a_near_one_is_not() -> None:
    far = judged("Who signs the lease in the notice period?", "A rent.", cosine=0.80)
    near = judged("Who signs the lease in the notice period?", "A rent.", cosine=0.95)

    assert far.shortfall.weaknesses[0] is Weakness.FAR_IN_MEANING
    assert Weakness.FAR_IN_MEANING not in near.shortfall.weaknesses


@pytest.mark.parametrize(
    ("question", "held", "lacking", "weakness"),
    [
        (
            "Is the rent of the lease 400 euros?",
            "The rent of the lease is 400 euros.",
            "The rent of the lease is 300 euros.",
            Weakness.LACKS_NUMBERS,
        ),
        (
            "Is the rent of the lease paid in 2027?",
            "The rent of the lease is paid in 2027.",
            "The rent of the lease is paid in 2021.",
            Weakness.LACKS_DATES,
        ),
        (
            "What rent is paid by Marta Lind?",
            "Rent is paid by Marta Lind.",
            "Rent is paid by Jo Falk.",
            Weakness.LACKS_NAMES,
        ),
    ],
)
def test_figures_and_names_that_were_asked_for_and_are_not_there_are_told(
    question: str, held: str, lacking: str, weakness: Weakness
) -> None:
    near = {"cosine": 0.95}

    assert weakness in judged(question, lacking, **near).shortfall.weaknesses
    assert weakness not in judged(question, held, **near).shortfall.weaknesses


def test_at_most_three_weaknesses_are_told() -> None:
    found = judged("Did Marta Lind pay 400 euros rent in 2027 for the lease?", "A period.")

    assert len(found.shortfall.weaknesses) == 3


def test_a_quotation_that_stands_nowhere_is_told() -> None:
    made = retrieved("Who signs “no dogs”?", (hit("The lease.", cosine=0.8, bm25=1.0),), KNOWN)
    phrase = QueryPhrase("no dogs", ("no dogs",), PhraseKind.QUOTATION)
    nowhere = replace(made.statistics, phrases=(PhraseStatistics(phrase, 0, 3.0),))
    somewhere = replace(made.statistics, phrases=(PhraseStatistics(phrase, 1, 3.0),))

    assert judge(replace(made, statistics=nowhere)).shortfall.quotations == ("no dogs",)
    assert judge(replace(made, statistics=somewhere)).shortfall.quotations == ()


def test_the_uncovered_part_of_two_is_named() -> None:
    found = judged("What is the notice period and who signs the lease?", "The notice period.")

    assert (found.sufficient, found.reason) == (False, VerdictReason.PARTLY_SUPPORTED)
    assert found.shortfall.supported_parts == ("What is the notice period",)
    assert found.shortfall.unsupported_parts == ("who signs the lease",)


def test_two_passages_may_cover_a_part_each() -> None:
    question = "What is the notice period and who signs the lease?"

    found = judged(question, "The notice period.", "Signs the lease: the lease signs Jo.")

    assert found.shortfall.unsupported_parts == ()


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("How does the rent change between 2019 and 2021?", "en"),
        ("What happened to the lease in 2021 and 2022?", "en"),
        ("When it rains, what is closed?", "en"),
        ("Как называется задача, которая решается компьютером?", "ru"),
        ("Wie heißt die Stadt, in der Bach geboren wurde?", "de"),
        ("Is the rent paid? State that and explain it.", "en"),
    ],
)
def test_a_question_that_asks_for_one_thing_is_not_split(question: str, language: str) -> None:
    assert len(parts_of(question, language)) == 1


def test_sentences_and_lists_are_parts_too() -> None:
    listed = [part.text for part in parts_of("What are the rent, the deposit and the fee?", "en")]
    asked = [part.text for part in parts_of("What is the rent? Who signs the lease?", "en")]

    assert listed == ["What are the rent", "the deposit", "the fee"]
    assert asked == ["What is the rent", "Who signs the lease"]


def test_a_question_of_function_words_alone_has_no_part_that_is_supported() -> None:
    found = judged("What is it and who was the?", "The lease is in it, and was.")

    assert found.reason is VerdictReason.WEAK_MATCH
    assert not found.shortfall.supported_parts
    assert not found.sufficient
