"""`evidence fit-projection`, from a folder of question sets to the file that the package reads."""

import io
from pathlib import Path

import pytest

from gdrive_rag_mcp.embedding.token_projection import STATES, read_projection
from gdrive_rag_mcp.errors import QuestionSetError, SettingsError
from gdrive_rag_mcp.evidence.projection_fit import WIDTH
from gdrive_rag_mcp.settings import Settings
from gdrive_rag_mcp.wiring.projection import FittedProjection, fit_token_projection
from tests.embedding.small_model import write_small_model
from tests.evaluation.made_sets import made_set, write_set

WORDS = "rent leave deposit weeks"


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return write_small_model(
        tmp_path / "model", dimensions=STATES, name="intfloat/multilingual-e5-small"
    )


def fit(data: Path, cache: Path, model: Path, *, held_out: bool = False) -> FittedProjection:
    settings = Settings.model_validate({"embed_model_path": model})
    return fit_token_projection(settings, data, cache, held_out=held_out, report=lambda _: None)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    corpus, questions = made_set(5, towns=180)
    longer = [{**line, "text": f"{line['text']} {WORDS} " * 3} for line in corpus]
    write_set(tmp_path / "data" / "towns-en", longer, questions)
    return tmp_path / "data"


@pytest.mark.acceptance
def test_the_same_data_makes_the_same_file_and_embeds_nothing_again(
    data: Path, model: Path, tmp_path: Path
) -> None:
    first = fit(data, tmp_path / "cache", model, held_out=True)
    kept = {file: file.stat().st_mtime_ns for file in tmp_path.glob("cache/states-*/*.bin")}
    again = fit(data, tmp_path / "cache", model)

    assert again.file == first.file
    assert kept == {f: f.stat().st_mtime_ns for f in tmp_path.glob("cache/states-*/*.bin")} != {}
    made = read_projection(io.BytesIO(first.file))
    assert made.projection.shape == (STATES, WIDTH)
    [told] = first.held_out
    assert told.set == "towns-en"
    assert told.answerable
    assert told.adjacent
    assert 0 <= told.learned <= 1
    assert again.held_out == []


def test_too_little_data_is_a_clear_error(model: Path, tmp_path: Path) -> None:
    write_set(tmp_path / "data" / "towns-en", *made_set(1, towns=6))

    with pytest.raises(QuestionSetError, match="too few to learn a projection from"):
        fit(tmp_path / "data", tmp_path / "cache", model)


def test_sets_without_any_answer_are_a_clear_error(model: Path, tmp_path: Path) -> None:
    corpus, questions = made_set(1)
    absent = [line for line in questions if line["kind"] == "absent_topic"]
    write_set(tmp_path / "data" / "towns-en", corpus, absent)

    with pytest.raises(QuestionSetError, match="no set has an answerable question"):
        fit(tmp_path / "data", tmp_path / "cache", model)


def test_a_model_without_token_vectors_is_refused(tmp_path: Path) -> None:
    other = write_small_model(tmp_path / "other", dimensions=STATES, name="another")
    write_set(tmp_path / "data" / "towns-en", *made_set(1, towns=6))

    with pytest.raises(SettingsError, match="no token vectors"):
        fit(tmp_path / "data", tmp_path / "cache", other)
