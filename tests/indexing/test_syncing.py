"""Bringing an index up to date: what changed is read, what did not costs nothing."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from gdrive_rag_mcp.domain import EVERYTHING, ChangePage, FileState, Reason, Scope, SourceUsage
from gdrive_rag_mcp.errors import (
    EmbedderUnavailableError,
    EmbeddingError,
    ReindexRequiredError,
    SettingsError,
    SourceAuthError,
    SourceUnavailableError,
)
from gdrive_rag_mcp.indexing.sync import Synchroniser, SyncOptions
from gdrive_rag_mcp.protocols import EmbedRole, Vectors
from gdrive_rag_mcp.store import Store
from gdrive_rag_mcp.testing.hand_written import found_by_vector, found_by_words
from gdrive_rag_mcp.testing.hashing_embedder import HashingEmbedder
from gdrive_rag_mcp.testing.memory_source import InMemorySource
from tests.indexing.desk import Desk


class Moody(HashingEmbedder):
    """An embedder that is down after some texts, and cannot take texts with a certain word."""

    def __init__(self) -> None:
        super().__init__(64)
        self.down_after: int | None = None
        self.refuses = "\x00"
        self.calls = 0

    def embed(self, texts: Sequence[str], *, role: EmbedRole) -> Vectors:
        self.calls += 1
        if self.down_after is not None and self.embedded_texts + len(texts) > self.down_after:
            raise EmbedderUnavailableError("down", hint="wait")
        if any(self.refuses in text for text in texts):
            raise EmbeddingError("cannot take it")
        return super().embed(texts, role=role)


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
    assert (record.state, record.detail, record.version) == (FileState.PARTIAL, "?page 3", "1")


def test_the_same_bytes_under_another_type_are_read_anew(desk: Desk) -> None:
    file = desk.source.add_file("a.md", "sabbatical", mime_type="text/markdown")
    desk.sync()
    desk.source._nodes[file] = type(desk.source._nodes[file])(
        file, "a.txt", "root", b"sabbatical", "text/plain"
    )
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


# ── what has gone ────────────────────────────────────────────────────────────


def test_a_file_that_vanished_is_removed_after_a_complete_listing_only(desk: Desk) -> None:
    gone = desk.source.add_file("gone.md", "sabbatical gone")
    for number in range(9):
        desk.source.add_file(f"{number}.md", f"sabbatical {number}")
    desk.sync()
    desk.source.remove(gone)
    desk.source._page_items = 3
    desk.source.listing_fails_after = 2
    before = desk.now
    desk.later(days=1)
    broken = desk.sync()
    assert not broken.complete
    assert "listing_incomplete" in broken.warnings[0]
    assert (broken.removed, desk.find("gone")) == (0, {gone})
    with desk.reading() as store:
        assert store.catalog.last_sync == before
    desk.source.listing_fails_after = None
    report = desk.sync()
    assert (report.removed, report.complete, desk.find("gone")) == (1, True, set())
    with desk.reading() as store:
        assert store.ledger.get(gone, EVERYTHING) is None
        assert store.catalog.last_sync == desk.now


def test_a_deleted_folder_goes_with_everything_below(desk: Desk) -> None:
    folder = desk.source.add_folder("Old")
    below = desk.source.add_folder("Below", folder)
    desk.source.add_file("a.md", "sabbatical", below)
    desk.sync()
    desk.source.remove(folder)
    assert desk.sync().removed == 1
    with desk.reading() as store:
        for item in (folder, below):
            assert store.ledger.resolve_scope(item, EVERYTHING) is None


def fill(desk: Desk, count: int) -> list[str]:
    return [desk.source.add_file(f"{n}.md", f"sabbatical number{n}") for n in range(count)]


@pytest.mark.parametrize(
    ("count", "gone", "held"),
    [(60, 20, False), (60, 21, True), (100, 30, False), (100, 31, True), (20, 20, False)],
)
def test_many_deletions_at_once_are_held_until_confirmed(
    desk: Desk, count: int, gone: int, *, held: bool
) -> None:
    files = fill(desk, count)
    desk.sync()
    for file in files[:gone]:
        desk.source.remove(file)
    report = desk.sync()
    assert (report.held, report.removed) == ((gone, 0) if held else (0, gone))
    assert bool(desk.find("number0")) == held, "what is held is still found"
    assert any("mass_delete_held" in warning for warning in report.warnings) == held
    if held:
        again = desk.sync()
        assert (again.held, again.removed) == (gone, 0)
        confirmed = desk.sync(allow_mass_delete=True)
        assert (confirmed.held, confirmed.removed) == (0, gone)
        assert desk.find("number0") == set()


def test_new_files_do_not_make_a_mass_deletion_look_small(desk: Desk) -> None:
    files = fill(desk, 60)
    desk.sync()
    for file in files[:40]:
        desk.source.remove(file)
    fill(desk, 100)
    assert desk.sync().held == 40


def test_held_files_that_come_back_are_as_before(desk: Desk) -> None:
    folder = desk.source.add_folder("Away")
    for number in range(30):
        desk.source.add_file(f"{number}.md", f"sabbatical {number}", folder)
    desk.source.add_file("x.md", "!encrypted", folder)
    desk.sync()
    nodes = dict(desk.source._nodes)
    desk.source.remove(folder)
    assert desk.sync().held == 31
    desk.source._nodes = nodes
    before = desk.source.usage.downloads
    report = desk.sync()
    assert (report.held, report.unchanged) == (0, 30)
    assert report.coverage.by_reason == {Reason.ENCRYPTED: 1}
    assert desk.source.usage.downloads == before


def test_what_lies_below_a_folder_that_cannot_be_listed_is_spared(desk: Desk) -> None:
    locked = desk.source.add_folder("Locked")
    deeper = desk.source.add_folder("Deeper", locked)
    inside = desk.source.add_file("a.md", "sabbatical inside", deeper)
    outside = desk.source.add_file("b.md", "sabbatical outside")
    desk.sync()
    desk.source.block(locked, Reason.ACCESS_DENIED)
    desk.source.remove(outside)
    report = desk.sync()
    assert report.removed == 1
    assert desk.find("sabbatical") == {inside}
    assert report.coverage.by_reason == {Reason.ACCESS_DENIED: 1}
    assert desk.record(locked).is_folder
    desk.source.block(locked, None)
    desk.source.remove(inside)
    assert desk.sync().removed == 1


# ── refusals to start ────────────────────────────────────────────────────────


def test_another_root_is_refused_until_it_is_asked_for_in_full(desk: Desk) -> None:
    fill(desk, 30)
    desk.sync()
    desk.source = InMemorySource("elsewhere")
    new = desk.source.add_file("new.md", "brand new")
    with pytest.raises(SettingsError, match="memory:elsewhere"):
        desk.sync()
    assert len(desk.find("sabbatical")) == 30
    with desk.reading() as store:
        assert store.catalog.root == "memory:memory"
    report = desk.sync(full=True)
    assert (report.updated, report.removed, report.held) == (1, 29, 0), "the ids of both agree"
    assert desk.find("sabbatical new") == {new}
    desk.sync()


def test_a_root_that_cannot_be_read_changes_nothing(desk: Desk) -> None:
    desk.source.failure = SourceUnavailableError("gone", hint="mount it")
    with pytest.raises(SourceUnavailableError):
        desk.sync()
    with desk.reading() as store:
        assert store.catalog.root is None
        assert store.catalog.embedding_identity is None
        assert store.catalog._stored_identity() is None


def test_refused_credentials_end_the_run_and_nothing_is_concluded(desk: Desk) -> None:
    fill(desk, 3)
    desk.sync()
    desk.source.failure = SourceAuthError("revoked")
    with pytest.raises(SourceAuthError):
        desk.sync()
    desk.source.failure = None
    assert desk.sync().unchanged == 3


def test_another_embedder_is_refused_before_anything_is_listed(desk: Desk) -> None:
    fill(desk, 3)
    desk.sync()
    calls = desk.source.usage
    desk.embedder = HashingEmbedder(32)
    with pytest.raises(ReindexRequiredError, match=r"64 dimensions.*32 dimensions"):
        desk.sync()
    assert desk.source.usage == calls == SourceUsage(calls.api_calls, 3)
    assert len(desk.find("sabbatical")) == 3


def test_full_forgets_where_the_news_were_left(desk: Desk) -> None:
    fill(desk, 1)
    desk.sync()
    asked: list[str | None] = []

    class Noting(InMemorySource):
        def changes(self, cursor: str | None) -> Iterator[ChangePage]:
            asked.append(cursor)
            return super().changes(cursor)

    desk.source = Noting()
    fill(desk, 1)
    for full in (False, True):
        with Store.open_for_writing(desk.path) as store:
            store.catalog.cursor = "page 7"
        desk.sync(full=full)
    assert asked == ["page 7", None]


# ── embedding ────────────────────────────────────────────────────────────────


def test_text_is_searchable_while_the_embedder_is_down_and_vectors_follow(desk: Desk) -> None:
    desk.embedder = moody = Moody()
    moody.down_after = 100
    fill(desk, 300)
    report = desk.sync()
    assert report.added == 300
    assert report.embedding_incomplete
    assert any("embedding_incomplete" in warning for warning in report.warnings)
    assert report.embedded_chunks + report.pending_vectors == 300
    assert report.embedded_chunks >= 64
    assert len(desk.find("number299")) == 1
    calls = moody.calls
    moody.down_after = None
    after = desk.sync()
    assert (after.unchanged, after.pending_vectors) == (300, 0)
    assert after.embedded_chunks == report.pending_vectors
    assert desk.source.usage.downloads == 300
    assert moody.calls - calls < 10


def test_an_embedder_that_is_down_is_asked_once_a_run(desk: Desk) -> None:
    desk.embedder = moody = Moody()
    moody.down_after = 0
    fill(desk, 600)
    desk.sync()
    assert moody.calls == 1


def test_a_text_that_the_embedder_refuses_costs_only_itself(desk: Desk) -> None:
    desk.embedder = moody = Moody()
    moody.refuses = "number37x"
    for number in range(300):
        desk.source.add_file(f"{number}.md", f"sabbatical number{number}x")
    report = desk.sync()
    assert (report.embedded_chunks, report.pending_vectors) == (299, 1)
    assert report.embedding_incomplete
    assert len(desk.find("number37x")) == 1
    assert moody.calls < 30, "it is found by halves"
    calls = moody.calls
    assert desk.sync().pending_vectors == 1
    assert moody.calls == calls + 1


def test_a_keyword_index_is_said_to_be_one_and_gets_vectors_later(desk: Desk) -> None:
    desk.embedder = None
    fill(desk, 70)
    report = desk.sync()
    assert (report.pending_vectors, report.embedded_chunks) == (70, 0)
    assert not report.embedding_incomplete
    assert any("keyword_only" in warning for warning in report.warnings)
    with desk.reading() as store:
        assert store.catalog.embedding_identity is None
    desk.embedder = embedder = HashingEmbedder(1024)
    later = desk.sync()
    assert (later.pending_vectors, later.embedded_chunks, later.downloads) == (0, 70, 70)
    assert not later.warnings
    with desk.reading() as store:
        found = found_by_vector(
            store, embedder.embed(["sabbatical number7"], role="query")[0], limit=1
        )
        assert store.catalog.embedding_identity == embedder.identity
    assert found[0][0].split(":")[0] in desk.find("number7")
    desk.embedder = None
    assert desk.sync().pending_vectors == 0


def test_progress_is_told_by_stage_and_ends_where_it_should(desk: Desk, tmp_path: Path) -> None:
    fill(desk, 5)
    told: list[tuple[str, int, int | None]] = []
    with Store.open_for_writing(desk.path) as store:
        Synchroniser(
            store,
            desk.source,
            desk.extractor,
            desk.chunker,
            None,
            supported=lambda _: True,
            extraction="1",
            progress=lambda *step: told.append(step),
        ).run(SyncOptions())
    assert told[-1] == ("reading", 5, 5)
    assert ("listing", 5, None) in told
