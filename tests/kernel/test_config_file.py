"""The config file: where it is looked for, what it may say, and how it is refused."""

import os
from pathlib import Path

import pytest

from gdrive_rag_mcp.errors import SettingsError
from gdrive_rag_mcp.settings import Settings, default_config_file, load_settings

DEFAULTS = load_settings(environ={"HOME": os.devnull})


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """Where a config file is put, in a folder of its own."""
    folder = tmp_path / "settings"
    folder.mkdir()
    return folder / "config.toml"


def load(config: Path, content: str | bytes, **environ: str) -> Settings:
    config.write_bytes(content if isinstance(content, bytes) else content.encode())
    return load_settings(environ=environ, config_file=config)


def refused(config: Path, content: str | bytes, **environ: str) -> SettingsError:
    with pytest.raises(SettingsError) as caught:
        load(config, content, **environ)
    assert caught.value.hint
    assert str(config) in caught.value.message
    return caught.value


def test_the_file_in_the_home_is_read_when_none_is_named(tmp_path: Path) -> None:
    environ = {"HOME": str(tmp_path)}
    found = default_config_file(environ)
    assert found == tmp_path / ".config" / "gdrive-rag-mcp" / "config.toml"
    found.parent.mkdir(parents=True)
    found.write_text("chunk_size = 123\n", encoding="utf-8")

    assert load_settings(environ=environ).chunk_size == 123


def test_a_named_file_is_read_instead_of_the_one_in_the_home(config: Path, tmp_path: Path) -> None:
    home = default_config_file({"HOME": str(tmp_path)})
    assert home
    home.parent.mkdir(parents=True)
    home.write_text('chunk_size = 123\nindex_profile = "home"\n', encoding="utf-8")

    settings = load(config, "chunk_size = 234\n", HOME=str(tmp_path))

    assert (settings.chunk_size, settings.index_profile) == (234, "default")


@pytest.mark.parametrize("home", ["{tmp_path}", "{tmp_path}/nowhere", os.devnull])
def test_without_a_file_in_the_home_the_defaults_hold(home: str, tmp_path: Path) -> None:
    assert load_settings(environ={"HOME": home.format(tmp_path=tmp_path)}) == DEFAULTS


def test_a_user_without_a_home_has_no_config_file(monkeypatch: pytest.MonkeyPatch) -> None:
    # Containers run as users that no password file knows; such a user cannot be made here.
    monkeypatch.delenv("HOME")
    monkeypatch.setattr(os, "getuid", lambda: 2**31 - 7)

    assert default_config_file({}) is None
    assert load_settings(environ={}) == DEFAULTS


def test_a_file_in_the_home_that_cannot_be_read_is_refused_not_passed_over(tmp_path: Path) -> None:
    path = default_config_file({"HOME": str(tmp_path)})
    assert path
    path.mkdir(parents=True)

    with pytest.raises(SettingsError, match="cannot be read") as caught:
        load_settings(environ={"HOME": str(tmp_path)})
    assert str(path) in caught.value.message
    assert "--config" in caught.value.hint


def test_a_named_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="cannot be read") as caught:
        load_settings(environ={}, config_file=tmp_path / "no.toml")
    assert str(tmp_path / "no.toml") in caught.value.message


def test_relative_paths_in_the_file_start_where_the_file_lies(
    config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", "/home/anna")
    settings = load(
        config,
        'db_path = "my.db"\nembed_model_path = "~/models"\n'
        'google_service_account_file = "../key.json"\nsource = "folder:docs"\n',
    )

    assert settings.index_path == config.parent / "my.db"
    assert settings.embed_model_path == Path("/home/anna/models")
    assert settings.google_service_account_file == config.parent / "../key.json"
    assert settings.source == f"folder:{config.parent / 'docs'}"


def test_a_file_named_by_a_relative_path_is_found_from_here_and_errors_say_where(
    config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(config.parent)
    config.write_text('db_path = "my.db"\n', encoding="utf-8")

    found = load_settings(environ={}, config_file=Path("config.toml"))

    assert found.index_path == config.parent / "my.db"
    with pytest.raises(SettingsError, match=str(config.parent / "absent.toml")):
        load_settings(environ={}, config_file=Path("absent.toml"))


def test_an_absolute_path_in_the_file_stays_as_it_is(config: Path) -> None:
    settings = load(config, 'db_path = "/indexes/my.db"\nsource = "folder:/srv/docs"\n')

    assert settings.index_path == Path("/indexes/my.db")
    assert settings.source == "folder:/srv/docs"


def test_an_empty_text_in_the_file_is_unset(config: Path) -> None:
    assert load(config, 'db_path = ""\nembed_base_url = ""\nsource = ""\n') == DEFAULTS


def test_a_byte_order_mark_before_the_file_is_no_error(config: Path) -> None:
    assert load(config, b"\xef\xbb\xbfchunk_size = 234\n").chunk_size == 234


def test_a_bad_value_is_refused_by_its_name_in_the_file(config: Path) -> None:
    error = refused(config, "chunk_size = 7\n")

    assert error.message.startswith(f"chunk_size in {config}: ")
    assert "GDRIVE_RAG_CHUNK_SIZE" not in str(error)


def test_a_bad_variable_that_hides_a_good_value_of_the_file_is_the_one_to_blame(
    config: Path,
) -> None:
    config.write_text("chunk_size = 200\n", encoding="utf-8")
    with pytest.raises(SettingsError) as caught:
        load_settings(environ={"GDRIVE_RAG_CHUNK_SIZE": "7"}, config_file=config)

    assert caught.value.message.startswith("GDRIVE_RAG_CHUNK_SIZE: ")


@pytest.mark.parametrize(
    "line",
    [
        "source = true",
        "source = 5",
        "[source]\nfolder = 1",
        "[[source]]",
        'source = "folder:"',
        'source = "folder:\\u0000"',
        "db_path = 5",
        "db_path = ['a']",
        'db_path = "a\\u0000b"',
        "gdrive_folder_id = 17",
        "gdrive_folder_id = 2020-01-01",
        "chunk_size = 'many'",
        "chunk_size = {a = 1}",
        "chunk_size = 300.5",
        "chunk_overlap = true",
        "embed_dimensions = true",
        "drive_qps = true",
        "evidence_threshold = nan",
        "embed_timeout_seconds = inf",
        "embed_send_dimensions = 'sometimes'",
        "embed_provider = 1",
        "index_profile = 12",
    ],
)
def test_a_value_of_the_wrong_kind_is_refused_by_its_name_in_the_file(
    config: Path, line: str
) -> None:
    name = line.lstrip("[").partition("]")[0].partition(" ")[0]

    assert refused(config, line).message.startswith(f"{name} in {config}: ")


def test_numbers_and_truths_may_be_written_as_toml_or_as_text(config: Path) -> None:
    plain = load(config, "chunk_size = 200\nembed_send_dimensions = true\ndrive_qps = 3\n")
    text = load(config, "chunk_size = '200'\nembed_send_dimensions = 'yes'\ndrive_qps = '3'\n")

    assert plain == text


@pytest.mark.parametrize(
    ("name", "meant"),
    [("db_paht", "db_path"), ("GDRIVE_RAG_DB_PATH", "db_path"), ("embed_api_key", "embed_api_key")],
)
def test_an_unknown_name_in_the_file_is_refused_with_the_one_that_was_meant(
    config: Path, name: str, meant: str
) -> None:
    error = refused(config, f"{name} = 'hunter2'\n")

    assert error.message == f"{name} in {config} is not a setting"
    assert f"did you mean {meant}" in error.hint
    assert "hunter2" not in str(error)


@pytest.mark.parametrize(
    "content",
    [b"chunk_size = \xff\n", b"chunk_size 300\n", b"chunk_size = 1\nchunk_size = 2\n", b"\x00"],
    ids=["not UTF-8", "no =", "twice", "NUL"],
)
def test_a_file_that_is_no_toml_is_refused(config: Path, content: bytes) -> None:
    assert "is not TOML" in refused(config, content).message


def test_a_url_with_credentials_in_the_file_is_refused_without_showing_them(config: Path) -> None:
    error = refused(config, 'embed_base_url = "https://me:hunter2@host/v1"\n')

    assert error.message.startswith(f"embed_base_url in {config}: ")
    assert "hunter2" not in str(error)
