"""Bringing an index up to date: what changed is read, what did not costs nothing."""

import pytest

from gdrive_rag_mcp.domain import EVERYTHING, FileState, Reason, Scope
from gdrive_rag_mcp.testing.hand_written import found_by_words
from gdrive_rag_mcp.testing.hashing_embedder import HashingEmbedder
from tests.indexing.desk import Desk


def embedded(desk: Desk) -> int:
    assert isinstance(desk.embedder, HashingEmbedder)
    return desk.embedder.embedded_texts


def test_a_second_sync_reads_and_embeds_nothing(desk: Desk) -> None:
    hr = desk.source.add_folder("HR")
    for number in range(5):
        desk.source.add_file(f"{number}.md", f"sabbatical {number}\n\nleave {number}", hr)
    first = desk.sync()
    assert (first.added, first.embedded_chunks, first.downloads) == (5, 10, 5)
    before = embedded(desk), desk.source.usage.downloads, desk.extractor.extracted
    second = desk.sync()
    assert (second.unchanged, second.added, second.updated, second.moved) == (5, 0, 0, 0)
    assert (second.embedded_chunks, second.reused_chunks, second.pending_vectors) == (0, 0, 0)
    assert (embedded(desk), desk.source.usage.downloads, desk.extractor.extracted) == before
    assert second.complete


def test_an_idle_sync_notes_what_it_saw_and_writes_nothing_else(desk: Desk) -> None:
    folder = desk.source.add_folder("HR")
    for number in range(200):
        desk.source.add_file(f"{number}.md", f"sabbatical {number}\n\nleave {number}", folder)
    for _ in range(3):  # the second one still forgets what the first one did
        desk.sync()
    assert 202 <= desk.rows_written < 215, "each of 200 files and 2 folders was seen"


def test_renaming_or_moving_a_folder_reads_and_embeds_nothing(desk: Desk) -> None:
    old, new = desk.source.add_folder("Old"), desk.source.add_folder("New")
    box = desk.source.add_folder("Box", old)
    file = desk.source.add_file("leave.md", "sabbatical leave", box)
    desk.sync()
    before = embedded(desk), desk.source.usage.downloads
    desk.source.rename(box, "Chest")
    renamed = desk.sync()
    assert desk.record(file).path == "Old/Chest/leave.md"
    desk.source.move(box, new)
    moved = desk.sync()
    assert desk.record(file).path == "New/Chest/leave.md"
    assert (embedded(desk), desk.source.usage.downloads) == before
    assert (renamed.unchanged, moved.unchanged) == (1, 1)
    with desk.reading() as store:
        assert found_by_words(store, "sabbatical", Scope(frozenset({new})))
        assert not found_by_words(store, "sabbatical", Scope(frozenset({old})))


def test_renaming_and_moving_a_file_counts_as_moved(desk: Desk) -> None:
    hr = desk.source.add_folder("HR")
    one = desk.source.add_file("one.md", "sabbatical one")
    two = desk.source.add_file("two.md", "sabbatical two")
    desk.sync()
    before = embedded(desk), desk.source.usage.downloads
    desk.source.rename(one, "First.md")
    desk.source.move(two, hr)
    report = desk.sync()
    assert (report.moved, report.updated, report.unchanged) == (2, 0, 0)
    assert (embedded(desk), desk.source.usage.downloads) == before
    assert desk.find("first") == {one}
    assert desk.sync().moved == 0


def test_an_edited_sentence_embeds_only_what_is_new(desk: Desk) -> None:
    paragraphs = [f"paragraph {number} of the sabbatical" for number in range(9)]
    file = desk.source.add_file("a.md", "\n\n".join(paragraphs))
    desk.sync()
    paragraphs[4] = "an edited paragraph"
    desk.source.edit(file, "\n\n".join(paragraphs))
    report = desk.sync()
    assert (report.updated, report.embedded_chunks, report.reused_chunks) == (1, 1, 8)
    assert desk.find("edited") == {file}
    with desk.reading() as store:
        assert store.catalog.status(EVERYTHING).vectors == 9


def test_a_new_version_with_the_same_bytes_is_no_update(desk: Desk) -> None:
    file = desk.source.add_file("a.md", "sabbatical\n\n?page 3")
    desk.sync()
    desk.source.edit(file, "sabbatical\n\n?page 3")
    report = desk.sync()
    assert (report.unchanged, report.updated, report.embedded_chunks) == (1, 0, 0)
    assert desk.extractor.extracted == 1
    record = desk.record(file)
    assert (record.state, record.detail) == (FileState.PARTIAL, "?page 3")
    assert record.version.startswith("1-")


def test_the_same_bytes_under_another_type_are_read_anew(desk: Desk) -> None:
    file = desk.source.add_file("a.md", "sabbatical", mime_type="text/markdown")
    desk.sync()
    desk.source.retype(file, "text/plain")
    desk.sync()
    assert desk.extractor.extracted == 2


@pytest.mark.parametrize("copies", [2, 300])
def test_a_text_that_stands_in_many_places_is_embedded_once(desk: Desk, copies: int) -> None:
    for number in range(copies):
        desk.source.add_file(f"{number}.md", f"the boilerplate\n\nown text {number}")
    report = desk.sync()
    assert embedded(desk) == report.embedded_chunks == copies + 1
    assert report.reused_chunks == copies - 1
    assert report.pending_vectors == 0


@pytest.mark.parametrize("reason", [Reason.NETWORK, Reason.RATE_LIMITED, Reason.ACCESS_DENIED])
def test_a_failed_read_keeps_the_old_text_searchable_and_rests(desk: Desk, reason: Reason) -> None:
    file = desk.source.add_file("a.md", "the old sabbatical")
    other = desk.source.add_file("b.md", "another sabbatical")
    desk.sync()
    desk.source.edit(file, "the new sabbatical")
    desk.source.fail_reading(file, reason)
    for _ in range(3):
        report = desk.sync()
        assert report.coverage.by_reason == {reason: 1}
    assert desk.find("sabbatical") == {file, other}
    assert desk.find("old") == {file}
    record = desk.record(file)
    assert (record.state, record.attempts) == (FileState.FAILED, 3)
    downloads = desk.source.usage.downloads
    desk.sync()
    assert desk.source.usage.downloads == downloads, "it rests"
    desk.source.fail_reading(file, None)
    desk.later(minutes=5)
    assert desk.sync().updated == 1
    assert desk.find("old") == set()
    assert desk.record(file).attempts == 0


def test_a_failed_extraction_costs_only_its_file(desk: Desk) -> None:
    bad = desk.source.add_file("bad.md", "!resource_limit")
    good = desk.source.add_file("good.md", "sabbatical")
    report = desk.sync()
    assert (report.added, report.coverage.by_reason) == (1, {Reason.RESOURCE_LIMIT: 1})
    assert desk.find("sabbatical") == {good}
    desk.source.edit(bad, "now a sabbatical")
    assert desk.sync().added == 1


@pytest.mark.parametrize("refusal", ["!encrypted", "!needs_ocr", "   ", "!corrupt"])
def test_a_refusal_takes_the_old_text_out(desk: Desk, refusal: str) -> None:
    file = desk.source.add_file("a.md", "sabbatical")
    desk.sync()
    desk.source.edit(file, refusal)
    report = desk.sync()
    assert desk.find("sabbatical") == set()
    record = desk.record(file)
    assert record.state in {FileState.SKIPPED, FileState.EMPTY}
    assert (record.chunk_count, record.indexed_at) == (0, None)
    assert report.unchanged == report.updated == 0
    downloads = desk.source.usage.downloads
    desk.later(days=400)
    desk.sync()
    assert desk.source.usage.downloads == downloads
    desk.source.edit(file, "sabbatical again")
    assert desk.sync().added == 1


def test_full_looks_again_at_what_was_refused(desk: Desk) -> None:
    file = desk.source.add_file("a.md", "!corrupt")
    for _ in range(5):
        desk.sync()
    assert desk.source.usage.downloads == 1
    desk.sync(full=True)
    assert desk.source.usage.downloads == 2
    assert desk.record(file).reason is Reason.CORRUPT


def test_a_new_extraction_reads_everything_again(desk: Desk) -> None:
    desk.source.add_file("a.md", "sabbatical")
    desk.source.add_file("b.md", "!corrupt")
    desk.sync()
    desk.extraction = "2"
    report = desk.sync()
    assert (desk.extractor.extracted, report.embedded_chunks) == (4, 0)
    desk.sync()
    assert desk.extractor.extracted == 4


def test_another_chunking_cuts_again_without_reading(desk: Desk) -> None:
    file = desk.source.add_file("a.md", "sabbatical\n\nleave")
    empty = desk.source.add_file("b.md", "!needs_ocr")
    desk.sync()
    before = embedded(desk), desk.source.usage.downloads, desk.extractor.extracted
    desk.chunker.identity = "other"
    report = desk.sync()
    assert (embedded(desk), desk.source.usage.downloads, desk.extractor.extracted) == before
    assert report.reused_chunks == 2
    with desk.reading() as store:
        assert store.catalog.chunking_identity == "other"
    assert desk.sync().reused_chunks == 0
    desk.chunker.identity = "nothing"
    desk.sync()
    for item in (file, empty):
        assert desk.record(item).state is FileState.EMPTY


def test_a_file_that_cannot_be_had_or_read_is_not_fetched(desk: Desk) -> None:
    blocked = desk.source.add_file("a.md", "sabbatical")
    desk.source.block(blocked, Reason.DOWNLOAD_FORBIDDEN)
    desk.source.add_file("a.zip", b"PK", mime_type="application/zip")
    report = desk.sync()
    assert desk.source.usage.downloads == 0
    assert report.coverage.by_reason == {
        Reason.DOWNLOAD_FORBIDDEN: 1,
        Reason.UNSUPPORTED_TYPE: 1,
    }
    desk.source.block(blocked, None)
    assert desk.sync().added == 1
