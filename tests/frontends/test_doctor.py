"""What `doctor` looks at, what it says is amiss, and that it gives nothing away."""

import json
import os
import socket
import sqlite3
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from gdrive_rag_mcp.domain import EmbeddingIdentity
from gdrive_rag_mcp.embedding.contract import identify
from gdrive_rag_mcp.embedding.gemini import GeminiEmbedder
from gdrive_rag_mcp.embedding.openai_compatible import OpenAICompatibleEmbedder
from gdrive_rag_mcp.frontends.doctor import Finding, examine
from gdrive_rag_mcp.protocols import Embedder, EmbedRole, Vectors
from gdrive_rag_mcp.settings import load_settings
from gdrive_rag_mcp.testing.embedding_server import EmbeddingServer
from gdrive_rag_mcp.testing.fake_drive import FakeDrive
from gdrive_rag_mcp.testing.hashing_embedder import HashingEmbedder
from gdrive_rag_mcp.testing.sample_index import sample_index

# Nothing listens there: whoever calls it fails, and takes long over it.
NOBODY = "http://127.0.0.1:9/v1"
KEY = "sk-hunter2"
Examine = Callable[..., dict[str, Finding]]


class Made:
    """An embedder of any identity, for indexes that say what made them."""

    max_tokens = 512
    parallel_calls = 1

    def __init__(self, identity: EmbeddingIdentity) -> None:
        self.identity = identity
        self._vectors = HashingEmbedder(identity.dimensions)

    def calls(self, texts: int, characters: int) -> int:
        return 0

    def embed(self, texts: list[str], *, role: EmbedRole) -> Vectors:
        return self._vectors.embed(texts, role=role)


@pytest.fixture
def index(tmp_path: Path) -> Path:
    """Where the index is, or is not."""
    return tmp_path / "index.db"


def index_docs(index: Path, embedder: Embedder | None = None) -> None:
    """An index that says it was made from the folder that is looked at."""
    sample_index(index, embedder, root=f"folder:{index.parent / 'docs'}")


@pytest.fixture
def look(tmp_path: Path, index: Path) -> Examine:
    """Examines a folder with a document and no embedder; what is given changes that."""
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.md").write_text("# A\n", encoding="utf-8")

    def examined(**changed: str) -> dict[str, Finding]:
        environ = {
            "HOME": os.devnull,
            "XDG_CACHE_HOME": str(tmp_path / "cache"),
            "GDRIVE_RAG_SOURCE": f"folder:{folder}",
            "GDRIVE_RAG_DB_PATH": str(index),
            "GDRIVE_RAG_EMBED_PROVIDER": "none",
        } | changed
        findings = examine(lambda: load_settings(environ=environ), environ)
        return {finding.what: finding for finding in findings}

    return examined


REMOTE = {
    "GDRIVE_RAG_EMBED_PROVIDER": "openai-compatible",
    "GDRIVE_RAG_EMBED_BASE_URL": NOBODY,
    "GDRIVE_RAG_EMBED_MODEL": "bge-m3",
}


def remote_embedder(model: str = "bge-m3", dimensions: int = 64) -> Embedder:
    """What makes the vectors of `REMOTE`, without its server."""
    return Made(OpenAICompatibleEmbedder(NOBODY, model, dimensions=dimensions).identity)  # type: ignore[return-value] # takes lists alone


def assert_amiss(finding: Finding, *words: str) -> None:
    assert not finding.ok
    assert finding.line.startswith(f"!!  {finding.what}: ")
    assert "\n     to fix it: " in finding.line
    for word in words:
        assert word in finding.line


def assert_fine(finding: Finding, *words: str) -> None:
    assert finding.ok, finding.line
    assert finding.line.startswith(f"ok  {finding.what}: ")
    for word in words:
        assert word in finding.line


# ── settings ─────────────────────────────────────────────────────────────────


def test_a_sound_installation_has_nothing_amiss(look: Examine, index: Path) -> None:
    index_docs(index)

    findings = look()

    assert list(findings) == ["settings", "source", "index", "embedder", "ocr", "isolation"]
    assert all(finding.ok for finding in findings.values())


def test_ocr_is_off_unless_languages_are_set(look: Examine) -> None:
    assert_fine(look()["ocr"], "off", "needs_ocr")


def test_ocr_without_what_it_takes_is_amiss_with_what_to_install(
    look: Examine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    findings = look(GDRIVE_RAG_OCR_LANGUAGES="kor+eng")

    assert_amiss(findings["ocr"], "tesseract", "apt install tesseract-ocr tesseract-ocr-kor")


def test_how_reading_is_held_back_is_told(look: Examine) -> None:
    assert_fine(look()["isolation"], "files are read")


def test_bad_settings_are_the_only_finding(look: Examine) -> None:
    findings = look(GDRIVE_RAG_CHUNK_SIZE="many")

    assert list(findings) == ["settings"]
    assert_amiss(findings["settings"], "GDRIVE_RAG_CHUNK_SIZE")


def test_variables_that_this_version_does_not_use_are_listed_without_their_values(
    look: Examine,
) -> None:
    findings = look(
        GDRIVE_RAG_ANSWER_API_KEY_ENV=KEY,
        GDRIVE_RAG_HOST="127.0.0.1",
        GDRIVE_RAG_PORT="",
    )

    unused = ["GDRIVE_RAG_ANSWER_API_KEY_ENV", "GDRIVE_RAG_HOST"]
    assert [name for name in findings if name.isupper()] == unused
    for name in unused:
        assert_fine(findings[name], "does not use it yet")
    assert KEY not in str(findings)


# ── source ───────────────────────────────────────────────────────────────────


def test_a_folder_that_is_there_is_named(look: Examine, tmp_path: Path) -> None:
    assert_fine(look()["source"], f"folder:{tmp_path / 'docs'}")


def test_a_folder_that_is_not_there_is_amiss(look: Examine, tmp_path: Path) -> None:
    source = look(GDRIVE_RAG_SOURCE=f"folder:{tmp_path}/nowhere")["source"]

    assert_amiss(source, f"{tmp_path}/nowhere", "does not exist")


@pytest.fixture
def google() -> Iterator[FakeDrive]:
    with FakeDrive() as fake:
        yield fake


@pytest.fixture
def drive(google: FakeDrive, tmp_path: Path) -> dict[str, str]:
    """The settings of a Drive folder that is shared with a service account."""
    return {
        "GDRIVE_RAG_SOURCE": "drive",
        "GDRIVE_RAG_DRIVE_ENDPOINT": google.url,
        "GDRIVE_FOLDER_ID": google.root,
        "GOOGLE_SERVICE_ACCOUNT_FILE": str(google.write_key_file(tmp_path / "key.json")),
    }


def test_a_folder_that_drive_shows_is_named_with_whoever_sees_it(
    look: Examine, google: FakeDrive, drive: dict[str, str]
) -> None:
    findings = look(**drive)

    looked_at = ["settings", "identity", "source", "index", "embedder", "ocr", "isolation"]
    assert list(findings) == looked_at
    assert_fine(findings["identity"], google.email, "(service account)", "with drive.readonly")
    assert_fine(findings["source"], f"drive:{google.root} is visible to {google.email}")
    assert "PRIVATE KEY" not in str(findings)


def test_a_key_that_others_can_read_is_told_with_its_mode_and_what_closes_it(
    look: Examine, google: FakeDrive, drive: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "key.json").chmod(0o646)
    environ = {"HOME": str(tmp_path), "GDRIVE_RAG_EMBED_PROVIDER": "none", **drive}
    environ["GDRIVE_RAG_DB_PATH"] = str(tmp_path / "index.db")

    findings = examine(lambda: load_settings(environ=environ), environ)

    said = [finding.line for finding in findings if finding.what == "identity"]
    assert any(google.email in line for line in said)
    assert any("mode 0646" in line and "chmod 600" in line for line in said)


@pytest.mark.parametrize(
    "setting",
    [
        "GOOGLE_SERVICE_ACCOUNT_FILE",
        "GOOGLE_OAUTH_CLIENT_FILE",
        "GOOGLE_OAUTH_TOKEN_FILE",
        "GOOGLE_APPLICATION_CREDENTIALS",
    ],
)
def test_a_key_in_place_of_the_name_of_its_file_is_amiss_and_not_shown(
    look: Examine, google: FakeDrive, drive: dict[str, str], tmp_path: Path, setting: str
) -> None:
    key = (tmp_path / "key.json").read_text(encoding="utf-8")

    findings = look(**{**drive, "GOOGLE_SERVICE_ACCOUNT_FILE": "", setting: key})

    assert_amiss(findings["identity"], setting, "chmod 600")
    shown = str(findings)
    assert "PRIVATE KEY" not in shown
    assert key.partition("private_key")[2][40:60] not in shown
    assert not google.requests


def test_what_answers_in_place_of_googles_sign_in_is_not_taken_for_a_refusal(
    look: Examine, google: FakeDrive, drive: dict[str, str]
) -> None:
    google.fail("POST /token", 403, body=b"<html>Blocked</html>", times=9)

    findings = look(**drive)

    assert_amiss(findings["identity"], "403", "not", "Google's", "proxy")
    assert "share the folder" not in findings["identity"].line


def test_a_person_is_named_by_drive_where_the_token_does_not_tell(
    look: Examine, google: FakeDrive, drive: dict[str, str], tmp_path: Path
) -> None:
    token = google.tokens.write_token_file(
        tmp_path / "token.json", google.email, google.url, account=""
    )

    findings = look(
        **drive | {"GOOGLE_SERVICE_ACCOUNT_FILE": "", "GOOGLE_OAUTH_TOKEN_FILE": str(token)}
    )

    assert_fine(findings["identity"], f"{google.email} (user)")
    assert_fine(findings["source"], google.email)


def test_the_machines_own_credentials_are_told_as_such(
    look: Examine, google: FakeDrive, drive: dict[str, str]
) -> None:
    key = drive["GOOGLE_SERVICE_ACCOUNT_FILE"]

    findings = look(
        **drive | {"GOOGLE_SERVICE_ACCOUNT_FILE": "", "GOOGLE_APPLICATION_CREDENTIALS": key}
    )

    assert_fine(findings["identity"], f"{google.email} (application default)")


@pytest.mark.parametrize(
    ("changed", "lacking"),
    [
        ({"GOOGLE_SERVICE_ACCOUNT_FILE": ""}, "auth-google"),
        ({"GOOGLE_SERVICE_ACCOUNT_FILE": "/no/key.json"}, "/no/key.json"),
        (
            {"GOOGLE_SERVICE_ACCOUNT_FILE": "", "GOOGLE_OAUTH_CLIENT_FILE": "/c.json"},
            "no Google account is connected",
        ),
    ],
    ids=["no credentials", "no such key", "no consent"],
)
def test_a_drive_without_what_it_needs_is_amiss(
    look: Examine,
    google: FakeDrive,
    drive: dict[str, str],
    changed: dict[str, str],
    lacking: str,
    tmp_path: Path,
) -> None:
    findings = look(**{**drive, "HOME": str(tmp_path), **changed})

    assert_amiss(findings["identity"], lacking)
    assert not findings["source"].ok
    assert not google.requests


def test_without_a_folder_the_credentials_are_examined_all_the_same(
    look: Examine, google: FakeDrive, drive: dict[str, str]
) -> None:
    findings = look(**drive | {"GDRIVE_FOLDER_ID": ""})

    assert_fine(findings["identity"], google.email, "(service account)")
    assert_amiss(findings["source"], "no Drive folder is set", "GDRIVE_FOLDER_ID")
    assert {request.kind for request in google.requests} == {"token", "about"}


def test_without_a_folder_credentials_that_drive_refuses_are_amiss(
    look: Examine, google: FakeDrive, drive: dict[str, str]
) -> None:
    google.tokens.revoke()

    findings = look(**drive | {"GDRIVE_FOLDER_ID": ""})

    assert_amiss(findings["identity"], "account not found", "key")
    assert_amiss(findings["source"], "no Drive folder is set", "GDRIVE_FOLDER_ID")


def test_a_person_whose_consent_lacks_drive_is_told_to_agree_again(
    look: Examine, google: FakeDrive, drive: dict[str, str], tmp_path: Path
) -> None:
    token = google.tokens.write_token_file(tmp_path / "token.json", google.email, google.url)
    google.fail("/drive/v3/about", 403, "insufficientPermissions")

    findings = look(
        **drive | {"GOOGLE_SERVICE_ACCOUNT_FILE": "", "GOOGLE_OAUTH_TOKEN_FILE": str(token)}
    )

    assert_amiss(findings["identity"], "insufficientPermissions", "auth-google", "tick the box")


def test_a_folder_that_is_not_shared_is_amiss_with_whom_to_share_it_with(
    look: Examine, google: FakeDrive, drive: dict[str, str]
) -> None:
    findings = look(**drive | {"GDRIVE_FOLDER_ID": "1NotShared"})

    assert_fine(findings["identity"], google.email)
    assert_amiss(findings["source"], "1NotShared", f"share the folder with {google.email}")


def test_credentials_that_drive_refuses_are_amiss_with_what_to_do(
    look: Examine, google: FakeDrive, drive: dict[str, str], tmp_path: Path
) -> None:
    token = google.tokens.write_token_file(tmp_path / "token.json", "anna@example.com", google.url)
    google.tokens.revoke("anna@example.com")

    findings = look(
        **drive | {"GOOGLE_SERVICE_ACCOUNT_FILE": "", "GOOGLE_OAUTH_TOKEN_FILE": str(token)}
    )

    assert_amiss(findings["identity"], "Token has been expired or revoked", "auth-google", "7 days")
    for secret in ("client_secret", "refresh_token"):
        assert json.loads(token.read_text(encoding="utf-8"))[secret] not in str(findings)


def test_a_token_file_that_others_could_read_is_told(
    look: Examine, google: FakeDrive, drive: dict[str, str], tmp_path: Path
) -> None:
    token = google.tokens.write_token_file(tmp_path / "token.json", google.email, google.url)
    token.chmod(0o644)
    environ = {"HOME": os.devnull, **drive, "GOOGLE_OAUTH_TOKEN_FILE": str(token)}
    environ["GOOGLE_SERVICE_ACCOUNT_FILE"] = ""

    findings = examine(lambda: load_settings(environ=environ), environ)

    told = [finding for finding in findings if finding.what == "identity"]
    assert any("for its owner alone" in finding.said for finding in told)


def test_a_drive_that_cannot_be_reached_is_amiss(look: Examine, drive: dict[str, str]) -> None:
    findings = look(**drive | {"GDRIVE_RAG_DRIVE_ENDPOINT": "http://127.0.0.1:9"})

    identity = findings["identity"]
    assert_amiss(identity, "Google cannot be reached from here: 127.0.0.1 refuses the connection")
    assert "HTTPS_PROXY" in identity.remedy
    assert "folder" not in identity.line
    assert "Pool" not in identity.line


def test_a_drive_that_never_answers_keeps_nobody_waiting(drive: dict[str, str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        endpoint = f"http://127.0.0.1:{silent.getsockname()[1]}"
        environ = {"HOME": os.devnull, **drive, "GDRIVE_RAG_DRIVE_ENDPOINT": endpoint}

        findings = examine(lambda: load_settings(environ=environ), environ, seconds=0.5)

    [identity] = [finding for finding in findings if finding.what == "identity"]
    assert_amiss(identity, "not answered for 0.5 seconds")


# ── index ────────────────────────────────────────────────────────────────────


def test_no_index_yet_is_not_amiss_and_says_what_to_do(look: Examine, index: Path) -> None:
    finding = look()["index"]

    assert_fine(finding, str(index), "none yet; `gdrive-rag-mcp sync` makes it")
    assert "to fix it" not in finding.line
    assert not index.exists()


def test_an_index_of_an_older_version_is_told_from_none(look: Examine, index: Path) -> None:
    index_docs(index)
    connection = sqlite3.connect(index)
    connection.execute("PRAGMA user_version = 1")
    connection.close()

    finding = look()["index"]

    assert_fine(finding, str(index), "older version", "sync")
    assert "none yet" not in finding.line


def test_an_index_is_told_with_what_it_covers(look: Examine, index: Path) -> None:
    index_docs(index)

    assert_fine(look()["index"], str(index), "7 chunks", "5 in scope", "1 encrypted")


def test_an_index_of_another_folder_than_the_one_that_is_set_is_amiss(
    look: Examine, index: Path, drive: dict[str, str]
) -> None:
    index_docs(index)

    findings = look(**drive)

    held = f"holds folder:{index.parent / 'docs'}, but drive:{drive['GDRIVE_FOLDER_ID']}"
    assert_amiss(findings["index"], str(index), held, "--db", "sync --full")
    assert_fine(findings["source"])


def test_an_index_is_fine_where_no_source_is_set(look: Examine, index: Path) -> None:
    index_docs(index)

    findings = look(GDRIVE_RAG_SOURCE="drive")

    assert not findings["source"].ok
    assert_fine(findings["index"], "7 chunks")


def test_a_file_that_is_no_index_is_amiss_and_left_as_it_is(look: Examine, index: Path) -> None:
    index.write_bytes(b"somebody's letter " * 500)
    before = index.read_bytes()

    assert_amiss(look()["index"], str(index))
    assert index.read_bytes() == before


# ── embedder ─────────────────────────────────────────────────────────────────


def test_no_embedder_is_said(look: Examine) -> None:
    assert_fine(look()["embedder"], "words only")


def test_a_model_path_without_a_model_is_amiss(look: Examine, tmp_path: Path) -> None:
    finding = look(GDRIVE_RAG_EMBED_PROVIDER="embedded", GDRIVE_RAG_EMBED_MODEL_PATH=str(tmp_path))[
        "embedder"
    ]

    assert_amiss(finding, "GDRIVE_RAG_EMBED_MODEL_PATH", str(tmp_path))


def test_the_embedded_model_is_told_with_its_dimensions(
    look: Examine, real_embedder: Embedder
) -> None:
    finding = look(GDRIVE_RAG_EMBED_PROVIDER="", XDG_CACHE_HOME=os.environ["XDG_CACHE_HOME"])[
        "embedder"
    ]

    assert_fine(finding, "embedded", real_embedder.identity.model, "384 dimensions")


def test_a_server_is_told_from_the_settings_and_not_called(look: Examine) -> None:
    with EmbeddingServer(HashingEmbedder()) as server:
        finding = look(**REMOTE | {"GDRIVE_RAG_EMBED_BASE_URL": server.base_url})["embedder"]

    assert_fine(finding, "openai-compatible bge-m3", server.base_url, "no key")
    assert server.requests == []


def test_a_server_that_only_the_index_names_is_told_and_not_called(
    look: Examine, index: Path
) -> None:
    index_docs(index, remote_embedder())

    finding = look(GDRIVE_RAG_EMBED_PROVIDER="", GDRIVE_RAG_EMBED_BASE_URL=NOBODY)["embedder"]

    assert_fine(finding, "openai-compatible bge-m3", NOBODY)


def test_a_server_that_only_the_index_names_needs_its_address(look: Examine, index: Path) -> None:
    index_docs(index, remote_embedder())

    assert_amiss(look(GDRIVE_RAG_EMBED_PROVIDER="")["embedder"], "GDRIVE_RAG_EMBED_BASE_URL")


@pytest.mark.parametrize("place", ["variable", "file"])
def test_a_key_is_told_by_its_variable_and_never_shown(
    look: Examine, tmp_path: Path, place: str
) -> None:
    (tmp_path / "key.txt").write_text(KEY, encoding="utf-8")
    given = {"MY_KEY": KEY} if place == "variable" else {"MY_KEY_FILE": f"{tmp_path}/key.txt"}

    findings = look(**REMOTE, GDRIVE_RAG_EMBED_API_KEY_ENV="MY_KEY", **given)

    assert_fine(findings["embedder"], "key from MY_KEY")
    assert KEY not in str(findings)


def test_a_key_that_is_named_and_not_set_is_amiss(look: Examine) -> None:
    finding = look(**REMOTE, GDRIVE_RAG_EMBED_API_KEY_ENV="MY_KEY")["embedder"]

    assert_amiss(finding, "MY_KEY, which is not set", "MY_KEY_FILE")


def test_a_key_file_that_cannot_be_read_is_amiss(look: Examine) -> None:
    finding = look(**REMOTE, GDRIVE_RAG_EMBED_API_KEY_ENV="MY_KEY", MY_KEY_FILE="/no/key.txt")

    assert_amiss(finding["embedder"], "/no/key.txt")


@pytest.mark.parametrize(
    "made_with",
    [
        remote_embedder(model="other-model").identity,
        remote_embedder(dimensions=32).identity,
        identify("embedded", "e5", 384),
    ],
    ids=["another model", "another length", "another provider"],
)
def test_an_index_of_another_embedder_is_amiss_and_nobody_is_called_to_tell(
    look: Examine, index: Path, made_with: EmbeddingIdentity
) -> None:
    index_docs(index, Made(made_with))  # type: ignore[arg-type] # takes lists alone
    given = {} if made_with.provider == "embedded" else {"GDRIVE_RAG_EMBED_DIMENSIONS": "64"}

    findings = look(**REMOTE, **given)

    assert_amiss(findings["embedder"], "bge-m3", f"{made_with.provider} {made_with.model}")
    assert_fine(findings["index"])


def test_an_index_of_an_embedder_that_this_version_lacks_is_amiss(
    look: Examine, index: Path
) -> None:
    index_docs(index, HashingEmbedder())

    assert_amiss(look(GDRIVE_RAG_EMBED_PROVIDER="")["embedder"], "made with hashing")


def test_gemini_is_told_with_its_key_and_its_bill_and_google_is_not_asked(look: Examine) -> None:
    finding = look(
        GDRIVE_RAG_EMBED_PROVIDER="gemini", GDRIVE_RAG_EMBED_BASE_URL=NOBODY, GEMINI_API_KEY=KEY
    )["embedder"]

    assert_fine(finding, "gemini gemini-embedding-001, 768", "key from GEMINI_API_KEY", NOBODY)
    assert "every chunk billed" in finding.said
    assert KEY not in finding.line


def test_gemini_without_its_key_is_amiss(look: Examine) -> None:
    assert_amiss(look(GDRIVE_RAG_EMBED_PROVIDER="gemini")["embedder"], "GEMINI_API_KEY")


def test_why_a_new_index_will_be_made_with_gemini_is_told(look: Examine) -> None:
    finding = look(GDRIVE_RAG_EMBED_PROVIDER="", GEMINI_API_KEY=KEY)["embedder"]

    assert_fine(finding, "gemini", "because GEMINI_API_KEY is set")


def test_a_gemini_index_and_another_length_are_amiss(look: Examine, index: Path) -> None:
    embedder = GeminiEmbedder(KEY, dimensions=64)
    index_docs(index, Made(embedder.identity))  # type: ignore[arg-type] # takes lists alone
    embedder.close()
    given = {"GDRIVE_RAG_EMBED_PROVIDER": "", "GEMINI_API_KEY": KEY}

    assert_fine(look(**given)["embedder"], "64 dimensions")
    assert_amiss(look(**given, GDRIVE_RAG_EMBED_DIMENSIONS="768")["embedder"], "768", "64")


def test_an_extra_that_is_not_installed_is_amiss_with_what_to_install(look: Examine) -> None:
    if find_spec("sentence_transformers") is not None:
        pytest.skip("sentence-transformers is installed")
    finding = look(GDRIVE_RAG_EMBED_PROVIDER="sentence-transformers", GDRIVE_RAG_EMBED_MODEL="a/b")[
        "embedder"
    ]

    assert_amiss(finding, "pip install 'gdrive-rag-mcp[sentence-transformers]'")
