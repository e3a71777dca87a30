"""Over real files that nobody on the project wrote: where each word is, and why a file has none."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from gdrive_rag_mcp.domain import Document, Reason
from gdrive_rag_mcp.extraction.reading import read_document
from gdrive_rag_mcp.sources.media_types import media_type_of
from tools.check_formats import GOAL
from tools.conformance import INDEX, Result, run
from tools.format_causes import CAUSES

FILES = Path(os.path.normpath(Path(__file__).resolve().parents[2] / "../shared/data/files"))
pytestmark = [
    pytest.mark.acceptance,
    pytest.mark.skipif(not (FILES / INDEX).exists(), reason="the handed files are not here"),
]


@pytest.fixture(scope="module")
def handed() -> list[Result]:
    return list(run(FILES))


def test_every_file_ends_as_a_sound_document_or_with_a_reason_of_its_own(
    handed: list[Result], sound: Callable[[Document], None]
) -> None:
    assert len(handed) == len(list(FILES.iterdir())) - 1
    for each in handed:
        assert each.reason is not Reason.INTERNAL, each.entry.file
        if isinstance(each.outcome, Document):
            sound(each.outcome)


def test_every_outcome_is_the_expected_one_unless_it_is_known_why_not(
    handed: list[Result],
) -> None:
    otherwise = {each.entry.file: each.wrong for each in handed if each.wrong}

    assert {name: wrong for name, wrong in otherwise.items() if name not in CAUSES} == {}
    assert [each.entry.file for each in handed if each.reason is Reason.RESOURCE_LIMIT] == []


def test_nearly_every_listed_word_is_in_a_segment_and_in_a_chunk_that_cite_its_place(
    handed: list[Result],
) -> None:
    wanted = sum(len(each.words) for each in handed)
    beside = [word.listed for each in handed for word in each.not_in_segments]
    uncited = [word.listed for each in handed for word in each.not_in_chunks]

    assert wanted > 300
    assert len(beside) <= (1 - GOAL) * wanted, beside
    assert len(uncited) <= (1 - GOAL) * wanted, uncited


def test_what_was_deleted_from_a_file_does_not_appear(handed: list[Result]) -> None:
    assert sum(len(each.entry.unwanted) for each in handed) > 10
    assert {each.entry.file: each.appearing for each in handed if each.appearing} == {}


def test_every_cause_that_is_kept_belongs_to_a_miss(handed: list[Result]) -> None:
    missed = {each.entry.file for each in handed if each.misses}

    assert missed == {each.entry.file for each in handed if each.entry.file in CAUSES}


def test_the_same_bytes_give_the_same_document_whoever_reads_them(handed: list[Result]) -> None:
    small = [
        each
        for each in handed
        if isinstance(each.outcome, Document) and (FILES / each.entry.file).stat().st_size < 50_000
    ]

    for each in small:
        again = read_document(FILES / each.entry.file, media_type_of(each.entry.file))
        assert again == each.outcome, each.entry.file
    assert len(small) > 50
