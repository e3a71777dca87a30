"""Bad input gets a clear error with a remedy, the right exit code, and nothing is lost."""

import json
import sqlite3
from collections.abc import Mapping
from pathlib import Path

import pytest

from gdrive_rag_mcp.indexing.lock import writer_lock
from gdrive_rag_mcp.testing.embedding_server import EmbeddingServer
from gdrive_rag_mcp.testing.hashing_embedder import HashingEmbedder
from tests.end_to_end.program import Ended, Run


def assert_refused(done: Ended, code: int, *words: str) -> None:
    """An error names what is wrong and what to do, and shows no traceback."""
    assert done.code == code, (done.out, done.err)
    assert done.err.startswith("error: ")
    assert "to fix it: " in done.err
    assert "Traceback" not in done.err
    for word in words:
        assert word in done.err


def test_a_missing_folder_is_named(run: Run, tmp_path: Path) -> None:
    done = run("sync", "--source", f"folder:{tmp_path}/nowhere")

    assert_refused(done, 1, f"{tmp_path}/nowhere")


@pytest.mark.parametrize(
    ("environ", "word"),
    [
        ({"GDRIVE_RAG_TYPO": "1"}, "GDRIVE_RAG_TYPO"),
        ({"GDRIVE_RAG_EMBED_DIMENSIONS": "many"}, "GDRIVE_RAG_EMBED_DIMENSIONS"),
        ({"GDRIVE_RAG_EMBED_PROVIDER": "magic"}, "GDRIVE_RAG_EMBED_PROVIDER"),
        ({"GDRIVE_RAG_EMBED_BASE_URL": "http://me:secret@host/v1"}, "GDRIVE_RAG_EMBED_BASE_URL"),
        ({"GDRIVE_RAG_SOURCE": "ftp://x"}, "GDRIVE_RAG_SOURCE"),
        ({"GDRIVE_RAG_INDEX_PROFILE": "../up"}, "GDRIVE_RAG_INDEX_PROFILE"),
    ],
    ids=["unknown name", "no number", "unknown choice", "key in a URL", "no source", "a path"],
)
def test_a_bad_setting_is_refused_by_name_and_never_shown(
    run: Run, environ: Mapping[str, str], word: str
) -> None:
    done = run("status", environ=environ)

    assert_refused(done, 2, word)
    assert "secret" not in done.err


def test_a_misspelt_name_in_the_config_file_is_refused(run: Run, tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text('db_paht = "x.db"\n', encoding="utf-8")

    assert_refused(run("status", "--config", config), 2, "db_paht", str(config))


def test_a_config_file_that_is_not_there_is_refused(run: Run, tmp_path: Path) -> None:
    assert_refused(run("status", "--config", tmp_path / "no.toml"), 2, str(tmp_path / "no.toml"))


def test_a_path_in_the_config_file_is_relative_to_the_file(
    run: Run, documents: Path, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "settings"
    elsewhere.mkdir()
    config = elsewhere / "config.toml"
    config.write_text('db_path = "my.db"\nsource = "folder:../documents"\n', encoding="utf-8")

    done = run("sync", "--config", config)

    assert done.code == 0, done.err
    assert (elsewhere / "my.db").exists()


@pytest.mark.parametrize(
    "content",
    [None, "no JSON", "{}", json.dumps({"installed": {"client_id": "x"}})],
    ids=["missing", "no JSON", "empty", "an OAuth client"],
)
def test_a_bad_key_file_is_refused_with_the_remedy(
    run: Run, tmp_path: Path, content: str | None
) -> None:
    key = tmp_path / "key.json"
    if content is not None:
        key.write_text(content, encoding="utf-8")

    done = run(
        "sync",
        environ={"GDRIVE_FOLDER_ID": "folder", "GOOGLE_SERVICE_ACCOUNT_FILE": str(key)},
    )

    assert_refused(done, 1, str(key))


def test_drive_without_a_folder_is_refused(run: Run) -> None:
    assert_refused(run("sync"), 2, "GDRIVE_FOLDER_ID")


@pytest.mark.parametrize("command", ["sync", "status", "search"])
def test_a_file_that_is_no_index_is_refused_and_left_as_it_is(
    run: Run, documents: Path, tmp_path: Path, command: str
) -> None:
    other = tmp_path / "other.db"
    other.write_bytes(b"this is somebody's letter, not an index\n" * 200)
    before = other.read_bytes()
    words = ["search", "leave"] if command == "search" else [command]

    done = run(*words, "--db", other, "--source", f"folder:{documents}")

    assert_refused(done, 1, str(other))
    assert other.read_bytes() == before


def test_another_programs_database_is_refused_and_left_as_it_is(
    run: Run, documents: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other.db"
    connection = sqlite3.connect(other)
    connection.execute("CREATE TABLE letters (text)")
    connection.close()

    assert_refused(run("sync", "--db", other, "--source", f"folder:{documents}"), 1, str(other))


def test_an_index_of_a_newer_version_is_refused(run: Run, documents: Path, tmp_path: Path) -> None:
    run("sync", "--source", f"folder:{documents}", "--db", "i.db")
    connection = sqlite3.connect(tmp_path / "i.db")
    connection.execute("PRAGMA user_version = 999")
    connection.close()

    assert_refused(run("status", "--db", "i.db"), 1, "999", "upgrade")


def test_a_damaged_index_is_refused(run: Run, documents: Path, tmp_path: Path) -> None:
    run("sync", "--source", f"folder:{documents}", "--db", "i.db")
    index = tmp_path / "i.db"
    whole = index.read_bytes()
    index.write_bytes(whole[:100] + b"\xff" * 4000 + whole[4100:])

    assert_refused(run("status", "--db", "i.db"), 1, str(index))


@pytest.mark.parametrize("question", ["", "   ", "?!…"], ids=["empty", "blank", "punctuation"])
def test_a_question_without_words_is_refused(run: Run, documents: Path, question: str) -> None:
    run("sync", "--source", f"folder:{documents}")

    assert_refused(run("search", question), 2)


def test_a_question_of_100_kilobytes_is_refused_with_its_length(run: Run, documents: Path) -> None:
    run("sync", "--source", f"folder:{documents}")

    assert_refused(run("search", "leave " * 17_000), 2, "4,000")


@pytest.mark.parametrize(
    "question",
    ['"', 'leave" OR body:*', "NEAR(leave, 1) AND -days", "scope : (x)", "(((", "leave*^2"],
)
def test_search_syntax_in_a_question_is_only_text(run: Run, documents: Path, question: str) -> None:
    run("sync", "--source", f"folder:{documents}")

    done = run("search", f"unpaid {question}", "--json")

    assert done.code == 0, done.err
    hits = done.json["results"] + done.json["candidate_results"]
    assert hits[0]["citation"]["path"] == "HR/leave.md"


def test_nul_and_lone_surrogates_in_a_text_are_dropped(run: Run, documents: Path) -> None:
    (documents / "odd.md").write_bytes(
        b"# Odd\n\nThe vault\x00 code is \xed\xa0\x80 kept by Mr Brown.\n"
    )
    done = run("sync", "--source", f"folder:{documents}")
    assert done.code == 0, done.err

    found = run("search", "who keeps the vault code", "--json")

    assert found.code == 0, found.err
    for hit in found.json["results"] + found.json["candidate_results"]:
        assert "\x00" not in hit["text"]
        hit["text"].encode("utf-8")


def test_a_bad_date_is_refused_by_name(run: Run, documents: Path) -> None:
    run("sync", "--source", f"folder:{documents}")

    done = run("search", "leave", "--modified-after", "yesterday")

    assert_refused(done, 2, "--modified-after", "yesterday")


def test_another_root_is_refused_unless_everything_is_to_be_replaced(
    run: Run, documents: Path, tmp_path: Path
) -> None:
    run("sync", "--source", f"folder:{documents}")
    other = tmp_path / "other"
    other.mkdir()
    (other / "b.txt").write_text("Another folder altogether.\n", encoding="utf-8")

    refused = run("sync", "--source", f"folder:{other}")
    replaced = run("sync", "--source", f"folder:{other}", "--full", "--json")

    assert_refused(refused, 2, str(documents), str(other))
    assert replaced.json["removed"] == 2
    assert replaced.json["coverage"]["in_scope"] == 1


def test_an_unknown_transport_is_refused(run: Run) -> None:
    assert_refused(run("serve", "--transport", "pigeon"), 2, "pigeon")


def test_doctor_says_what_to_do_about_each_thing(run: Run, documents: Path) -> None:
    bad = run("doctor")
    good = run("doctor", "--source", f"folder:{documents}")

    assert bad.code == 1
    assert "!!  source" in bad.out
    assert "to fix it: set GDRIVE_FOLDER_ID" in bad.out
    assert good.code == 0, good.out
    assert f"ok  source: folder:{documents}" in good.out


def test_a_second_sync_at_the_same_time_ends_with_4(
    run: Run, documents: Path, tmp_path: Path
) -> None:
    index = tmp_path / "index.db"
    with writer_lock(index):
        done = run("sync", "--source", f"folder:{documents}", "--db", index)

    assert_refused(done, 4, str(index), "another process")


def test_a_file_that_cannot_be_read_costs_only_itself(run: Run, documents: Path) -> None:
    (documents / "gone.md").symlink_to(documents / "nowhere.md")

    done = run("sync", "--source", f"folder:{documents}", "--json")

    assert done.code == 3
    assert done.json["failed"] == {"not_found": 1}
    assert done.json["coverage"]["searchable"] == 2


def test_vectors_of_another_embedder_are_refused_and_the_index_stays(
    run: Run, documents: Path
) -> None:
    with EmbeddingServer(HashingEmbedder(64)) as one, EmbeddingServer(HashingEmbedder(32)) as two:
        first = {
            "GDRIVE_RAG_EMBED_PROVIDER": "openai-compatible",
            "GDRIVE_RAG_EMBED_BASE_URL": one.base_url,
            "GDRIVE_RAG_EMBED_MODEL": "bag",
        }
        other = {
            **first,
            "GDRIVE_RAG_EMBED_BASE_URL": two.base_url,
            "GDRIVE_RAG_EMBED_DIMENSIONS": "32",
        }
        wrong = {**first, "GDRIVE_RAG_EMBED_DIMENSIONS": "77"}
        made = run("sync", "--source", f"folder:{documents}", environ=first)
        mismatch = run("sync", "--source", f"folder:{documents}", environ=other)
        dimensions = run("sync", "--source", f"folder:{documents}", "--db", "n.db", environ=wrong)
        after = run("status", "--json").json

    assert made.code == 0, made.err
    assert_refused(mismatch, 1, "64 dimensions", "32 dimensions", "reindex --yes")
    assert dimensions.code != 0
    assert "77" in dimensions.out + dimensions.err
    assert (after["vectors"], after["coverage"]["by_state"]) == (2, {"indexed": 2})
