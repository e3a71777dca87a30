"""The verdict behind a real index: a small handbook, with and without an answer in it."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from gdrive_rag_mcp.chunking.structural import StructuralChunker
from gdrive_rag_mcp.domain import Evidence, Mode, Query, VerdictReason
from gdrive_rag_mcp.evidence import judge
from gdrive_rag_mcp.retrieval import Retriever
from gdrive_rag_mcp.store import Store
from gdrive_rag_mcp.testing.hashing_embedder import HashingEmbedder
from gdrive_rag_mcp.testing.small_index import fill_index, plain_document

HANDBOOK = {
    "leave": "Every employee earns 24 days of annual leave a year. Leave that is not taken lapses"
    " at the end of March. Managers approve leave within five working days.",
    "sick": "Call your manager before nine when you are ill. From the third day on a certificate"
    " of a doctor is needed. Sick pay lasts six weeks.",
    "travel": "Travel costs are refunded within ten days of the claim. Receipts are needed for"
    " every cost above 15 euros. First class is never refunded.",
    "lease": "The lease of the Da Nang warehouse ends on 31 October 2027. The landlord is Truong"
    " Son Estates; the deposit is three months of rent.",
    "laptop": "Laptops are replaced every four years. A lost laptop is reported to the help desk"
    " within an hour, and its disk is wiped from afar.",
    "expenses": "Suppliers are paid thirty days after the invoice. Invoices above 5,000 euros need"
    " the signature of two directors.",
    "security": "Visitors sign in at the gate and wear a badge. Badges are returned in the"
    " evening. The alarm is armed at ten.",
    "canteen": "The canteen opens at eleven and closes at two. Breakfast is free on Fridays.",
    "training": "Each team has a budget for training. Courses abroad are approved by the head of"
    " personnel.",
    "remote": "Remote work is allowed on two days a week. The core hours are ten to three.",
    "pension": "The company adds four percent of the salary to the pension fund after one year.",
    "parking": "Parking spaces are given by lot in January. Electric cars charge for free.",
}

ANSWERED = {
    "How many days of annual leave does an employee earn?": "leave",
    "When does the lease of the Da Nang warehouse end?": "lease",
    "How many years until laptops are replaced?": "laptop",
    "Within how many days are travel costs refunded?": "travel",
    "When does the canteen close?": "canteen",
}
UNANSWERED = [
    "What is the capital of France?",
    "How much parental allowance is paid for twins?",
    "Which antivirus product is installed on servers?",
    "Who won the football championship?",
]

Judging = Callable[[str], Evidence]


@pytest.fixture
def judging(tmp_path: Path) -> Callable[..., Judging]:
    """Index texts, and get a function that judges questions over them."""
    number = iter(range(100))

    def over(texts: Mapping[str, str], mode: Mode = Mode.KEYWORD) -> Judging:
        path = tmp_path / f"{next(number)}.db"
        documents = ((key, plain_document(text)) for key, text in texts.items())
        fill_index(path, documents, StructuralChunker(300, 40), HashingEmbedder())

        def judged(question: str) -> Evidence:
            with Store.open_for_reading(path) as store:
                retriever = Retriever(store.index, HashingEmbedder(), mode)
                return judge(retriever.retrieve(Query(question)))

        return judged

    return over


@pytest.mark.parametrize("mode", [Mode.KEYWORD, Mode.HYBRID])
def test_a_dozen_documents_are_enough_to_tell_answered_from_unanswered(
    judging: Callable[..., Judging], mode: Mode
) -> None:
    judged = judging(HANDBOOK, mode)
    assert {question: judged(question).sufficient for question in (*ANSWERED, *UNANSWERED)} == {
        **dict.fromkeys(ANSWERED, True),
        **dict.fromkeys(UNANSWERED, False),
    }


def test_shared_function_words_are_no_evidence_and_the_unknown_words_are_named(
    judging: Callable[..., Judging],
) -> None:
    evidence = judging(HANDBOOK)("What is the capital of France?")
    assert evidence.reason is VerdictReason.TERMS_ABSENT
    assert evidence.missing_terms == ("capital", "France")


def test_taking_the_answering_document_out_turns_the_verdict(
    judging: Callable[..., Judging],
) -> None:
    for question, document in ANSWERED.items():
        without = {key: text for key, text in HANDBOOK.items() if key != document}
        assert not judging(without)(question).sufficient, question


def test_the_order_of_the_documents_does_not_change_the_verdict(
    judging: Callable[..., Judging],
) -> None:
    forth, back = judging(HANDBOOK), judging(dict(reversed(HANDBOOK.items())))
    for question in (*ANSWERED, *UNANSWERED):
        assert forth(question).confidence == pytest.approx(back(question).confidence)


def test_unrelated_documents_do_not_turn_a_verdict(judging: Callable[..., Judging]) -> None:
    dishes = ("soup", "bread", "dumplings", "noodles", "pancakes", "porridge")
    recipes = {
        f"recipe{number}": f"Recipe {number}: stir flour, milk and salt for {dish}, then simmer."
        for number, dish in enumerate(dishes * 10)
    }
    judged = judging({**HANDBOOK, **recipes})
    assert all(judged(question).sufficient for question in ANSWERED)
    assert not any(judged(question).sufficient for question in UNANSWERED)


def test_a_year_that_no_document_speaks_of_is_refused(judging: Callable[..., Judging]) -> None:
    judged = judging(HANDBOOK)
    assert judged("Does the lease of the Da Nang warehouse end in 2027?").sufficient
    evidence = judged("Does the lease of the Da Nang warehouse end in 2031?")
    assert (evidence.sufficient, evidence.missing_terms) == (False, ("2031",))


@pytest.mark.parametrize("period", ["FY2027", "FY27", "Q42027", "2027Q4"])
def test_a_fiscal_year_is_there_where_its_year_is(
    judging: Callable[..., Judging], period: str
) -> None:
    evidence = judging(HANDBOOK)(f"Does the lease of the Da Nang warehouse end in {period}?")

    assert (evidence.sufficient, evidence.missing_terms) == (True, ())


@pytest.mark.parametrize("period", ["FY2031", "FY31", "Q42031", "2031Q4", "KX-4711", "INV-2027-9"])
def test_a_period_or_code_that_stands_nowhere_is_refused(
    judging: Callable[..., Judging], period: str
) -> None:
    evidence = judging(HANDBOOK)(f"Does the lease of the Da Nang warehouse end in {period}?")

    assert (evidence.sufficient, evidence.reason) == (False, VerdictReason.TERMS_ABSENT)
