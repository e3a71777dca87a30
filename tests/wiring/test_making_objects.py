"""Which class serves which setting, and what is said when something is lacking."""

import os
import re
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from gdrive_rag_mcp import wiring
from gdrive_rag_mcp.domain import EmbeddingIdentity, SourceFile
from gdrive_rag_mcp.embedding.onnx import OnnxEmbedder
from gdrive_rag_mcp.embedding.openai_compatible import OpenAICompatibleEmbedder
from gdrive_rag_mcp.errors import (
    EmbedderUnavailableError,
    GdriveRagError,
    SettingsError,
    SourceAuthError,
)
from gdrive_rag_mcp.protocols import Embedder, Source
from gdrive_rag_mcp.settings import Settings, load_settings
from gdrive_rag_mcp.sources.drive import DriveSource
from gdrive_rag_mcp.sources.local import LocalFolderSource
from gdrive_rag_mcp.testing.fake_drive.tokens import TokenEndpoint
from tests.sources.nothing_known import NothingKnown

HERE = "http://127.0.0.1:9/v1"
RECORDED = EmbeddingIdentity("openai-compatible", "bge-m3", 1024, "f" * 64)


def settings(**environ: str) -> Settings:
    """Settings of this environment alone."""
    return load_settings(environ={"HOME": os.devnull, **environ})


def remote(**environ: str) -> Settings:
    """Settings that choose a server, which nothing here ever calls."""
    chosen = {
        "GDRIVE_RAG_EMBED_PROVIDER": "openai-compatible",
        "GDRIVE_RAG_EMBED_BASE_URL": HERE,
        "GDRIVE_RAG_EMBED_MODEL": "nomic",
        "GDRIVE_RAG_EMBED_DIMENSIONS": "64",
    }
    return settings(**(chosen | environ))


def make_embedder(
    chosen: Settings, recorded: EmbeddingIdentity | None = None, **environ: str
) -> Embedder | None:
    return wiring.make_embedder(chosen, recorded, build=False, environ=environ)


# ── sources ──────────────────────────────────────────────────────────────────


def listed(source: Source) -> Iterator[SourceFile]:
    for page in source.changes(None, NothingKnown()):
        yield from page.files


def test_a_folder_is_read_as_a_folder(tmp_path: Path) -> None:
    source = wiring.make_source(settings(GDRIVE_RAG_SOURCE=f"folder:{tmp_path}"))

    assert isinstance(source, LocalFolderSource)
    assert source.root == f"folder:{tmp_path}"


@pytest.mark.parametrize("way", ["as it is", "through a link"])
def test_an_index_inside_the_folder_is_no_document_of_it(tmp_path: Path, way: str) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (tmp_path / "link").symlink_to(folder)
    for name in ("my.db", "my.db-wal", "my.db-shm", "my.db-journal", "my.db.lock", "other.db"):
        (folder / name).write_bytes(b"x")
    index = folder if way == "as it is" else tmp_path / "link"

    source = wiring.make_source(
        settings(GDRIVE_RAG_SOURCE=f"folder:{folder}", GDRIVE_RAG_DB_PATH=f"{index}/my.db")
    )

    assert [file.name for file in listed(source)] == ["other.db"]


def test_drive_is_read_with_the_key_of_a_service_account(tmp_path: Path) -> None:
    key = tmp_path / "key.json"
    TokenEndpoint("index@example.com").write_key_file(key, "https://oauth2.googleapis.com/token")

    source = wiring.make_source(
        settings(GDRIVE_FOLDER_ID="1AbC", GOOGLE_SERVICE_ACCOUNT_FILE=str(key))
    )

    assert isinstance(source, DriveSource)
    assert source.root == "drive:1AbC"
    source.close()


def test_a_shared_drive_is_a_root_of_its_own(tmp_path: Path) -> None:
    key = TokenEndpoint("index@example.com").write_key_file(tmp_path / "k.json", HERE)

    source = wiring.make_source(
        settings(GDRIVE_SHARED_DRIVE_ID="0AbC", GOOGLE_SERVICE_ACCOUNT_FILE=str(key))
    )

    assert isinstance(source, DriveSource)
    assert source.root == "drive:0AbC"
    source.close()


def test_drive_is_read_as_the_person_who_agreed(tmp_path: Path) -> None:
    token = TokenEndpoint("x").write_token_file(tmp_path / "token.json", "anna@example.com", HERE)

    identity = wiring.make_identity(
        settings(GOOGLE_OAUTH_TOKEN_FILE=str(token)), report=pytest.fail, environ={}
    )

    assert (identity.name, identity.kind) == ("anna@example.com", "user")


def test_only_auth_google_can_ask_for_consent(repository: Path) -> None:
    package = repository / "src" / "gdrive_rag_mcp"
    users = {
        path.relative_to(package).as_posix()
        for path in package.rglob("*.py")
        if re.search(r"\b(connect_google|ask_for_consent)\b", path.read_text(encoding="utf-8"))
    }

    assert users == {
        "frontends/cli/google.py",
        "wiring/__init__.py",
        "wiring/sources.py",
        "sources/drive_consent.py",
    }


@pytest.mark.parametrize(
    ("environ", "kind", "lacking"),
    [
        ({}, SettingsError, "GDRIVE_FOLDER_ID"),
        ({"GDRIVE_FOLDER_ID": "1AbC"}, SettingsError, "GOOGLE_SERVICE_ACCOUNT_FILE"),
        (
            {"GDRIVE_FOLDER_ID": "1AbC", "GOOGLE_SERVICE_ACCOUNT_FILE": "/no/key.json"},
            SourceAuthError,
            "/no/key.json",
        ),
    ],
    ids=["no folder", "no key", "no such key"],
)
def test_drive_without_what_it_needs_is_refused_with_the_remedy(
    environ: dict[str, str], kind: type[GdriveRagError], lacking: str, tmp_path: Path
) -> None:
    with pytest.raises(kind) as refused:
        wiring.make_source(settings(**environ), environ={"HOME": str(tmp_path)})

    assert lacking in str(refused.value)
    assert refused.value.hint


def test_chunks_are_cut_to_the_sizes_that_are_set() -> None:
    made = wiring.make_chunker(settings(GDRIVE_RAG_CHUNK_SIZE="200", GDRIVE_RAG_CHUNK_OVERLAP="30"))

    assert "size=200 overlap=30" in made.identity


def test_the_chunker_is_our_own_unless_another_is_set() -> None:
    assert wiring.make_chunker(settings()).identity.startswith("structural/")


def test_a_chunker_whose_extra_is_not_installed_is_refused_with_the_remedy() -> None:
    if find_spec("llama_index") is not None:
        pytest.skip("llama-index-core is installed")

    with pytest.raises(SettingsError, match="llama-index") as refused:
        wiring.make_chunker(settings(GDRIVE_RAG_CHUNKER="llama-index"))

    assert refused.value.hint is not None
    assert "pip install '.[llama-index]'" in refused.value.hint


# ── embedders ────────────────────────────────────────────────────────────────


def test_no_embedder_is_made_when_none_is_wanted() -> None:
    assert make_embedder(settings(GDRIVE_RAG_EMBED_PROVIDER="none"), RECORDED) is None


def test_a_server_is_used_when_it_is_set() -> None:
    embedder = make_embedder(remote())

    assert isinstance(embedder, OpenAICompatibleEmbedder)
    assert (embedder.identity.model, embedder.identity.dimensions) == ("nomic", 64)


def test_what_the_index_was_made_with_is_used_when_nothing_is_set() -> None:
    embedder = make_embedder(settings(GDRIVE_RAG_EMBED_BASE_URL=HERE), RECORDED)

    assert isinstance(embedder, OpenAICompatibleEmbedder)
    assert embedder.identity.model == RECORDED.model
    assert embedder.identity.dimensions == RECORDED.dimensions


def test_what_is_set_wins_over_what_the_index_was_made_with() -> None:
    embedder = make_embedder(remote(), RECORDED)

    assert embedder is not None
    assert (embedder.identity.model, embedder.identity.dimensions) == ("nomic", 64)


def test_another_providers_record_says_nothing_of_a_servers_model() -> None:
    recorded = EmbeddingIdentity("embedded", "e5", 384, "e" * 64)
    chosen = settings(GDRIVE_RAG_EMBED_PROVIDER="openai-compatible", GDRIVE_RAG_EMBED_BASE_URL=HERE)

    with pytest.raises(SettingsError, match="GDRIVE_RAG_EMBED_MODEL"):
        make_embedder(chosen, recorded)


@pytest.mark.parametrize("missing", ["GDRIVE_RAG_EMBED_BASE_URL", "GDRIVE_RAG_EMBED_MODEL"])
def test_a_server_without_address_or_model_is_refused_by_name(missing: str) -> None:
    with pytest.raises(SettingsError, match=missing) as refused:
        make_embedder(remote(**{missing: ""}))

    assert refused.value.hint


def test_a_recorded_server_without_an_address_is_refused_not_replaced() -> None:
    with pytest.raises(SettingsError, match="GDRIVE_RAG_EMBED_BASE_URL"):
        make_embedder(settings(), RECORDED)


def test_an_index_of_an_embedder_that_this_version_does_not_have_is_refused() -> None:
    recorded = EmbeddingIdentity("gemini", "gemini-embedding-001", 768, "9" * 64)

    with pytest.raises(SettingsError, match="made with gemini") as refused:
        make_embedder(settings(), recorded)
    assert "upgrade" in refused.value.hint


def test_a_key_that_is_named_and_not_set_is_said_with_both_places_it_may_be_in() -> None:
    chosen = remote(GDRIVE_RAG_EMBED_API_KEY_ENV="MY_KEY")

    with pytest.raises(EmbedderUnavailableError, match="MY_KEY, which is not set") as refused:
        make_embedder(chosen)
    assert "MY_KEY_FILE" in refused.value.hint
    assert make_embedder(chosen, MY_KEY="x") is not None


def test_a_key_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    chosen = remote(GDRIVE_RAG_EMBED_API_KEY_ENV="MY_KEY")

    with pytest.raises(SettingsError, match="MY_KEY_FILE"):
        make_embedder(chosen, MY_KEY_FILE=str(tmp_path / "no.txt"))


def test_the_embedded_model_is_the_default_even_where_another_providers_key_is_set(
    model_files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", "AIza-something")
    chosen = settings(GDRIVE_RAG_EMBED_MODEL_PATH=str(model_files))

    assert isinstance(make_embedder(chosen, GEMINI_API_KEY="AIza-something"), OnnxEmbedder)


@pytest.fixture
def model_files(tmp_path: Path) -> Path:
    """A folder that has the files of a model; they are not read before the first text."""
    folder = tmp_path / "model"
    (folder / "onnx").mkdir(parents=True)
    for name in ("onnx/model.onnx", "tokenizer.json", "config.json"):
        (folder / name).write_text("{}", encoding="utf-8")
    return folder


def test_a_model_path_without_a_model_is_refused_with_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(EmbedderUnavailableError, match=r"model\.onnx") as refused:
        make_embedder(settings(GDRIVE_RAG_EMBED_MODEL_PATH=str(tmp_path)))

    assert str(tmp_path) in refused.value.message
    assert refused.value.hint


def test_weights_that_are_nowhere_make_the_embedder_unavailable(tmp_path: Path) -> None:
    with pytest.raises(EmbedderUnavailableError, match="weights") as refused:
        make_embedder(settings(), XDG_CACHE_HOME=str(tmp_path))

    assert refused.value.hint
