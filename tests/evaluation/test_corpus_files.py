"""A corpus is written out so that a sync finds it as it is, and nothing else."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from gdrive_rag_mcp.evaluation.corpus_files import Layout, file_name, write_corpus
from gdrive_rag_mcp.evaluation.question_sets import Text


@given(st.text(st.characters()), st.sampled_from(Layout))
def test_any_id_makes_a_name_that_every_file_system_takes(document_id: str, layout: Layout) -> None:
    stem, _, suffix = file_name(document_id, layout).partition(".")

    assert stem.isascii()
    assert stem.isalpha()
    assert stem == stem.lower()
    assert len(stem) > len("nul")
    assert suffix in {"md", "txt"}


def test_ids_that_differ_in_case_alone_are_two_files() -> None:
    assert file_name("A#1", Layout.BARE) != file_name("a#1", Layout.BARE)


def test_a_title_is_a_heading_or_nowhere(tmp_path: Path) -> None:
    text = Text("a#1", "On\nTowns", "A town.", "en")

    for layout in Layout:
        write_corpus([text], tmp_path / layout, layout)

    assert _only_file(tmp_path / "titled") == "# On Towns\n\nA town.\n"
    assert _only_file(tmp_path / "bare") == "A town.\n"


def _only_file(folder: Path) -> str:
    [file] = folder.iterdir()
    return file.read_text(encoding="utf-8")


def test_a_changed_corpus_leaves_what_is_right_untouched_and_nothing_stale(tmp_path: Path) -> None:
    texts = [Text(f"a#{number}", "", f"Text {number}.", "en") for number in range(3)]
    write_corpus(texts, tmp_path, Layout.BARE)
    before = {file.name: file.stat().st_mtime_ns for file in tmp_path.iterdir()}

    ids = write_corpus(texts[1:], tmp_path, Layout.BARE)

    after = {file.name: file.stat().st_mtime_ns for file in tmp_path.iterdir()}
    assert set(after) == set(ids)
    assert sorted(ids.values()) == ["a#1", "a#2"]
    assert after.items() <= before.items()
