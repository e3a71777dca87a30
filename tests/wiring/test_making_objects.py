"""Which class serves which setting, and what is said when something is lacking."""

import os
import re
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from gdrive_rag_mcp import wiring
from gdrive_rag_mcp.domain import SourceFile
from gdrive_rag_mcp.errors import GdriveRagError, SettingsError, SourceAuthError
from gdrive_rag_mcp.protocols import Source
from gdrive_rag_mcp.settings import Settings, load_settings
from gdrive_rag_mcp.sources.drive import DriveSource
from gdrive_rag_mcp.sources.local import LocalFolderSource
from gdrive_rag_mcp.testing.fake_drive.tokens import TokenEndpoint
from tests.sources.nothing_known import NothingKnown

HERE = "http://127.0.0.1:9/v1"


def settings(**environ: str) -> Settings:
    """Settings of this environment alone."""
    return load_settings(environ={"HOME": os.devnull, **environ})


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
