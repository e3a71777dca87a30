"""What embedding is ahead, what a run may embed at most, and a change of embedder, by command."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from gdrive_rag_mcp.store.activity import ACTIVITY
from gdrive_rag_mcp.testing.embedding_server import EmbeddingServer
from gdrive_rag_mcp.testing.hashing_embedder import HashingEmbedder
from tests.end_to_end.program import Run

FILES = 24


@pytest.fixture
def many(tmp_path: Path) -> str:
    """A folder of small documents, each with a word of its own, as a source."""
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(FILES):
        text = f"Rule number{number} says how a sabbatical is taken."
        (folder / f"{number}.md").write_text(text, encoding="utf-8")
    return f"folder:{folder}"


@pytest.fixture
def first() -> Iterator[dict[str, str]]:
    """The settings of an embedder behind a server."""
    with EmbeddingServer(HashingEmbedder(64)) as server:
        yield settings(server, 64)


@pytest.fixture
def second() -> Iterator[dict[str, str]]:
    with EmbeddingServer(HashingEmbedder(32)) as server:
        yield settings(server, 32)


def settings(server: EmbeddingServer, dimensions: int) -> dict[str, str]:
    return {
        "GDRIVE_RAG_EMBED_PROVIDER": "openai-compatible",
        "GDRIVE_RAG_EMBED_BASE_URL": server.base_url,
        "GDRIVE_RAG_EMBED_MODEL": "bag",
        "GDRIVE_RAG_EMBED_DIMENSIONS": str(dimensions),
        "GDRIVE_RAG_EMBED_BATCH_SIZE": "8",
    }


def test_a_dry_run_says_what_is_ahead_and_the_first_sync_says_it_again(
    run: Run, many: str, first: dict[str, str]
) -> None:
    planned = run("sync", "--source", many, "--dry-run", "--json", environ=first)
    in_words = run("sync", "--source", many, "--dry-run", environ=first)
    done = run("sync", "--source", many, "--json", environ=first)

    ahead = planned.json["forecast"]
    assert ahead["estimated"] is True
    assert (ahead["chunks"], ahead["calls"], ahead["minutes"]) == (FILES, 3, None)
    assert f"to embed, estimated from sizes and types: about {FILES} chunks" in in_words.out
    assert f"to embed, estimated from sizes and types: about {FILES} chunks" in done.err
    known = done.json["forecast"]
    assert (known["chunks"], known["calls"], known["estimated"]) == (FILES, 3, False)
    assert known["tokens"] > 5 * FILES
    assert done.json["embedded_chunks"] == FILES


def test_a_sync_without_news_has_nothing_ahead(run: Run, many: str, first: dict[str, str]) -> None:
    run("sync", "--source", many, environ=first)

    again = run("sync", "--source", many, "--json", environ=first)
    planned = run("sync", "--source", many, "--dry-run", "--json", environ=first)
    in_words = run("sync", "--source", many, "--dry-run", environ=first)

    assert again.json["forecast"] is None
    assert again.err == ""
    assert planned.json["forecast"] is None
    assert "to embed" not in in_words.out


def test_a_dry_run_without_weights_tells_what_is_ahead_but_no_time(run: Run, many: str) -> None:
    unset = {"GDRIVE_RAG_EMBED_PROVIDER": "embedded", "GDRIVE_RAG_EMBED_MODEL_PATH": "/nowhere"}

    planned = run("sync", "--source", many, "--dry-run", "--json", environ=unset)
    words_only = run("sync", "--source", many, "--dry-run", "--json")

    assert planned.json["forecast"]["chunks"] == FILES
    assert planned.json["forecast"]["calls"] is None
    assert words_only.json["forecast"] is None, "none is wanted, so nothing is ahead"


def test_a_budget_ends_with_3_until_all_is_embedded(
    run: Run, many: str, first: dict[str, str]
) -> None:
    runs = [
        run("sync", "--source", many, "--max-embeddings", "10", "--json", environ=first)
        for _ in range(3)
    ]

    assert [one.code for one in runs] == [3, 3, 0]
    assert [one.json["embedded_chunks"] for one in runs] == [10, 10, 4]
    assert [one.json["pending_vectors"] for one in runs] == [14, 4, 0]
    [said] = runs[0].json["warnings"]
    assert said.startswith("embedding_budget_reached: ")


def test_what_waits_is_found_by_its_words_and_the_status_says_so(
    run: Run, many: str, first: dict[str, str]
) -> None:
    run("sync", "--source", many, "--max-embeddings", "0", environ=first)

    found = run("search", "Which rule is number17?", "--json", environ=first).json
    status = run("status", "--json", environ=first).json

    hits = found["results"] + found["candidate_results"]
    assert hits[0]["citation"]["path"] == "17.md"
    assert (status["chunks"], status["vectors"]) == (FILES, 0)


@pytest.mark.parametrize("most", ["-1", "some", "1.5"])
def test_a_budget_is_a_whole_number(run: Run, many: str, most: str) -> None:
    done = run("sync", "--source", many, "--max-embeddings", most)

    assert done.code == 2
    assert f"'{most}' is not a whole number from 0" in done.err


def test_a_reindex_says_what_it_takes_then_does_it_within_a_budget(
    run: Run, many: str, first: dict[str, str], second: dict[str, str]
) -> None:
    run("sync", "--source", many, environ=first)

    asked = run("reindex", environ=second)
    asked_as_json = run("reindex", "--json", environ=second)
    some = run("reindex", "--yes", "--max-embeddings", "20", "--json", environ=second)
    still = run("search", "sabbatical number3", "--json", environ=first)
    rest = run("reindex", "--yes", "--json", environ=second)
    back = run("reindex", "--yes", environ=first)

    assert (asked.code, asked_as_json.code) == (2, 2)
    assert f"to embed: {FILES} chunks" in asked.out
    assert "--yes" in asked.err
    assert asked_as_json.json["forecast"]["chunks"] == FILES
    assert asked_as_json.json["flipped"] is False
    assert some.code == 3
    assert (some.json["embedded"], some.json["waiting"], some.json["flipped"]) == (20, 4, False)
    assert still.json["evidence"]["mode"] == "hybrid"
    assert (rest.code, rest.json["embedded"], rest.json["flipped"]) == (0, 4, True)
    assert "0 texts embedded" in back.out, "going back costs nothing"


def test_a_folder_that_holds_its_index_does_not_index_the_file_that_tells_of_searches(
    run: Run, documents: Path
) -> None:
    index = documents / "index.db"
    run("sync", "--source", f"folder:{documents}", "--db", index)
    (documents / f"index.db{ACTIVITY}").touch()

    report = run("sync", "--source", f"folder:{documents}", "--db", index, "--json").json

    assert report["coverage"]["by_state"] == {"indexed": 2}
