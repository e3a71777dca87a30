"""A sync as its callers see it: what it would do, and what it says of an empty scope."""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gdrive_rag_mcp.app import Reader, StorePool
from gdrive_rag_mcp.app.syncing import plan_sync, sync_index
from gdrive_rag_mcp.domain import (
    EmbeddingIdentity,
    FileState,
    Mode,
    Reason,
    SearchOutcome,
    SyncPlan,
    SyncReport,
    VerdictReason,
)
from gdrive_rag_mcp.errors import (
    EmbedderUnavailableError,
    IndexLockedError,
    RootUnavailableError,
    SettingsError,
)
from gdrive_rag_mcp.indexing.lock import writer_lock
from gdrive_rag_mcp.indexing.sync import SyncOptions
from gdrive_rag_mcp.protocols import Embedder
from gdrive_rag_mcp.testing.hashing_embedder import HashingEmbedder
from gdrive_rag_mcp.testing.memory_source import InMemorySource
from tests.app.servers import SilentServer
from tests.indexing.desk import AParagraphAChunk, Paragraphs


@pytest.fixture
def index(tmp_path: Path) -> Path:
    return tmp_path / "desk" / "index.db"


@pytest.fixture
def source() -> InMemorySource:
    return InMemorySource()


def run(call: Callable[..., Any], index: Path, source: InMemorySource, **options: bool) -> Any:  # noqa: ANN401 - what the call returns
    return call(
        index,
        source=source,
        extractor=Paragraphs(),
        chunker=AParagraphAChunk(),
        embedder=lambda _: HashingEmbedder(64),
        options=SyncOptions(**options),
        progress=lambda *_: None,
    )


def sync(index: Path, source: InMemorySource, **options: bool) -> SyncReport:
    report: SyncReport = run(sync_index, index, source, **options)
    return report


def plan(index: Path, source: InMemorySource, **options: bool) -> SyncPlan:
    planned: SyncPlan = run(plan_sync, index, source, **options)
    return planned


def content_of(folder: Path) -> dict[str, str]:
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.iterdir()
        if path.is_file()
    }


def test_a_plan_without_an_index_is_all_that_there_is_and_makes_none(
    index: Path, source: InMemorySource
) -> None:
    folder = source.add_folder("HR")
    source.add_file("b.md", "sabbatical", folder)
    source.add_file("a.md", "leave")

    planned = plan(index, source)

    assert planned.to_read == (("HR/b.md", "added"), ("a.md", "added"))
    assert planned.complete
    assert not index.parent.exists()
    assert source.usage.downloads == 0


def test_a_plan_tells_every_kind_of_change_and_writes_nothing(
    index: Path, source: InMemorySource
) -> None:
    files = [source.add_file(f"{number}.md", f"sabbatical {number}") for number in range(6)]
    source.fail_reading(files[5], Reason.NETWORK)
    sync(index, source)
    before = content_of(index.parent)
    downloads = source.usage.downloads
    source.edit(files[0], "sabbatical, edited")
    source.remove(files[1])
    source.rename(files[2], "renamed.md")
    source.add_file("new.md", "brand new")
    source.add_file("new.png", "brand new", mime_type="image/png")

    planned = plan(index, source)

    assert planned.to_read == (("0.md", "updated"), ("5.md", "retry"), ("new.md", "added"))
    assert planned.to_skip == (("new.png", Reason.UNSUPPORTED_TYPE),)
    assert (planned.to_remove, planned.to_hold) == (("1.md",), ())
    assert (planned.moved, planned.complete, planned.in_scope) == (1, True, 7)
    assert source.usage.downloads == downloads
    assert content_of(index.parent) == before

    source.fail_reading(files[5], None)
    done = sync(index, source)
    assert (done.added, done.updated, done.moved, done.removed) == (2, 1, 1, 1)
    assert done.coverage.in_scope == 7


def test_a_plan_tells_what_would_be_held_and_what_would_go_if_it_may(
    index: Path, source: InMemorySource
) -> None:
    files = [source.add_file(f"{number:02}.md", f"sabbatical {number}") for number in range(40)]
    sync(index, source)
    for file in files[:30]:
        source.remove(file)
    gone = tuple(f"{number:02}.md" for number in range(30))

    odd, meant = plan(index, source), plan(index, source, allow_mass_delete=True)

    assert (odd.to_hold, odd.to_remove) == (gone, ())
    assert (meant.to_hold, meant.to_remove) == ((), gone)
    assert sync(index, source).held == 30


def test_a_plan_beside_a_writer_is_refused(index: Path, source: InMemorySource) -> None:
    source.add_file("a.md", "sabbatical")
    sync(index, source)

    with writer_lock(index), pytest.raises(IndexLockedError):
        plan(index, source)


def test_a_plan_refuses_what_a_sync_refuses(index: Path, source: InMemorySource) -> None:
    source.add_file("a.md", "sabbatical")
    sync(index, source)
    before = content_of(index.parent)

    with pytest.raises(SettingsError, match="memory:elsewhere"):
        plan(index, InMemorySource("elsewhere"))
    source.failure = RootUnavailableError("gone")
    with pytest.raises(RootUnavailableError):
        plan(index, source)
    assert content_of(index.parent) == before


class SharedWith(InMemorySource):
    """A source that sees only what is shared with somebody."""

    share = "share the folder with robot@example.com (viewer is enough)"


def test_an_empty_scope_is_named_with_whom_it_must_be_shared_with(index: Path) -> None:
    report = sync(index, SharedWith("empty"))

    [warning] = report.warnings
    assert warning.startswith("nothing_in_scope: ")
    assert "memory:empty" in warning
    assert "robot@example.com" in warning


def test_an_empty_folder_is_named_with_what_to_do(index: Path, source: InMemorySource) -> None:
    [warning] = sync(index, source).warnings

    assert "memory:memory" in warning
    assert "put documents into it" in warning


def test_where_the_listing_broke_off_nothing_is_said_of_an_empty_scope(
    index: Path, source: InMemorySource
) -> None:
    source.add_file("a.md", "sabbatical")
    source.listing_fails_after = 0

    report = sync(index, source)

    assert not report.complete
    assert not any("nothing_in_scope" in warning for warning in report.warnings)


# ── the first sync ───────────────────────────────────────────────────────────


def no_key(_: EmbeddingIdentity | None) -> Embedder:
    raise EmbedderUnavailableError("no key")


def test_a_first_sync_of_a_root_that_is_not_there_leaves_nothing_behind(
    index: Path, source: InMemorySource
) -> None:
    source.failure = RootUnavailableError("gone")

    with pytest.raises(RootUnavailableError):
        sync(index, source)

    assert not index.parent.exists()


@pytest.mark.parametrize("embedder", [no_key, lambda _: SilentServer()], ids=["key", "server"])
def test_a_first_sync_whose_embedder_is_not_to_be_had_leaves_nothing_behind(
    index: Path, source: InMemorySource, embedder: Callable[[EmbeddingIdentity | None], Embedder]
) -> None:
    source.add_file("a.md", "sabbatical")

    with pytest.raises(EmbedderUnavailableError):
        sync_index(
            index,
            source=source,
            extractor=Paragraphs(),
            chunker=AParagraphAChunk(),
            embedder=embedder,
            options=SyncOptions(),
            progress=lambda *_: None,
        )

    assert not index.parent.exists()


def test_a_sync_that_is_refused_leaves_an_index_that_is_there(
    index: Path, source: InMemorySource
) -> None:
    file = source.add_file("a.md", "sabbatical")
    sync(index, source)
    source.failure = RootUnavailableError("gone")

    with pytest.raises(RootUnavailableError):
        sync(index, source)

    found = search(index, "sabbatical").retrieved
    assert found is not None
    assert [hit.passage.document_id for hit in found.hits] == [file]


def test_a_first_sync_checks_its_source_once(index: Path, source: InMemorySource) -> None:
    source.add_file("a.md", "sabbatical")

    first = sync(index, source).api_calls
    again = sync(index, source).api_calls - first

    assert first == again


# ── what a search says of an index that is not as its source is ──────────────


def search(index: Path, question: str, scope_id: str | None = None) -> SearchOutcome:
    reader = Reader(StorePool(index), embedder=lambda: None, mode=Mode.KEYWORD, threshold=0.0)
    return reader.search(question, scope_id=scope_id)


def test_a_search_before_the_first_listing_came_to_its_end_says_so(
    index: Path, source: InMemorySource
) -> None:
    source.add_file("a.md", "sabbatical")
    source.listing_fails_after = 0
    sync(index, source)

    early = search(index, "sabbatical")
    elsewhere = search(index, "sabbatical", scope_id="not listed yet")
    warned = Reader(StorePool(index), embedder=lambda: None).status().warnings
    source.listing_fails_after = None
    sync(index, source)

    assert early.evidence.reason is VerdictReason.SCOPE_EMPTY
    assert early.warnings == elsewhere.warnings == ("first_sync_unfinished",)
    assert "first_sync_unfinished" in warned
    assert search(index, "sabbatical").warnings == ()


def test_without_an_index_nothing_is_said_of_a_sync_that_has_not_finished(index: Path) -> None:
    assert search(index, "sabbatical").warnings == ()


def test_a_hit_from_a_held_file_is_told_from_one_that_is_still_there(
    index: Path, source: InMemorySource
) -> None:
    gone = [source.add_file(f"{number}.md", f"sabbatical {number}") for number in range(30)]
    source.add_file("kept.md", "parental leave")
    sync(index, source)
    for file in gone:
        source.remove(file)
    sync(index, source)

    found = search(index, "sabbatical")
    kept = search(index, "parental")

    assert found.retrieved is not None
    hits = {hit.passage.document_id for hit in found.retrieved.hits}
    assert found.outdated == dict.fromkeys(hits, FileState.HELD)
    assert "mass_delete_held" in found.warnings
    assert kept.outdated == {}
    assert "mass_delete_held" in kept.warnings, "the scope holds them all the same"


def test_a_hit_from_a_file_that_failed_since_is_marked_too(
    index: Path, source: InMemorySource
) -> None:
    file = source.add_file("a.md", "sabbatical")
    source.add_file("b.md", "sabbatical too")
    sync(index, source)
    source.edit(file, "something else")
    source.fail_reading(file, Reason.NETWORK)
    sync(index, source)

    assert search(index, "sabbatical").outdated == {file: FileState.FAILED}


def test_held_files_are_searchable_but_for_those_that_never_were(
    index: Path, source: InMemorySource
) -> None:
    gone = [source.add_file(f"{number}.md", f"sabbatical {number}") for number in range(30)]
    source.add_file("kept.md", "parental leave")
    source.fail_reading(gone[0], Reason.NETWORK)
    sync(index, source)
    for file in gone:
        source.remove(file)
    report = sync(index, source)

    found = search(index, "sabbatical").coverage

    assert report.coverage == found
    assert (found.in_scope, found.searchable, found.unreadable) == (31, 30, 1)
