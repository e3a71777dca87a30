"""Every setting of the contract, its bounds, and which source of settings wins."""

import os
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from gdrive_rag_mcp.errors import SettingsError
from gdrive_rag_mcp.settings import (
    FILE_ONLY,
    NOT_USED_YET,
    SECRETS,
    Settings,
    environment_name,
    load_settings,
)

# The names users and clients were promised; a name may move from one set to the other, not vanish.
PROMISED = {
    "GDRIVE_FOLDER_ID", "GDRIVE_SHARED_DRIVE_ID", "GOOGLE_SERVICE_ACCOUNT_FILE",
    "GOOGLE_OAUTH_CLIENT_FILE", "GOOGLE_OAUTH_TOKEN_FILE", "GDRIVE_RAG_DB_PATH",
    "GDRIVE_RAG_INDEX_PROFILE", "GDRIVE_RAG_SOURCE", "GDRIVE_RAG_RETRIEVAL_MODE",
    "GDRIVE_RAG_EMBED_PROVIDER", "GDRIVE_RAG_EMBED_MODEL", "GDRIVE_RAG_EMBED_MODEL_PATH",
    "GDRIVE_RAG_EMBED_DIMENSIONS", "GDRIVE_RAG_EMBED_BASE_URL", "GDRIVE_RAG_EMBED_API_KEY_ENV",
    "GDRIVE_RAG_EMBED_BATCH_SIZE", "GDRIVE_RAG_EMBED_TIMEOUT_SECONDS",
    "GDRIVE_RAG_EMBED_SEND_DIMENSIONS", "GDRIVE_RAG_EMBED_DEVICE", "GDRIVE_RAG_CHUNK_SIZE",
    "GDRIVE_RAG_CHUNKER", "GDRIVE_RAG_CHUNK_OVERLAP", "GDRIVE_RAG_EVIDENCE_THRESHOLD",
    "GDRIVE_RAG_ANSWER_PROVIDER",
    "GDRIVE_RAG_ANSWER_MODEL", "GDRIVE_RAG_ANSWER_BASE_URL", "GDRIVE_RAG_ANSWER_API_KEY_ENV",
    "GDRIVE_RAG_ANSWER_TOKEN_BUDGET", "GDRIVE_RAG_ANSWER_MAX_REWRITES", "GDRIVE_RAG_BEARER_TOKEN",
    "GDRIVE_RAG_HOST", "GDRIVE_RAG_PORT", "GDRIVE_RAG_ALLOWED_HOSTS", "GDRIVE_RAG_DRIVE_QPS",
    "GDRIVE_RAG_DRIVE_ENDPOINT", "GDRIVE_RAG_EXTRAS", "GDRIVE_RAG_OCR_LANGUAGES",
}  # fmt: skip
NO_HOME = {"HOME": os.devnull}
PROVIDERS = "one of embedded, gemini, openai-compatible, sentence-transformers, none"


def load(**environ: str) -> Settings:
    """Settings of this environment alone."""
    return load_settings(environ=NO_HOME | environ)


def refused(**environ: str) -> SettingsError:
    with pytest.raises(SettingsError) as caught:
        load(**environ)
    assert caught.value.hint
    assert caught.value.exit_code == 2
    return caught.value


def test_every_promised_name_is_a_setting_or_is_let_through() -> None:
    fields = set(map(environment_name, Settings.model_fields.keys() - FILE_ONLY))

    assert fields | NOT_USED_YET | SECRETS == PROMISED | {"GDRIVE_RAG_BEARER_TOKEN_FILE"}
    assert fields & (NOT_USED_YET | SECRETS) == NOT_USED_YET & SECRETS == set()


@pytest.mark.parametrize("name", sorted(NOT_USED_YET | SECRETS))
def test_a_secret_or_a_name_of_a_later_version_changes_no_setting(name: str) -> None:
    assert load(**{name: "anything"}) == load()


def test_a_key_of_another_provider_in_the_environment_changes_nothing() -> None:
    assert load(GEMINI_API_KEY="AIza-something", OPENAI_API_KEY="sk-something") == load()


def test_every_environment_variable_reaches_its_field(tmp_path: Path) -> None:
    settings = load(
        GDRIVE_FOLDER_ID="1AbC",
        GDRIVE_SHARED_DRIVE_ID="0AbC",
        GOOGLE_SERVICE_ACCOUNT_FILE="/keys/account.json",
        GOOGLE_OAUTH_CLIENT_FILE="/keys/client.json",
        GOOGLE_OAUTH_TOKEN_FILE="/keys/token.json",
        GDRIVE_RAG_SOURCE=f"folder:{tmp_path}",
        GDRIVE_RAG_DRIVE_QPS="2.5",
        GDRIVE_RAG_DRIVE_ENDPOINT="http://127.0.0.1:81/",
        GDRIVE_RAG_DB_PATH="/indexes/my.db",
        GDRIVE_RAG_INDEX_PROFILE="legal",
        GDRIVE_RAG_EMBED_PROVIDER="openai-compatible",
        GDRIVE_RAG_EMBED_MODEL="bge-m3",
        GDRIVE_RAG_EMBED_MODEL_PATH="/models/e5",
        GDRIVE_RAG_EMBED_DIMENSIONS="1024",
        GDRIVE_RAG_EMBED_BASE_URL="http://localhost:8080/v1/",
        GDRIVE_RAG_EMBED_API_KEY_ENV="EMBEDDING_KEY",
        GDRIVE_RAG_EMBED_BATCH_SIZE="8",
        GDRIVE_RAG_EMBED_TIMEOUT_SECONDS="7.5",
        GDRIVE_RAG_EMBED_SEND_DIMENSIONS="true",
        GDRIVE_RAG_OCR_LANGUAGES="kor+vie+eng",
        GDRIVE_RAG_CHUNKER="llama-index",
        GDRIVE_RAG_CHUNK_SIZE="400",
        GDRIVE_RAG_EMBED_DEVICE="cuda:1",
        GDRIVE_RAG_CHUNK_OVERLAP="0",
        GDRIVE_RAG_RETRIEVAL_MODE="keyword",
        GDRIVE_RAG_EVIDENCE_THRESHOLD="0.25",
    )

    assert settings.model_dump(exclude=set(FILE_ONLY)) == {
        "gdrive_folder_id": "1AbC",
        "gdrive_shared_drive_id": "0AbC",
        "google_service_account_file": Path("/keys/account.json"),
        "google_oauth_client_file": Path("/keys/client.json"),
        "google_oauth_token_file": Path("/keys/token.json"),
        "source": f"folder:{tmp_path}",
        "drive_qps": 2.5,
        "drive_endpoint": "http://127.0.0.1:81",
        "db_path": Path("/indexes/my.db"),
        "index_profile": "legal",
        "embed_provider": "openai-compatible",
        "embed_model": "bge-m3",
        "embed_model_path": Path("/models/e5"),
        "embed_dimensions": 1024,
        "embed_base_url": "http://localhost:8080/v1",
        "embed_api_key_env": "EMBEDDING_KEY",
        "embed_batch_size": 8,
        "embed_timeout_seconds": 7.5,
        "embed_send_dimensions": True,
        "embed_device": "cuda:1",
        "ocr_languages": "kor+vie+eng",
        "chunker": "llama-index",
        "chunk_size": 400,
        "chunk_overlap": 0,
        "retrieval_mode": "keyword",
        "evidence_threshold": 0.25,
    }


# ── which source wins ────────────────────────────────────────────────────────


def test_arguments_win_over_the_environment_that_over_the_file_that_over_the_defaults(
    tmp_path: Path,
) -> None:
    config = tmp_path / "config.toml"
    config.write_text(
        'index_profile = "file"\nembed_model = "file"\nchunk_size = 100\n', encoding="utf-8"
    )
    environ = {"GDRIVE_RAG_INDEX_PROFILE": "environment", "GDRIVE_RAG_EMBED_MODEL": "environment"}

    settings = load_settings({"index_profile": "argument"}, environ=environ, config_file=config)

    assert settings.index_profile == "argument"
    assert settings.embed_model == "environment"
    assert settings.chunk_size == 100
    assert settings.chunk_overlap == load().chunk_overlap


def test_an_argument_that_is_not_given_hides_nothing() -> None:
    environ = NO_HOME | {"GDRIVE_RAG_INDEX_PROFILE": "environment"}

    settings = load_settings({"index_profile": None, "db_path": None}, environ=environ)

    assert settings.index_profile == "environment"


def test_only_the_environment_that_is_handed_over_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GDRIVE_RAG_INDEX_PROFILE", "mine")
    monkeypatch.setenv("GDRIVE_RAG_NO_SUCH_NAME", "1")

    assert load().index_profile == "default"


def test_an_empty_variable_is_unset(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text('embed_model = "file"\n', encoding="utf-8")
    empty = {"GDRIVE_RAG_EMBED_MODEL": "", "GDRIVE_RAG_CHUNK_SIZE": "", "GDRIVE_RAG_TYPO": ""}

    settings = load_settings(environ=empty, config_file=config)

    assert settings == load_settings(environ={}, config_file=config)
    assert settings.embed_model == "file"


# ── what is refused ──────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("GDRIVE_RAG_EMBED_MODLE", "GDRIVE_RAG_EMBED_MODEL"),
        ("GDRIVE_RAG_FOLDER_ID", "GDRIVE_FOLDER_ID"),
        ("GDRIVE_RAG_EMBED_API_KEY", "GDRIVE_RAG_EMBED_API_KEY_ENV"),
        ("GDRIVE_RAG_BEARER_TOKE", "GDRIVE_RAG_BEARER_TOKEN"),
    ],
)
def test_an_unknown_name_is_refused_with_the_one_that_was_meant(name: str, meant: str) -> None:
    error = refused(**{name: "sk-value"})

    assert error.message.startswith(f"{name} is not a setting")
    assert error.hint == f"did you mean {meant}?"
    assert "sk-value" not in str(error)


def test_an_unknown_name_that_resembles_none_is_refused_all_the_same() -> None:
    assert "docs/settings.md" in refused(GDRIVE_RAG_ZZZZ="1").hint


def test_names_without_the_prefix_are_nobodys_business() -> None:
    assert load(GDRIVE_SOMETHING="1", GOOGLE_APPLICATION_CREDENTIALS="x", RAG="y") == load()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("GDRIVE_RAG_SOURCE", "ftp://x"),
        ("GDRIVE_RAG_SOURCE", "folder:"),
        ("GDRIVE_RAG_SOURCE", "drive:x"),
        ("GDRIVE_RAG_SOURCE", "folder:~nobody-of-that-name/x"),
        ("GDRIVE_RAG_DB_PATH", "~nobody-of-that-name/x.db"),
        ("GDRIVE_RAG_INDEX_PROFILE", "../up"),
        ("GDRIVE_RAG_INDEX_PROFILE", "a/b"),
        ("GDRIVE_RAG_INDEX_PROFILE", ".hidden"),
        ("GDRIVE_RAG_INDEX_PROFILE", "line\n"),
        ("GDRIVE_RAG_INDEX_PROFILE", "x" * 65),
        ("GDRIVE_RAG_OCR_LANGUAGES", "eng,vie"),
        ("GDRIVE_RAG_OCR_LANGUAGES", "eng+"),
        ("GDRIVE_RAG_OCR_LANGUAGES", "../eng"),
        ("GDRIVE_RAG_EMBED_PROVIDER", "magic"),
        ("GDRIVE_RAG_EMBED_DEVICE", "my graphics card"),
        ("GDRIVE_RAG_EMBED_DEVICE", "cuda:"),
        ("GDRIVE_RAG_EMBED_DIMENSIONS", "many"),
        ("GDRIVE_RAG_EMBED_DIMENSIONS", "0"),
        ("GDRIVE_RAG_EMBED_DIMENSIONS", "16385"),
        ("GDRIVE_RAG_EMBED_DIMENSIONS", "3.5"),
        ("GDRIVE_RAG_EMBED_BATCH_SIZE", "0"),
        ("GDRIVE_RAG_EMBED_TIMEOUT_SECONDS", "0"),
        ("GDRIVE_RAG_EMBED_TIMEOUT_SECONDS", "nan"),
        ("GDRIVE_RAG_EMBED_SEND_DIMENSIONS", "perhaps"),
        ("GDRIVE_RAG_CHUNKER", "recursive"),
        ("GDRIVE_RAG_CHUNK_SIZE", "49"),
        ("GDRIVE_RAG_CHUNK_SIZE", "2001"),
        ("GDRIVE_RAG_CHUNK_OVERLAP", "-1"),
        ("GDRIVE_RAG_RETRIEVAL_MODE", "both"),
        ("GDRIVE_RAG_EVIDENCE_THRESHOLD", "1.01"),
        ("GDRIVE_RAG_EVIDENCE_THRESHOLD", "nan"),
        ("GDRIVE_RAG_DRIVE_QPS", "-1"),
        ("GDRIVE_RAG_DRIVE_QPS", "10001"),
        ("GDRIVE_RAG_DRIVE_QPS", "inf"),
        ("GDRIVE_RAG_DRIVE_ENDPOINT", "127.0.0.1:81"),
        ("GDRIVE_RAG_EMBED_BASE_URL", "localhost/v1"),
        ("GDRIVE_RAG_EMBED_BASE_URL", "http://"),
        ("GDRIVE_RAG_EMBED_BASE_URL", "http://[::1"),
        ("GDRIVE_RAG_EMBED_BASE_URL", "http://host:port/v1"),
        ("GDRIVE_RAG_EMBED_BASE_URL", "http://ho\nst/v1"),
    ],
)
def test_a_bad_value_is_refused_by_the_variables_name(name: str, value: str) -> None:
    error = refused(**{name: value})

    hidden = name in {"GDRIVE_RAG_EMBED_BASE_URL", "GDRIVE_RAG_DRIVE_ENDPOINT"}
    shown = "" if hidden else f"{value!r} "
    assert error.message.startswith(f"{name}: {shown}")
    assert error.message.removeprefix(f"{name}: {shown}").startswith(("must ", "starts with ~"))
    assert error.hint.startswith("correct it, or leave it out")
    assert "It means: " in error.hint


@pytest.mark.parametrize(
    ("name", "value", "must"),
    [
        ("GDRIVE_RAG_SOURCE", "documents", "`drive` or `folder:PATH`, such as folder:documents"),
        ("GDRIVE_RAG_CHUNK_SIZE", "abc", "a whole number from 50 to 2000"),
        ("GDRIVE_RAG_CHUNK_SIZE", "49", "a whole number from 50 to 2000"),
        ("GDRIVE_RAG_EMBED_DIMENSIONS", "3.5", "a whole number from 1 to 16384"),
        ("GDRIVE_RAG_EMBED_TIMEOUT_SECONDS", "soon", "a number above 0, at most 3600"),
        ("GDRIVE_RAG_EMBED_SEND_DIMENSIONS", "perhaps", "true or false"),
        ("GDRIVE_RAG_EMBED_PROVIDER", "magic", PROVIDERS),
        ("GDRIVE_RAG_RETRIEVAL_MODE", "both", "one of hybrid, keyword, vector"),
    ],
)
def test_what_a_setting_must_be_is_said_in_words(name: str, value: str, must: str) -> None:
    assert refused(**{name: value}).message == f"{name}: {value!r} must be {must}"


def test_a_profile_that_is_no_part_of_a_file_name_is_refused_without_a_pattern() -> None:
    error = refused(GDRIVE_RAG_INDEX_PROFILE="a/b")

    assert "letters, digits, dots, dashes and underscores" in error.message
    assert "^[" not in str(error)


def test_a_remedy_names_the_default() -> None:
    assert "leave it out for 300." in refused(GDRIVE_RAG_CHUNK_SIZE="abc").hint


def test_a_long_value_is_shown_in_part() -> None:
    assert len(refused(GDRIVE_RAG_CHUNK_SIZE="9x" * 500).message) < 200


@pytest.mark.parametrize(
    "url",
    [
        "https://user:hunter2@host/v1",
        "https://hunter2@host/v1",
        "https://user:hunter2/x@host/v1",
        "https://user:1/hunter2@host/v1",
        "ftp://user:hunter2@host",
        "https://host/v1?key=hunter2",
        "https://host/v1#hunter2",
        "https://host:hunter2/v1",
    ],
)
@pytest.mark.parametrize("name", ["GDRIVE_RAG_EMBED_BASE_URL", "GDRIVE_RAG_DRIVE_ENDPOINT"])
def test_a_url_with_credentials_is_refused_without_showing_them(name: str, url: str) -> None:
    error = refused(**{name: url})

    assert name in error.message
    assert "hunter2" not in f"{error} {error.args} {error.__cause__} {error.__context__!r}"


def test_a_url_with_credentials_in_another_settings_place_is_not_shown_either() -> None:
    error = refused(GDRIVE_RAG_SOURCE="https://user:hunter2@host/files")

    assert "hunter2" not in str(error)


@pytest.mark.parametrize("key", ["sk-proj-abc", "hf_abcdef", "AIzaSyabc", "Bearer X", "1KEY"])
def test_a_key_in_the_place_of_its_variables_name_is_refused_without_showing_it(key: str) -> None:
    error = refused(GDRIVE_RAG_EMBED_API_KEY_ENV=key)

    assert "variable's name" in error.message
    assert key not in str(error)


def test_a_variable_that_holds_a_key_may_be_called_as_its_owner_likes() -> None:
    named = {"GDRIVE_RAG_EMBED_API_KEY_ENV": "GDRIVE_RAG_EMBED_KEY"}

    assert load(**named, GDRIVE_RAG_EMBED_KEY="sk-1") == load(**named)
    assert load(**named, GDRIVE_RAG_EMBED_KEY_FILE="/run/secrets/key") == load(**named)
    assert "is not a setting" in refused(GDRIVE_RAG_EMBED_KEY="sk-1").message


@pytest.mark.parametrize(("size", "overlap"), [("100", "51"), ("300", "300"), ("79", None)])
def test_an_overlap_of_more_than_half_a_chunk_is_refused(size: str, overlap: str | None) -> None:
    given = {"GDRIVE_RAG_CHUNK_SIZE": size}
    if overlap is not None:
        given["GDRIVE_RAG_CHUNK_OVERLAP"] = overlap

    assert refused(**given).message.startswith("GDRIVE_RAG_CHUNK_OVERLAP: ")


def test_an_overlap_of_half_a_chunk_is_taken() -> None:
    settings = load(GDRIVE_RAG_CHUNK_SIZE="100", GDRIVE_RAG_CHUNK_OVERLAP="50")

    assert (settings.chunk_size, settings.chunk_overlap) == (100, 50)


def test_a_pace_of_zero_is_taken_since_it_sets_no_limit() -> None:
    assert load(GDRIVE_RAG_DRIVE_QPS="0").drive_qps == 0


def test_a_bad_argument_is_told_from_a_bad_variable() -> None:
    with pytest.raises(SettingsError) as caught:
        load_settings({"index_profile": "a/b"}, environ=NO_HOME)

    assert caught.value.message.startswith("GDRIVE_RAG_INDEX_PROFILE, given with the command: ")


# ── what settings are ────────────────────────────────────────────────────────


def test_settings_cannot_be_changed() -> None:
    settings = load()
    for name in Settings.model_fields:
        with pytest.raises(ValidationError, match="frozen"):
            setattr(settings, name, getattr(settings, name))


@pytest.mark.parametrize(
    "name",
    [
        "GOOGLE_SERVICE_ACCOUNT_FILE",
        "GOOGLE_OAUTH_CLIENT_FILE",
        "GOOGLE_OAUTH_TOKEN_FILE",
    ],
)
def test_a_key_in_place_of_the_name_of_its_file_is_not_shown(name: str) -> None:
    key = '{"private_key": "hunter2"}'

    assert "hunter2" not in repr(load(**{name: key}))
    error = refused(**{name: f"~nobody-of-this-name{key}"})
    assert name in error.message
    assert "hunter2" not in error.message + error.hint


def test_no_secret_is_ever_part_of_the_settings() -> None:
    environ: dict[str, Any] = {
        "GDRIVE_RAG_EMBED_API_KEY_ENV": "EMBEDDING_KEY",
        "EMBEDDING_KEY": "hunter2",
        "GDRIVE_RAG_BEARER_TOKEN": "hunter2",
        "GEMINI_API_KEY": "hunter2",
    }

    assert "hunter2" not in repr(load(**environ)) + str(load(**environ).model_dump())


@pytest.mark.parametrize(
    ("environ", "name"),
    [
        ({}, "data/index.db"),
        ({"GDRIVE_RAG_INDEX_PROFILE": "default"}, "data/index.db"),
        ({"GDRIVE_RAG_INDEX_PROFILE": "legal-2024"}, "data/index-legal-2024.db"),
        ({"GDRIVE_RAG_DB_PATH": "my.db", "GDRIVE_RAG_INDEX_PROFILE": "legal"}, "my.db"),
    ],
)
def test_the_index_is_where_path_or_profile_say(environ: dict[str, str], name: str) -> None:
    assert load(**environ).index_path == Path.cwd() / name


def test_a_path_is_absolute_from_the_moment_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", "/home/anna")
    settings = load(
        GDRIVE_RAG_DB_PATH="my.db",
        GDRIVE_RAG_SOURCE="folder:docs",
        GDRIVE_RAG_EMBED_MODEL_PATH="~/models",
        GOOGLE_SERVICE_ACCOUNT_FILE="~/key.json",
        GOOGLE_OAUTH_CLIENT_FILE="client.json",
        GOOGLE_OAUTH_TOKEN_FILE="~/token.json",
    )
    monkeypatch.chdir("/")

    assert settings.index_path == tmp_path / "my.db"
    assert settings.source == f"folder:{tmp_path / 'docs'}"
    assert settings.embed_model_path == Path("/home/anna/models")
    assert settings.google_service_account_file == Path("/home/anna/key.json")
    assert settings.google_oauth_client_file == tmp_path / "client.json"
    assert settings.google_oauth_token_file == Path("/home/anna/token.json")
    assert load(GDRIVE_RAG_SOURCE="folder:~/d").source == "folder:/home/anna/d"
