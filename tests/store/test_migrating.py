"""An index of an older version is taken over whole: nothing is read, embedded or lost for it."""

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import apsw
import pytest

from gdrive_rag_mcp.domain import EVERYTHING, FileRecord, FileState, Reason, SyncReport
from gdrive_rag_mcp.errors import IndexOutdatedError
from gdrive_rag_mcp.indexing.sync import Synchroniser, SyncOptions
from gdrive_rag_mcp.sources.local import LocalFolderSource
from gdrive_rag_mcp.store import Store
from gdrive_rag_mcp.store.migrations import APPLICATION_ID, MIGRATIONS, SCHEMA_VERSION
from gdrive_rag_mcp.testing.hand_written import found_by_vector, found_by_words
from gdrive_rag_mcp.testing.hashing_embedder import HashingEmbedder
from tests.indexing.desk import AParagraphAChunk, Paragraphs

SIXTH_UNDONE = ("DROP TABLE calibration", "DROP TABLE probes", "PRAGMA user_version = 5")
FIFTH_UNDONE = (*SIXTH_UNDONE, "DROP TABLE token_vectors", "PRAGMA user_version = 4")
# The fourth schema undone; then the third and the second, for an index that holds no shortcut and
# nothing that has gone.
FOURTH_UNDONE = (
    *FIFTH_UNDONE,
    *(f"DROP TRIGGER file_{name}" for name in ("described", "placed")),
    "DROP TABLE file_log",
    "DROP INDEX files_by_outcome",
    """CREATE TABLE old_vectors (
        num INTEGER PRIMARY KEY, fingerprint TEXT NOT NULL, hash TEXT NOT NULL,
        f16 BLOB NOT NULL, UNIQUE (fingerprint, hash))""",
    """INSERT INTO old_vectors SELECT v.num, m.fingerprint, lower(hex(v.hash)), v.f16
    FROM vectors v JOIN models m ON m.num = v.model""",
    """CREATE TABLE old_chunks (
        num INTEGER PRIMARY KEY AUTOINCREMENT, generation INTEGER NOT NULL,
        file INTEGER NOT NULL REFERENCES files (num), ordinal INTEGER NOT NULL,
        vector INTEGER REFERENCES vectors (num), start INTEGER NOT NULL, "end" INTEGER NOT NULL,
        hash TEXT NOT NULL, locator TEXT NOT NULL, title TEXT NOT NULL, headings TEXT NOT NULL,
        context TEXT NOT NULL)""",
    """INSERT INTO old_chunks
    SELECT c.num, 1, c.file, c.ordinal, g.vector, c.start, c."end", c.hash, c.locator, c.title,
        c.headings, c.context
    FROM chunks c LEFT JOIN chunk_vectors_g1 g ON g.chunk = c.num""",
    "DROP TABLE chunk_vectors_g1",
    "DROP TABLE waiting_g1",
    "DROP TABLE chunks",
    "DROP TABLE idle_vectors",
    "DROP TABLE vectors",
    "DROP TABLE models",
    "ALTER TABLE old_vectors RENAME TO vectors",
    "ALTER TABLE old_chunks RENAME TO chunks",
    """CREATE TABLE idle_vectors (
        vector INTEGER PRIMARY KEY REFERENCES vectors (num) ON DELETE CASCADE, since TEXT)""",
    "CREATE UNIQUE INDEX chunks_by_file ON chunks (file, generation, ordinal)",
    "CREATE INDEX chunks_by_vector ON chunks (vector)",
    "CREATE INDEX chunks_without_vector ON chunks (generation, num) WHERE vector IS NULL",
    "UPDATE meta SET key = 'vec0', value = 'g1' WHERE key = 'vec0_g1'",
    "PRAGMA user_version = 3",
)
THIRD_UNDONE = (
    *(f"DROP INDEX {name}" for name in ("files_resting", "folders_doubted", "folders_root")),
    "ALTER TABLE folders DROP COLUMN doubted",
    "DELETE FROM meta WHERE key = 'listing_open'",
    "PRAGMA user_version = 2",
)
# Some indexes of the second schema were made with these two, and some without.
SOMETIMES_SECOND_UNDONE = tuple(
    f"DROP INDEX {name}" for name in ("folders_by_parents", "folders_in_several")
)
SECOND_UNDONE = (
    *SOMETIMES_SECOND_UNDONE,
    "UPDATE meta SET key = 'run' WHERE key = 'listing'",
    "DELETE FROM meta WHERE key IN ('last_crawl', 'crawl_began', 'last_poll')",
    *(f"DROP INDEX {name}" for name in ("files_astray", "folders_to_list", "folders_missing")),
    "DROP TABLE shortcuts",
    "ALTER TABLE files ADD COLUMN is_folder INTEGER NOT NULL DEFAULT 0",
    "UPDATE files SET is_folder = 1 WHERE kind = 'folder'",
    *(
        f"ALTER TABLE files DROP COLUMN {name}"
        for name in ("gone", "adrift", "feed", "resource_key", "anchors", "kind")
    ),
    *(
        f"ALTER TABLE folders DROP COLUMN {name}"
        for name in (
            *("is_root", "gone", "listed", "page_token", "feed", "resource_key", "refusals"),
        )
    ),
    "ALTER TABLE files RENAME COLUMN seen TO run",
    "ALTER TABLE folders RENAME COLUMN seen TO run",
    "PRAGMA user_version = 1",
)


class Shelf:
    """A local folder and its index; counts what a sync costs."""

    def __init__(self, base: Path) -> None:
        self.folder, self.index = base / "docs", base / "index.db"
        (self.folder / "HR" / "Leave").mkdir(parents=True)
        for name, text in {
            "HR/Leave/sabbatical.md": "a sabbatical takes six weeks\n\nask in time",
            "HR/partial.md": "a sabbatical in parts\n\n?page 3",
            "HR/sealed.md": "!encrypted",
            "broken.md": "!internal",
            "archive.zip": "PK",
        }.items():
            (self.folder / name).write_text(text, encoding="utf-8")
        self.source = LocalFolderSource(self.folder)
        self.extractor, self.embedder = Paragraphs(), HashingEmbedder(32)

    def sync(self) -> SyncReport:
        with Store.open_for_writing(self.index) as store:
            return Synchroniser(
                store,
                self.source,
                self.extractor,
                AParagraphAChunk(),
                self.embedder,
                supported=lambda mime_type: mime_type.startswith("text/"),
                extraction="1",
            ).run(SyncOptions())

    def ledger(self) -> list[FileRecord]:
        with Store.open_for_reading(self.index) as store:
            return list(store.ledger.all(EVERYTHING))

    def found(self) -> tuple[object, ...]:
        """What words and vectors find, and where."""
        vector = self.embedder.embed(["sabbatical weeks"], role="query")[0]
        with Store.open_for_reading(self.index) as store:
            return (
                [(hit.chunk_id, hit.path, hit.text) for hit in found_by_words(store, "sabbatical")],
                found_by_vector(store, vector),
            )

    def cost(self) -> tuple[int, int, int]:
        return (
            self.source.usage.downloads,
            self.extractor.extracted,
            self.embedder.embedded_texts,
        )


TO_THE_FIRST = (*FOURTH_UNDONE, *THIRD_UNDONE, *SECOND_UNDONE)


def old(index: Path, *more: str, undone: Sequence[str] = TO_THE_FIRST) -> None:
    """Make an index one of the first schema, or of another, and do `more` in it."""
    connection = apsw.Connection(str(index))
    for statement in (*undone, *more):
        connection.execute(statement)
    connection.close()


def tables(connection: apsw.Connection) -> dict[str, set[tuple[object, ...]]]:
    names = connection.execute(
        """SELECT name FROM sqlite_schema
        WHERE type IN ('table', 'index') AND name NOT GLOB '*vec_g1*'"""
    ).fetchall()
    return {
        str(name): {row[1:] for row in connection.execute(f"PRAGMA table_xinfo({name})")}
        for (name,) in names
    }


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    made = Shelf(tmp_path)
    made.sync()
    made.sync()
    return made


def test_what_these_tests_take_for_the_first_schema_is_what_it_was(
    shelf: Shelf, tmp_path: Path
) -> None:
    old(shelf.index)
    connection = apsw.Connection(str(tmp_path / "first.db"))
    MIGRATIONS[0](connection)
    assert tables(connection) == tables(apsw.Connection(str(shelf.index)))


SHIPPED = {
    1: "b265f39f51cc7632",
    2: "42293dea2384d7f0",
    3: "111f5b1760dfb0ef",
    4: "dddf348c7307da7e",
}


@pytest.mark.parametrize("version", SHIPPED)
def test_a_schema_that_was_shipped_is_changed_by_another_migration_alone(version: int) -> None:
    connection = apsw.Connection(":memory:")
    for migration in MIGRATIONS[:version]:
        migration(connection)
    made = {
        name: sorted(map(repr, columns))
        for name, columns in sorted(tables(connection).items())
        if not name.startswith("fts")  # what is in those is SQLite's own
    }
    digest = hashlib.sha256(repr(made).encode()).hexdigest()
    assert digest[:16] == SHIPPED[version], "indexes of this version are out there"


@pytest.mark.parametrize(
    "undone",
    [
        SIXTH_UNDONE,
        FIFTH_UNDONE,
        FOURTH_UNDONE,
        (*FOURTH_UNDONE, *THIRD_UNDONE),
        (*FOURTH_UNDONE, *THIRD_UNDONE, *SOMETIMES_SECOND_UNDONE),
    ],
)
def test_an_index_of_a_later_schema_is_taken_over_too(shelf: Shelf, undone: Sequence[str]) -> None:
    ledger, found, whole = shelf.ledger(), shelf.found(), tables(apsw.Connection(str(shelf.index)))
    old(shelf.index, undone=undone)
    before = shelf.cost()

    with Store.open_for_writing(shelf.index) as store:
        assert store.catalog.status(EVERYTHING).schema_version == SCHEMA_VERSION

    assert tables(apsw.Connection(str(shelf.index))) == whole
    assert shelf.cost() == before
    assert (shelf.ledger(), shelf.found()) == (ledger, found)


def test_an_old_index_is_refused_to_readers_and_taken_over_by_a_writer(shelf: Shelf) -> None:
    ledger, found = shelf.ledger(), shelf.found()
    old(shelf.index)
    with pytest.raises(IndexOutdatedError, match="this version"):
        Store.open_for_reading(shelf.index)
    with Store.open_for_writing(shelf.index) as store:
        assert store.catalog.status(EVERYTHING).schema_version == SCHEMA_VERSION
    assert shelf.ledger() == ledger
    assert shelf.found() == found
    assert {record.state for record in ledger} == {
        *(FileState.INDEXED, FileState.PARTIAL, FileState.SKIPPED, FileState.FAILED),
    }


def test_the_next_sync_of_an_old_index_reads_and_embeds_nothing(shelf: Shelf) -> None:
    ledger, found = shelf.ledger(), shelf.found()
    old(shelf.index, "UPDATE files SET next_attempt = '2999-01-01' WHERE state = 'failed'")
    before = shelf.cost()
    report = shelf.sync()
    assert (report.unchanged, report.added, report.updated, report.moved) == (2, 0, 0, 0)
    assert (report.removed, report.held, report.complete) == (0, 0, True)
    assert shelf.cost() == before
    assert shelf.found() == found
    after = shelf.ledger()
    assert [record.id for record in after] == [record.id for record in ledger]
    assert [(record.state, record.path) for record in after] == [
        (record.state, record.path) for record in ledger
    ]


def test_an_old_index_knows_its_root_before_it_is_listed_again(shelf: Shelf) -> None:
    old(shelf.index, "UPDATE files SET placed = 0, path = ''")
    with Store.open_for_writing(shelf.index) as store:
        store.inventory.place()
        assert store.straying.strays(told_only=False) == []
    assert shelf.ledger()[0].path == "HR/Leave/sabbatical.md"


def test_a_locked_folder_of_an_old_index_still_is_one(shelf: Shelf) -> None:
    old(
        shelf.index,
        """INSERT INTO folders (id, name, parents, obstacle, run)
        VALUES ('locked/', 'locked', '["./"]', 'access_denied', 2)""",
        """INSERT INTO files (id, name, path, mime, parents, version, is_folder, state, reason,
            attempts, run)
        VALUES ('locked/', 'locked', 'locked', 'inode/directory', '["./"]', '', 1, 'failed',
            'access_denied', 3, 2)""",
    )
    with Store.open_for_writing(shelf.index) as store:
        record = store.ledger.get("locked/", EVERYTHING)
        assert record
        assert (record.is_folder, record.reason) == (True, Reason.ACCESS_DENIED)
        assert "locked/" not in {item.file.id for item in store.queue.work(datetime.now(UTC))}
    shelf.sync()
    assert "locked/" not in {record.id for record in shelf.ledger()}, "it is not there any more"


def test_an_old_empty_index_is_taken_over_too(tmp_path: Path) -> None:
    connection = apsw.Connection(str(tmp_path / "index.db"))
    MIGRATIONS[0](connection)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute("PRAGMA user_version = 1")
    connection.close()
    with Store.open_for_writing(tmp_path / "index.db") as store:
        assert list(store.ledger.all(EVERYTHING)) == []
