"""From settings to an index and back through a server's embeddings, over real HTTP."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gdrive_rag_mcp import wiring
from gdrive_rag_mcp.domain import Mode, SyncReport
from gdrive_rag_mcp.errors import EmbedderUnavailableError, ReindexRequiredError
from gdrive_rag_mcp.indexing.sync import SyncOptions
from gdrive_rag_mcp.settings import Settings, load_settings
from gdrive_rag_mcp.testing.embedding_server import EmbeddingServer
from gdrive_rag_mcp.testing.hashing_embedder import HashingEmbedder
from gdrive_rag_mcp.testing.provider_server import refusing

KEY = "sk-hunter2"
Choose = Callable[..., Settings]


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    """A server that embeds honestly, 64 dimensions."""
    with EmbeddingServer(HashingEmbedder(64)) as running:
        yield running


@pytest.fixture
def choose(tmp_path: Path, server: EmbeddingServer) -> Choose:
    """Makes settings for two documents and the server; what is given changes them."""
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "leave.md").write_text(
        "# Leave\n\nEvery employee gets 25 days of annual leave.\n", encoding="utf-8"
    )
    (folder / "rent.md").write_text(
        "# Rent\n\nThe rent for the office is 4200 euros a month.\n", encoding="utf-8"
    )

    def settings(**changed: str) -> Settings:
        environ = {
            "HOME": str(tmp_path),
            "GDRIVE_RAG_SOURCE": f"folder:{folder}",
            "GDRIVE_RAG_DB_PATH": str(tmp_path / "index.db"),
            "GDRIVE_RAG_EMBED_PROVIDER": "openai-compatible",
            "GDRIVE_RAG_EMBED_BASE_URL": server.base_url,
            "GDRIVE_RAG_EMBED_MODEL": "bag-of-words",
        }
        return load_settings(environ=environ | changed)

    return settings


def sync(settings: Settings, said: list[str] | None = None) -> SyncReport:
    report = said.append if said is not None else lambda _: None
    return wiring.sync(settings, SyncOptions(), progress=lambda *_: None, report=report)


def test_what_a_server_embedded_is_found_by_meaning_and_words(choose: Choose) -> None:
    report = sync(choose())
    outcome = wiring.make_reader(choose(), resident=False).search("annual leave")

    assert (report.added, report.embedded_chunks, report.pending_vectors) == (2, 2, 0)
    assert outcome.mode is Mode.HYBRID
    assert outcome.retrieved
    assert outcome.retrieved.hits[0].passage.name == "leave.md"
    assert outcome.retrieved.hits[0].vector_rank == 1


def test_the_provider_model_and_length_of_the_index_hold_when_unset(
    choose: Choose, server: EmbeddingServer
) -> None:
    sync(choose())
    calls = len(server.requests)
    unset = choose(GDRIVE_RAG_EMBED_PROVIDER="", GDRIVE_RAG_EMBED_MODEL="")

    assert sync(unset).embedded_chunks == 0
    assert len(server.requests) == calls
    outcome = wiring.make_reader(unset, resident=True).search("annual leave")
    assert outcome.mode is Mode.HYBRID
    assert server.requests[-1].body["model"] == "bag-of-words"


@pytest.mark.parametrize("place", ["variable", "file"])
def test_the_key_is_sent_from_the_variable_or_file_that_is_named(
    choose: Choose,
    server: EmbeddingServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    place: str,
) -> None:
    if place == "file":
        (tmp_path / "key.txt").write_text(KEY + "\n", encoding="utf-8")
        monkeypatch.setenv("MY_KEY_FILE", str(tmp_path / "key.txt"))
    else:
        monkeypatch.setenv("MY_KEY", KEY)
    settings = choose(GDRIVE_RAG_EMBED_API_KEY_ENV="MY_KEY")

    sync(settings)
    wiring.make_reader(settings, resident=False).search("annual leave")

    assert {request.headers["authorization"] for request in server.requests} == {f"Bearer {KEY}"}
    assert KEY.encode() not in settings.index_path.read_bytes()


def test_without_its_key_a_sync_is_refused_and_a_search_goes_by_words(
    choose: Choose, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = choose(GDRIVE_RAG_EMBED_API_KEY_ENV="MY_KEY")
    monkeypatch.setenv("MY_KEY", KEY)
    sync(settings)
    monkeypatch.delenv("MY_KEY")

    with pytest.raises(EmbedderUnavailableError, match="MY_KEY"):
        sync(settings)
    outcome = wiring.make_reader(settings, resident=False).search("annual leave")
    assert outcome.mode is Mode.KEYWORD
    assert "embedder_unavailable" in outcome.warnings


def test_vectors_of_another_length_than_is_set_are_refused_and_the_words_are_kept(
    choose: Choose,
) -> None:
    settings = choose(GDRIVE_RAG_EMBED_DIMENSIONS="65")

    report = sync(settings)

    assert report.embedding_incomplete
    assert report.pending_vectors == 2
    assert any("64 dimensions instead of 65" in warning for warning in report.warnings)
    outcome = wiring.make_reader(settings, resident=False).search("annual leave")
    assert outcome.mode is Mode.KEYWORD
    assert outcome.retrieved
    assert outcome.retrieved.hits[0].passage.name == "leave.md"


@pytest.mark.parametrize(
    "changed",
    [
        {"GDRIVE_RAG_EMBED_MODEL": "other-model"},
        {"GDRIVE_RAG_EMBED_DIMENSIONS": "32", "GDRIVE_RAG_EMBED_SEND_DIMENSIONS": "yes"},
    ],
    ids=["another model", "another length"],
)
def test_vectors_of_two_embedders_are_never_mixed(choose: Choose, changed: dict[str, str]) -> None:
    sync(choose())
    other = choose(**changed)

    with pytest.raises(ReindexRequiredError, match="bag-of-words") as refused:
        sync(other)
    assert refused.value.hint
    with pytest.raises(ReindexRequiredError, match="bag-of-words"):
        wiring.make_reader(other, resident=False).search("annual leave")
    assert wiring.make_reader(choose(), resident=False).search("leave").mode is Mode.HYBRID


def test_a_server_at_another_address_is_another_embedder(choose: Choose) -> None:
    sync(choose())
    with (
        EmbeddingServer(HashingEmbedder(64)) as elsewhere,
        pytest.raises(ReindexRequiredError),
    ):
        sync(choose(GDRIVE_RAG_EMBED_BASE_URL=elsewhere.base_url))


def test_a_server_that_refuses_the_key_leaves_an_index_of_words(choose: Choose) -> None:
    refuses = refusing(401, f"wrong key {KEY}")
    with EmbeddingServer(HashingEmbedder(64), after_faults=refuses) as server:
        settings = choose(
            GDRIVE_RAG_EMBED_BASE_URL=server.base_url, GDRIVE_RAG_EMBED_DIMENSIONS="64"
        )
        report = sync(settings)
        outcome = wiring.make_reader(settings, resident=False).search("annual leave")

    assert report.embedding_incomplete
    assert report.coverage.searchable == 2
    assert outcome.mode is Mode.KEYWORD


def test_where_no_embedder_is_wanted_none_is_called(
    choose: Choose, server: EmbeddingServer
) -> None:
    settings = choose(GDRIVE_RAG_EMBED_PROVIDER="none")

    report = sync(settings)
    outcome = wiring.make_reader(settings, resident=False).search("annual leave")

    assert report.pending_vectors == 2
    assert outcome.mode is Mode.KEYWORD
    assert server.requests == []


def test_weights_that_are_nowhere_leave_words_when_unset_and_an_error_when_asked_for(
    choose: Choose, tmp_path: Path
) -> None:
    nowhere = {"GDRIVE_RAG_EMBED_MODEL_PATH": str(tmp_path / "nowhere")}
    said: list[str] = []

    report = sync(choose(GDRIVE_RAG_EMBED_PROVIDER="", **nowhere), said)

    assert report.coverage.searchable == 2
    assert report.pending_vectors == 2
    [line] = said
    assert line.startswith("words only")
    assert str(tmp_path / "nowhere") in line
    with pytest.raises(EmbedderUnavailableError, match="nowhere"):
        sync(choose(GDRIVE_RAG_EMBED_PROVIDER="embedded", **nowhere))


def test_an_index_of_words_takes_the_embedder_that_appears_later(choose: Choose) -> None:
    sync(choose(GDRIVE_RAG_EMBED_PROVIDER="none"))

    report = sync(choose())

    assert (report.unchanged, report.embedded_chunks, report.pending_vectors) == (2, 2, 0)
    assert wiring.make_reader(choose(), resident=True).search("leave").mode is Mode.HYBRID


def test_an_index_inside_its_own_folder_is_not_indexed(choose: Choose, tmp_path: Path) -> None:
    settings = choose(GDRIVE_RAG_DB_PATH=str(tmp_path / "docs" / "index.db"))

    assert sync(settings).coverage.in_scope == 2
    assert sync(settings).coverage.in_scope == 2
    assert settings.index_path.exists()


def test_the_threshold_that_is_set_is_the_one_that_judges(choose: Choose) -> None:
    sync(choose())
    reader = wiring.make_reader(choose(GDRIVE_RAG_EVIDENCE_THRESHOLD="1"), resident=False)

    evidence = reader.search("annual leave of employees").evidence

    assert evidence.threshold == 1
    assert not evidence.sufficient


def test_only_words_are_searched_when_that_is_set(choose: Choose, server: EmbeddingServer) -> None:
    sync(choose())
    calls = len(server.requests)

    outcome = wiring.make_reader(
        choose(GDRIVE_RAG_RETRIEVAL_MODE="keyword"), resident=False
    ).search("annual leave")

    assert outcome.mode is Mode.KEYWORD
    assert len(server.requests) == calls


def test_a_reindex_without_a_provider_is_about_the_index_s_own_whatever_keys_there_are(
    choose: Choose, server: EmbeddingServer
) -> None:
    sync(choose())
    asked = len(server.requests)
    unset = choose(GDRIVE_RAG_EMBED_PROVIDER="", GEMINI_API_KEY=KEY)

    report = wiring.reindex(unset, progress=lambda *_: None, report=lambda _: None)

    assert report.current == report.former
    assert report.embedded == 0
    assert [request.body["input"] for request in server.requests[asked:]] == [["length"]]


def test_another_model_of_the_same_provider_is_changed_to_without_naming_the_provider(
    choose: Choose,
) -> None:
    sync(choose())
    other = choose(GDRIVE_RAG_EMBED_PROVIDER="", GDRIVE_RAG_EMBED_MODEL="another")

    report = wiring.reindex(other, progress=lambda *_: None, report=lambda _: None)

    assert (report.current.provider, report.current.model) == ("openai-compatible", "another")
    assert report.embedded == 2
