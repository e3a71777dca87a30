"""Secrets come from a named variable or from a file that `<NAME>_FILE` points to."""

from pathlib import Path

import pytest

from gdrive_rag_mcp.errors import SettingsError
from gdrive_rag_mcp.settings import secret


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file with a secret and the line end that editors add."""
    path = tmp_path / "key.txt"
    path.write_text("from-the-file\n", encoding="utf-8")
    return path


def test_a_secret_is_the_value_of_the_variable_that_is_named() -> None:
    assert secret("MY_KEY", {"MY_KEY": " hunter2\n", "OTHER": "x"}) == "hunter2"


def test_a_secret_is_the_content_of_the_file_that_is_named(file: Path) -> None:
    assert secret("MY_KEY", {"MY_KEY_FILE": str(file)}) == "from-the-file"


def test_the_variable_wins_over_the_file(file: Path) -> None:
    assert secret("MY_KEY", {"MY_KEY": "hunter2", "MY_KEY_FILE": str(file)}) == "hunter2"


@pytest.mark.parametrize("empty", ["", " ", "\n"])
def test_an_empty_variable_leaves_it_to_the_file(file: Path, empty: str) -> None:
    assert secret("MY_KEY", {"MY_KEY": empty, "MY_KEY_FILE": str(file)}) == "from-the-file"


@pytest.mark.parametrize("variable", [None, "", "MY_KEY"])
def test_what_is_not_set_is_no_secret(variable: str | None) -> None:
    assert secret(variable, {"MY_KEY": "", "MY_KEY_FILE": "", "": "x", "_FILE": "/x"}) is None


def test_the_home_in_the_files_path_is_expanded(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(file.parent))

    assert secret("MY_KEY", {"MY_KEY_FILE": "~/key.txt"}) == "from-the-file"


@pytest.mark.parametrize(
    ("content", "problem"),
    [(None, "cannot be read"), (b"", "is empty"), (b" \n", "is empty"), (b"\xff\xfe", "UTF-8")],
    ids=["absent", "empty", "blank", "not UTF-8"],
)
def test_a_file_without_a_secret_is_refused_by_its_variable_and_path(
    tmp_path: Path, content: bytes | None, problem: str
) -> None:
    path = tmp_path / "key.txt"
    if content is not None:
        path.write_bytes(content)

    with pytest.raises(SettingsError, match=problem) as caught:
        secret("MY_KEY", {"MY_KEY_FILE": str(path)})
    assert f"MY_KEY_FILE points to {path}" in caught.value.message
    assert caught.value.hint
