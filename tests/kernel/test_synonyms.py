"""The operator's term dictionary in the config file."""

from pathlib import Path

import pytest

from gdrive_rag_mcp.errors import SettingsError
from gdrive_rag_mcp.settings import load_settings


def load(folder: Path, content: str, **environ: str) -> tuple[tuple[str, ...], ...]:
    file = folder / "config.toml"
    file.write_text(content, encoding="utf-8")
    return load_settings(environ=environ, config_file=file).synonyms


def test_groups_are_read_from_the_file(tmp_path: Path) -> None:
    written = (
        'synonyms = [["PTO", " paid time off", "Urlaub"], ["NDA", "non-disclosure agreement"]]'
    )
    assert load(tmp_path, written) == (
        ("PTO", "paid time off", "Urlaub"), ("NDA", "non-disclosure agreement"),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ('"PTO"', "lists of terms"),
        ('["PTO", "Urlaub"]', "lists of terms"),
        ("[[1, 2]]", "text in quotation marks"),
        ('[["PTO"]]', "two terms"),
        ('[["PTO", "pto"]]', "two terms"),
        ('[["a", "b"], ["PTO", "?!"]]', "the 2. of the list"),
        (f'[["PTO", "{"x" * 101}"]]', "100 characters"),
    ],
)
def test_a_dictionary_that_makes_no_sense_is_refused_with_what_is_wrong(
    tmp_path: Path, written: str, said: str
) -> None:
    with pytest.raises(SettingsError, match=said) as refused:
        load(tmp_path, f"synonyms = {written}")
    assert "synonyms" in refused.value.message
    assert refused.value.hint


def test_a_variable_for_it_is_refused_and_points_to_the_file(tmp_path: Path) -> None:
    with pytest.raises(SettingsError) as refused:
        load(tmp_path, "", GDRIVE_RAG_SYNONYMS="x")
    assert refused.value.hint == "write synonyms into the config file"
