"""Damaged rows of the index's small facts: refused by name, or unknown, and never believed."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import apsw
import pytest

from gdrive_rag_mcp.domain import EVERYTHING, EmbeddingIdentity
from gdrive_rag_mcp.errors import GdriveRagError, IndexCorruptError, IndexOutdatedError
from gdrive_rag_mcp.store import Store
from gdrive_rag_mcp.testing.hand_written import HandWritten, found_by_words
from gdrive_rag_mcp.testing.memory_source import InMemorySource
from tests.app.test_planning import sync

NONSENSE = ("{", "x", "", "99999999999999999999", "-5", "1.0", "٣", "null", "[]")
COUNTED = ("generation", "listing")
NUMBERS = (*COUNTED, "text_generation")
TOLD = ("last_sync", "last_crawl", "last_poll")


def damage(index: Path, key: str, value: str | bytes) -> None:
    connection = apsw.Connection(str(index))
    connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))
    connection.close()


def lose(index: Path, key: str) -> None:
    connection = apsw.Connection(str(index))
    connection.execute("DELETE FROM meta WHERE key = ?", (key,))
    connection.close()


def look_at(index: Path) -> None:
    with Store.open_for_reading(index) as store:
        assert store.catalog.status(EVERYTHING).documents == 5
        assert found_by_words(store, "sabbatical")


@pytest.fixture
def source() -> InMemorySource:
    source = InMemorySource()
    for number in range(5):
        source.add_file(f"{number}.md", f"a sabbatical takes {number} weeks")
    return source


@pytest.fixture
def synced(tmp_path: Path, source: InMemorySource) -> Path:
    """An index of five documents that was synced twice."""
    path = tmp_path / "index.db"
    sync(path, source)
    sync(path, source, full=True)
    return path


@pytest.mark.parametrize("key", [*COUNTED, "embedding", "root"])
@pytest.mark.parametrize("value", ["", "{", b"\xff\xfe"])
def test_what_cannot_be_done_without_is_refused_by_file_row_and_remedy(
    synced: Path, source: InMemorySource, key: str, value: str | bytes
) -> None:
    if key == "root" and value == "{":
        pytest.skip("any text may be the name of a root")
    damage(synced, key, value)
    before = synced.read_bytes()

    with pytest.raises(IndexCorruptError) as caught:
        sync(synced, source)

    assert str(synced) in caught.value.message
    assert key in caught.value.message or value == b"\xff\xfe"
    assert "move the file away" in caught.value.hint
    assert synced.read_bytes() == before


@pytest.mark.parametrize("key", NUMBERS)
@pytest.mark.parametrize("value", NONSENSE)
def test_a_count_that_is_none_is_never_counted_on_from(
    synced: Path, source: InMemorySource, key: str, value: str
) -> None:
    damage(synced, key, value)

    with pytest.raises(IndexCorruptError, match=key):
        sync(synced, source, full=True)


@pytest.mark.parametrize("key", COUNTED)
def test_a_count_that_is_gone_is_not_begun_anew(
    synced: Path, source: InMemorySource, key: str
) -> None:
    lose(synced, key)

    with pytest.raises(IndexCorruptError, match=key):
        sync(synced, source, full=True)


def test_a_generation_that_no_chunk_is_of_does_not_hide_them_all(synced: Path) -> None:
    damage(synced, "generation", "7")

    with pytest.raises(IndexCorruptError, match="generation"):
        look_at(synced)


@pytest.mark.parametrize("opened", [Store.open_for_reading, Store.open_for_writing])
@pytest.mark.parametrize(
    "value",
    [
        *("{", "", "null", "[]", '"e5"', "99999999999999999999", '{"provider": "none"}'),
        '{"provider": "e5", "model": "m", "dimensions": "many", "fingerprint": "f"}',
        '{"provider": "e5", "model": "m", "dimensions": -1, "fingerprint": "f"}',
        '{"provider": 1, "model": "m", "dimensions": 3, "fingerprint": "f"}',
    ],
)
def test_an_embedder_that_cannot_be_told_is_refused_to_readers_and_writers(
    synced: Path, opened: Callable[[Path], Store], value: str
) -> None:
    damage(synced, "embedding", value)

    with opened(synced) as store, pytest.raises(IndexCorruptError, match="embedding") as caught:
        _ = store.catalog.embedding_identity

    assert str(synced) in caught.value.message


@pytest.mark.parametrize("key", TOLD)
@pytest.mark.parametrize("value", [*NONSENSE, "2026-01-01T00:00:00", "9999-99-99", "2026-13-01Z"])
def test_a_time_that_only_tells_is_unknown_until_the_next_sync(
    synced: Path, source: InMemorySource, key: str, value: str
) -> None:
    damage(synced, key, value)

    with Store.open_for_reading(synced) as store:
        assert getattr(store.catalog.status(EVERYTHING), key) is None
    look_at(synced)
    report = sync(synced, source, full=True)

    assert (report.removed, report.held, report.coverage.searchable) == (0, 0, 5)
    with Store.open_for_reading(synced) as store:
        assert getattr(store.catalog, key) is not None or key == "last_poll"


@pytest.mark.parametrize("value", [*NONSENSE, "2026-01-01T00:00:00"])
def test_when_everything_was_last_listed_is_not_known_it_is_listed_again(
    synced: Path, source: InMemorySource, value: str
) -> None:
    damage(synced, "crawl_began", value)
    damage(synced, "last_crawl", value)

    sync(synced, source)

    with Store.open_for_reading(synced) as store:
        began = store.catalog.crawl_began
    assert began is not None
    assert datetime.now(UTC) - began < timedelta(hours=1)


@pytest.mark.parametrize("version", [-1, -3, -(2**31)])
@pytest.mark.parametrize("opened", [Store.open_for_reading, Store.open_for_writing])
def test_a_schema_below_all_schemas_is_damage(
    synced: Path, opened: Callable[[Path], Store], version: int
) -> None:
    connection = apsw.Connection(str(synced))
    connection.execute(f"PRAGMA user_version = {version}")
    connection.close()

    with pytest.raises(IndexCorruptError, match=str(version)) as caught:
        opened(synced)

    assert str(synced) in caught.value.message
    assert "move the file away" in caught.value.hint


def test_a_schema_that_is_not_what_its_number_says_is_damage(synced: Path) -> None:
    """A lower number has columns added that are there already."""
    connection = apsw.Connection(str(synced))
    connection.execute("PRAGMA user_version = 1")
    connection.close()

    with pytest.raises(IndexOutdatedError):
        Store.open_for_reading(synced)
    with pytest.raises(IndexCorruptError) as caught:
        Store.open_for_writing(synced)
    assert "move the file away" in caught.value.hint


def test_a_new_embedder_of_an_index_without_vectors_is_still_accepted(tmp_path: Path) -> None:
    identity = EmbeddingIdentity(provider="hash", model="m", dimensions=8, fingerprint="f")
    with Store.open_for_writing(tmp_path / "index.db") as store:
        store.catalog.accept_embedding(None)
        HandWritten(store).put("a", "a sabbatical")
        assert store.catalog.embedding_identity is None
        store.catalog.accept_embedding(identity)
        assert store.catalog.embedding_identity == identity


def test_whatever_is_damaged_nothing_is_taken_out_by_the_next_sync(
    synced: Path, source: InMemorySource
) -> None:
    connection = apsw.Connection(str(synced))
    keys = [str(key) for (key,) in connection.execute("SELECT key FROM meta")]
    connection.close()
    whole = synced.read_bytes()
    assert {*COUNTED, "embedding", "root", "last_sync"} <= set(keys)
    for key in keys:
        for value in NONSENSE:
            synced.write_bytes(whole)
            damage(synced, key, value)
            try:
                report = sync(synced, source)
            except GdriveRagError:
                continue
            assert (report.removed, report.coverage.searchable) == (0, 5), (key, value)
