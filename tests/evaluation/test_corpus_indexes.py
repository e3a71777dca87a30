"""A corpus is synced as it is, once, and every passage found leads back to its document."""

from dataclasses import replace
from pathlib import Path

import pytest

from gdrive_rag_mcp.domain import SyncReport
from gdrive_rag_mcp.errors import QuestionSetError
from gdrive_rag_mcp.evaluation.corpus_files import Layout
from gdrive_rag_mcp.evaluation.corpus_indexes import CorpusIndexes
from gdrive_rag_mcp.evaluation.question_sets import QuestionSet, read_set
from gdrive_rag_mcp.settings import Settings
from gdrive_rag_mcp.wiring.questions import QuestionTools
from tests.evaluation.made_sets import made_set, write_set


class Syncs:
    """The product's sync, by words alone, and what each run reported."""

    def __init__(self, folder: Path) -> None:
        settings = Settings.model_validate({"embed_provider": "none"})
        self.tools = QuestionTools(settings, folder / "cache", report=lambda _: None)
        self.reports: list[SyncReport] = []

    def __call__(self, folder: Path, index: Path) -> SyncReport:
        self.reports.append(self.tools.sync(folder, index))
        return self.reports[-1]


@pytest.fixture
def sync(tmp_path: Path) -> Syncs:
    return Syncs(tmp_path)


@pytest.fixture
def towns(tmp_path: Path) -> QuestionSet:
    return read_set(write_set(tmp_path / "towns", *made_set(1))).asked("en")


@pytest.mark.parametrize("layout", Layout)
def test_what_is_found_leads_back_to_the_document_that_answers(
    tmp_path: Path, sync: Syncs, towns: QuestionSet, layout: Layout
) -> None:
    index = CorpusIndexes(tmp_path / "cache", layout, sync).of(towns)
    search = sync.tools.reader(index.path).search

    for question in towns.questions:
        if question.kind == "answerable":
            found = search(question.text).retrieved
            assert found is not None
            assert index.gold_rank(found.hits, question.gold) == 1


def test_a_document_that_answers_is_found_where_it_is_listed_as_a_copy(
    tmp_path: Path, sync: Syncs, towns: QuestionSet
) -> None:
    question = next(one for one in towns.questions if one.kind == "answerable")
    gold = next(text for text in towns.corpus if text.id in question.gold)
    copy = replace(gold, id="another#0")
    twice = replace(towns, corpus=(*towns.corpus, copy))
    index = CorpusIndexes(tmp_path / "cache", Layout.TITLED, sync).of(twice)

    found = sync.tools.reader(index.path).search(question.text).retrieved

    assert found is not None
    assert set(index.documents(found.hits[0])) == {gold.id, copy.id}
    for one in (gold, copy):
        assert index.gold_rank(found.hits, {one.id}) == 1
    assert index.gold_rank(found.hits, {"elsewhere"}) is None


def test_the_next_run_reads_nothing_again(tmp_path: Path, sync: Syncs, towns: QuestionSet) -> None:
    for _ in range(2):
        CorpusIndexes(tmp_path / "cache", Layout.BARE, sync).of(towns)

    assert [report.downloads for report in sync.reports] == [len(towns.corpus), 0]


def test_one_run_syncs_a_corpus_once(tmp_path: Path, sync: Syncs, towns: QuestionSet) -> None:
    indexes = CorpusIndexes(tmp_path / "cache", Layout.BARE, sync)

    assert indexes.of(towns) is indexes.of(towns)
    assert len(sync.reports) == 1


def test_a_document_that_cannot_be_searched_is_not_passed_over(tmp_path: Path, sync: Syncs) -> None:
    corpus, questions = made_set(1)
    blank = {"doc_id": "Blank#0", "title": "", "text": " \n", "lang": "en"}
    towns = read_set(write_set(tmp_path / "towns", [*corpus, blank], questions)).asked("en")

    with pytest.raises(QuestionSetError, match=f"only {len(corpus)} of the {len(corpus) + 1} "):
        CorpusIndexes(tmp_path / "cache", Layout.BARE, sync).of(towns)
