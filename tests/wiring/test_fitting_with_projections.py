"""`evidence fit` may learn projections from other sets, and grow corpora by them."""

from pathlib import Path

import pytest

from gdrive_rag_mcp.errors import QuestionSetError
from gdrive_rag_mcp.settings import Settings
from gdrive_rag_mcp.wiring.fitting import fit_evidence
from tests.evaluation.made_sets import made_set, write_set


@pytest.mark.parametrize("named", [True, False])
def test_projections_are_learned_from_the_folder_that_is_named_and_else_from_the_data(
    tmp_path: Path, *, named: bool
) -> None:
    write_set(tmp_path / "data" / "towns-en", *made_set(1, towns=6))
    (tmp_path / "others").mkdir()
    others = tmp_path / "others" if named else None
    expected = str(others) if named else "too few to learn a projection from"

    with pytest.raises(QuestionSetError, match=expected):
        fit_evidence(
            Settings.model_validate({"embed_provider": "embedded"}),
            tmp_path / "data",
            tmp_path / "cache",
            projections_from=others,
            report=lambda _: None,
        )


def test_corpora_grow_by_the_folder_that_is_named_and_else_by_the_data(tmp_path: Path) -> None:
    write_set(tmp_path / "data" / "towns", *made_set(1, towns=6))
    write_set(tmp_path / "others" / "cities", *made_set(2, towns=40))

    def asked(beside: Path | None) -> list[str]:
        told: list[str] = []
        fit_evidence(
            Settings.model_validate({"embed_provider": "none"}),
            tmp_path / "data",
            tmp_path / "cache",
            beside=beside,
            report=told.append,
        )
        return [line.partition(":")[0] for line in told if " rows" in line]

    assert asked(tmp_path / "others") == ["towns", "towns/grown"]
    assert asked(None) == ["towns"]


def test_a_folder_to_grow_by_that_is_not_there_is_told_before_anything_is_embedded(
    tmp_path: Path,
) -> None:
    write_set(tmp_path / "data" / "towns", *made_set(1, towns=6))

    with pytest.raises(QuestionSetError, match="nowhere"):
        fit_evidence(
            Settings.model_validate({"embed_provider": "embedded"}),
            tmp_path / "data",
            tmp_path / "cache",
            beside=tmp_path / "nowhere",
            report=lambda _: None,
        )

    assert not (tmp_path / "cache").exists()
