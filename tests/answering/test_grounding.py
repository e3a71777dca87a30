"""Sources or a refusal: never both, never neither, and never a model."""

from pathlib import Path

import pytest

from gdrive_rag_mcp.answering import NO_ANSWER, RULES, ground
from gdrive_rag_mcp.app import Reader, StorePool
from gdrive_rag_mcp.domain import Mode, SearchOutcome
from gdrive_rag_mcp.presentation import (
    MAX_RESULT_CHARS,
    answer_object,
    as_json,
    bounded_answer,
    fenced,
)
from gdrive_rag_mcp.testing.sample_index import SYNCED, SampleFile, heading, sample_index

DRAGON = 'The dragon said "no" in chapter {}.\n'
CHAPTERS = tuple((DRAGON.format(n) * 250, heading(f"Chapter {n}")) for n in range(9))
LONG = SampleFile("tale", "Tale.md", "text/markdown", "root", "Tale", CHAPTERS)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("index") / "index.db"
    sample_index(path)
    return path


def reader_of(path: Path, threshold: float) -> Reader:
    return Reader(
        StorePool(path, resident=False),
        embedder=lambda: None,
        mode=Mode.KEYWORD,
        threshold=threshold,
        clock=lambda: SYNCED,
    )


def test_sufficient_evidence_becomes_sources_numbered_best_first(index: Path) -> None:
    grounds = reader_of(index, 0.0).ground("rent for the office in Hamburg")

    assert grounds.refusal is None
    assert [source.number for source in grounds.sources] == [*range(1, len(grounds.sources) + 1)]
    assert grounds.outcome.retrieved is not None
    hits = [hit.passage for hit in grounds.outcome.retrieved.hits]
    assert [source.passage for source in grounds.sources] == hits
    shown = answer_object(grounds)
    assert shown["answerable"]
    assert shown["refusal"] is None
    assert shown["rules"] == list(RULES)
    assert shown["candidate_results"] == []
    assert shown["sources"][0]["text"] == hits[0].text
    assert "`results`" not in shown["evidence"]["message"]


def test_insufficient_evidence_becomes_a_refusal_with_leads_that_are_no_sources(
    index: Path,
) -> None:
    grounds = reader_of(index, 1.0).ground("rent for the sabbatical office in Hamburg")
    shown = answer_object(grounds)

    assert grounds.sources == ()
    assert (shown["answerable"], shown["sources"], shown["rules"]) == (False, [], [])
    assert shown["refusal"] is not None
    assert shown["refusal"]["missing_terms"] == ["sabbatical"]
    assert shown["refusal"]["reason"] == shown["evidence"]["reason"]
    assert shown["refusal"]["say"].startswith("I cannot answer this from the documents: ")
    assert "could not be read" in shown["refusal"]["say"]
    assert 1 <= len(shown["candidate_results"]) <= 3


def test_without_an_index_the_refusal_says_so(tmp_path: Path) -> None:
    shown = answer_object(reader_of(tmp_path / "none.db", 0.0).ground("rent"))

    assert shown["refusal"] is not None
    assert shown["refusal"]["reason"] == "no_index"
    assert "no index yet" in shown["refusal"]["say"]


def test_the_question_is_searched_for_once_as_it_was_asked(index: Path) -> None:
    asked: list[str] = []

    def retrieve(question: str) -> SearchOutcome:
        asked.append(question)
        return reader_of(index, 0.0).search(question)

    ground("rent", retrieve)

    assert asked == ["rent"]


def test_sources_that_do_not_fit_are_left_out_whole_and_counted(tmp_path: Path) -> None:
    sample_index(tmp_path / "index.db", files=(LONG,))
    grounds = reader_of(tmp_path / "index.db", 0.0).ground("what did the dragon say")
    shown = bounded_answer(answer_object(grounds))

    assert len(as_json(fenced(shown, "0" * 16))) <= MAX_RESULT_CHARS
    assert shown["omitted_sources"] + len(shown["sources"]) == len(grounds.sources)
    whole = [source.passage.text for source in grounds.sources]
    assert [source["text"] for source in shown["sources"]] == whole[: len(shown["sources"])]


def test_the_rules_allow_for_no_answer_and_ask_for_verified_quotes() -> None:
    said = "\n".join(RULES)

    assert NO_ANSWER in said
    for duty in ("[1]", "verify_quote", "amendments", "no legal, tax or business advice"):
        assert duty in said
