"""One command's settings: its options, the environment, `--env-file`, `--config`."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from gdrive_rag_mcp.errors import SettingsError
from gdrive_rag_mcp.frontends.options import command_settings
from gdrive_rag_mcp.settings import Settings, secret

Read = Callable[..., Settings]


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Read]:
    """Reads settings with these options; what that does to the environment is undone after."""
    before = dict(os.environ)
    monkeypatch.chdir(tmp_path)

    def read_settings(**options: Any) -> Settings:  # noqa: ANN401 - options of any kind
        unset = dict.fromkeys(("config", "env_file", "db", "profile", "source"))
        return command_settings(**(unset | options))

    yield read_settings
    os.environ.clear()
    os.environ.update(before)


@pytest.fixture
def env_file(tmp_path: Path) -> Callable[[str | bytes], Path]:
    """Writes an environment file."""

    def write(content: str | bytes) -> Path:
        path = tmp_path / "my.env"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


Write = Callable[[str | bytes], Path]


def test_options_win_over_the_environment(
    read: Read, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GDRIVE_RAG_INDEX_PROFILE", "environment")
    monkeypatch.setenv("GDRIVE_RAG_SOURCE", "drive")

    settings = read(profile="option", source=f"folder:{tmp_path}", db=Path("my.db"))

    assert settings.index_profile == "option"
    assert settings.source == f"folder:{tmp_path}"
    assert settings.index_path == tmp_path / "my.db"
    assert read().index_profile == "environment"


def test_a_bad_option_is_refused_as_given_with_the_command(read: Read) -> None:
    with pytest.raises(SettingsError, match="given with the command"):
        read(profile="../up")


def test_the_config_file_that_is_named_is_read(read: Read, tmp_path: Path) -> None:
    (tmp_path / "my.toml").write_text("chunk_size = 234\n", encoding="utf-8")

    assert read(config=Path("my.toml")).chunk_size == 234


# ── --env-file ───────────────────────────────────────────────────────────────


def test_an_environment_file_is_read_only_when_it_is_named(
    read: Read, env_file: Write, tmp_path: Path
) -> None:
    path = env_file("GDRIVE_RAG_CHUNK_SIZE=234\n")
    path.rename(tmp_path / ".env")

    assert read().chunk_size == 300
    assert read(env_file=Path(".env")).chunk_size == 234


def test_secrets_of_an_environment_file_are_found_where_secrets_are_looked_for(
    read: Read, env_file: Write
) -> None:
    settings = read(env_file=env_file("GDRIVE_RAG_EMBED_API_KEY_ENV=MY_KEY\nMY_KEY=hunter2\n"))

    assert secret(settings.embed_api_key_env, os.environ) == "hunter2"
    assert "hunter2" not in repr(settings)


def test_a_variable_that_is_set_wins_over_the_file(
    read: Read, env_file: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GDRIVE_RAG_CHUNK_SIZE", "100")

    assert read(env_file=env_file("GDRIVE_RAG_CHUNK_SIZE=234\n")).chunk_size == 100


def test_a_variable_that_is_empty_leaves_it_to_the_file(
    read: Read, env_file: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GDRIVE_RAG_CHUNK_SIZE", "")

    assert read(env_file=env_file("GDRIVE_RAG_CHUNK_SIZE=234\n")).chunk_size == 234


@pytest.mark.parametrize(
    ("content", "value"),
    [
        ("MY=plain\n", "plain"),
        ("export MY=exported\n", "exported"),
        ("# a comment\n\nMY='a # b'\n", "a # b"),
        ("MY=value # a comment\n", "value"),
        ('MY="two\\nlines"\n', "two\nlines"),
        ("MY=${HOME}\n", "${HOME}"),
        ("MY=$(whoami)\n", "$(whoami)"),
        ("MY=one\nMY=two\n", "two"),
        ("MY=한국어\r\n", "한국어"),
        (b"\xef\xbb\xbfMY=after a byte order mark\n", "after a byte order mark"),
    ],
)
def test_the_lines_of_an_environment_file_mean_what_they_do_elsewhere(
    read: Read, env_file: Write, content: str | bytes, value: str
) -> None:
    read(env_file=env_file(content))

    assert os.environ["MY"] == value


def test_a_name_without_a_value_sets_nothing(read: Read, env_file: Write) -> None:
    read(env_file=env_file("MY\n"))

    assert "MY" not in os.environ


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("A=1\nsk-hunter2 is my key\n", 2),
        ("A=1\n=hunter2\n", 2),
        ("A='hunter2\n", 1),
        ("A=hunter2\0\n", 1),
    ],
    ids=["no =", "no name", "open quote", "NUL"],
)
def test_a_line_that_sets_nothing_is_refused_by_its_number_without_showing_it(
    read: Read, env_file: Write, content: str, line: int
) -> None:
    path = env_file(content)

    with pytest.raises(SettingsError, match=f"line {line} of the environment file") as refused:
        read(env_file=path)
    assert str(path) in refused.value.message
    assert refused.value.hint
    assert "hunter2" not in str(refused.value)
    assert "A" not in os.environ


def test_an_unknown_name_in_an_environment_file_is_refused(read: Read, env_file: Write) -> None:
    with pytest.raises(SettingsError, match="GDRIVE_RAG_TYPO is not a setting"):
        read(env_file=env_file("GDRIVE_RAG_TYPO=1\n"))


@pytest.mark.parametrize(
    ("content", "problem"),
    [(None, "cannot be read"), ("folder", "cannot be read"), (b"A=\xff\n", "not UTF-8")],
    ids=["absent", "a folder", "not UTF-8"],
)
def test_an_environment_file_that_cannot_be_read_is_refused_with_its_absolute_path(
    read: Read, env_file: Write, tmp_path: Path, content: bytes | str | None, problem: str
) -> None:
    if content == "folder":
        (tmp_path / "my.env").mkdir()
    elif content is not None:
        env_file(content)

    with pytest.raises(SettingsError, match=problem) as refused:
        read(env_file=Path("my.env"))
    assert str(tmp_path / "my.env") in refused.value.message
    assert refused.value.hint
    assert refused.value.exit_code == 2
