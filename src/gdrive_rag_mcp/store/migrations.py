"""The schema, as ordered steps; each runs in one transaction together with its number."""

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

import apsw

from gdrive_rag_mcp.errors import (
    IndexCorruptError,
    IndexMissingError,
    IndexOutdatedError,
    SchemaTooNewError,
)
from gdrive_rag_mcp.store.calibration_rows import CALIBRATION_TABLES
from gdrive_rag_mcp.store.connection import transaction
from gdrive_rag_mcp.store.generations_apart import take_generations_apart

APPLICATION_ID = 0x67647261  # "gdra": tells our file from any other SQLite file


def _first_schema(connection: apsw.Connection) -> None:
    for statement in _FIRST_SCHEMA:
        connection.execute(statement)
    create_text_tables(connection, generation=1)
    connection.execute("INSERT INTO meta VALUES ('generation', '1'), ('run', '0')")


_FIRST_SCHEMA = (
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    # The local ancestry. `num` is what placements use; it is never reused.
    """CREATE TABLE folders (
        num INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL,
        parents TEXT NOT NULL, url TEXT, obstacle TEXT, run INTEGER NOT NULL)""",
    # The ledger: every item in scope, folders that cannot be looked into included.
    """CREATE TABLE files (
        num INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL,
        path TEXT NOT NULL DEFAULT '', mime TEXT NOT NULL, parents TEXT NOT NULL,
        version TEXT NOT NULL, revision TEXT, md5 TEXT, size INTEGER, modified_time TEXT, url TEXT,
        is_folder INTEGER NOT NULL DEFAULT 0, placed INTEGER NOT NULL DEFAULT 0,
        state TEXT NOT NULL, reason TEXT, detail TEXT NOT NULL DEFAULT '', held_from TEXT,
        attempts INTEGER NOT NULL DEFAULT 0, next_attempt TEXT, obstacle TEXT,
        content_hash TEXT, extraction TEXT, indexed_at TEXT,
        chunk_count INTEGER NOT NULL DEFAULT 0, vector_count INTEGER NOT NULL DEFAULT 0,
        change TEXT, run INTEGER NOT NULL)""",
    "CREATE INDEX files_by_state ON files (state, extraction)",
    "CREATE INDEX files_by_path ON files (path, num)",
    "CREATE INDEX files_with_chunks ON files (chunk_count, vector_count) WHERE chunk_count > 0",
    "CREATE INDEX files_to_place ON files (num) WHERE placed = 0",
    "CREATE INDEX files_changed ON files (change) WHERE change IS NOT NULL",
    # Which folders a file lies below, at any depth: derived from the ancestry, kept for speed.
    """CREATE TABLE placements (
        folder INTEGER NOT NULL REFERENCES folders (num) ON DELETE CASCADE,
        file INTEGER NOT NULL REFERENCES files (num) ON DELETE CASCADE,
        PRIMARY KEY (folder, file)) WITHOUT ROWID""",
    "CREATE INDEX placements_by_file ON placements (file)",
    # The full text, once; `segments` lets a document be cut again without fetching it. What is long
    # comes last: SQLite reads through all columns before the one that is asked for.
    """CREATE TABLE documents (
        file INTEGER PRIMARY KEY REFERENCES files (num) ON DELETE CASCADE,
        chunking TEXT NOT NULL, title TEXT NOT NULL, failures TEXT NOT NULL,
        segments BLOB NOT NULL, text TEXT NOT NULL)""",
    "CREATE INDEX documents_by_chunking ON documents (chunking)",
    # One vector a distinct embedded text and model: the index's vectors are its embedding cache.
    """CREATE TABLE vectors (
        num INTEGER PRIMARY KEY, fingerprint TEXT NOT NULL, hash TEXT NOT NULL,
        f16 BLOB NOT NULL, UNIQUE (fingerprint, hash))""",
    # Vectors that a chunk let go of; some of them are in use again by the time anybody looks.
    """CREATE TABLE idle_vectors (
        vector INTEGER PRIMARY KEY REFERENCES vectors (num) ON DELETE CASCADE, since TEXT)""",
    """CREATE TABLE chunks (
        num INTEGER PRIMARY KEY AUTOINCREMENT, generation INTEGER NOT NULL,
        file INTEGER NOT NULL REFERENCES files (num), ordinal INTEGER NOT NULL,
        vector INTEGER REFERENCES vectors (num), start INTEGER NOT NULL, "end" INTEGER NOT NULL,
        hash TEXT NOT NULL, locator TEXT NOT NULL, title TEXT NOT NULL, headings TEXT NOT NULL,
        context TEXT NOT NULL)""",
    "CREATE UNIQUE INDEX chunks_by_file ON chunks (file, generation, ordinal)",
    "CREATE INDEX chunks_by_vector ON chunks (vector)",
    "CREATE INDEX chunks_without_vector ON chunks (generation, num) WHERE vector IS NULL",
    # What a serving process must do to its matrix: +1 a vector came, -1 a chunk went.
    """CREATE TABLE vector_log (
        seq INTEGER PRIMARY KEY AUTOINCREMENT, chunk INTEGER NOT NULL, change INTEGER NOT NULL)""",
)


def _altered(statements: Iterable[str], connection: apsw.Connection) -> None:
    for statement in statements:
        connection.execute(statement)


_FOLLOWED_CHANGES = (
    # `seen` is the number of the listing that last showed an item; a listing may span several runs.
    "UPDATE meta SET key = 'listing' WHERE key = 'run'",
    "ALTER TABLE files RENAME COLUMN run TO seen",
    "ALTER TABLE folders RENAME COLUMN run TO seen",
    # `gone`: 1, the source said so; 2, a complete listing did not show it; 3, and it could not be
    # looked up either.
    # `adrift`: no way leads from the root to it. `feed`: the log that tells of its changes.
    "ALTER TABLE files ADD COLUMN gone INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE files ADD COLUMN adrift INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE files ADD COLUMN feed TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE files ADD COLUMN resource_key TEXT",
    "ALTER TABLE files ADD COLUMN anchors TEXT",
    "ALTER TABLE files ADD COLUMN kind TEXT NOT NULL DEFAULT 'file'",
    "UPDATE files SET kind = 'folder' WHERE is_folder = 1",
    "ALTER TABLE files DROP COLUMN is_folder",
    "CREATE INDEX files_astray ON files (num) WHERE gone > 0 OR adrift = 1",
    # `listed`: the listing in which its content was listed to the end, before that `page_token`.
    "ALTER TABLE folders ADD COLUMN is_root INTEGER NOT NULL DEFAULT 0",
    # The root was listed before all others, and alone without a parent.
    """UPDATE folders SET is_root = 1
    WHERE num = (SELECT min(num) FROM folders WHERE parents = '[]')""",
    "ALTER TABLE folders ADD COLUMN gone INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE folders ADD COLUMN listed INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE folders ADD COLUMN page_token TEXT",
    "ALTER TABLE folders ADD COLUMN feed TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE folders ADD COLUMN resource_key TEXT",
    # How often in a row it could not be looked into.
    "ALTER TABLE folders ADD COLUMN refusals INTEGER NOT NULL DEFAULT 0",
    "CREATE INDEX folders_to_list ON folders (num) WHERE listed < seen",
    "CREATE INDEX folders_missing ON folders (num) WHERE gone = 2",
    # Links that put their target where they lie. `looked`: the listing in which it was looked up.
    """CREATE TABLE shortcuts (
        id TEXT PRIMARY KEY, name TEXT NOT NULL, parents TEXT NOT NULL, target TEXT NOT NULL,
        url TEXT, feed TEXT NOT NULL, resource_key TEXT, obstacle TEXT,
        gone INTEGER NOT NULL DEFAULT 0, looked INTEGER NOT NULL DEFAULT 0,
        seen INTEGER NOT NULL) WITHOUT ROWID""",
    "CREATE INDEX shortcuts_by_target ON shortcuts (target)",
)

_DOUBTS = (
    # Since when it is not sure that what is known to be in a folder still is.
    "ALTER TABLE folders ADD COLUMN doubted TEXT",
    "CREATE INDEX folders_doubted ON folders (doubted) WHERE doubted IS NOT NULL",
    "CREATE INDEX folders_root ON folders (num) WHERE is_root = 1",
    "CREATE INDEX files_resting ON files (next_attempt) WHERE next_attempt IS NOT NULL",
    # Some indexes of the second schema have these two.
    "CREATE INDEX IF NOT EXISTS folders_by_parents ON folders (parents)",
    "CREATE INDEX IF NOT EXISTS folders_in_several ON folders (num) WHERE instr(parents, ',') > 0",
)


def _for_large_indexes(connection: apsw.Connection) -> None:
    take_generations_apart(connection)
    # Counted for every search: how many files are in which state, and have text.
    connection.execute("CREATE INDEX files_by_outcome ON files (state, reason, chunk_count)")


_TOKENS = (
    # Beside a text's vector, those of its tokens. What is long comes last.
    """CREATE TABLE token_vectors (
        vector INTEGER PRIMARY KEY REFERENCES vectors (num) ON DELETE CASCADE,
        projection INTEGER NOT NULL, packed BLOB NOT NULL)""",
    "CREATE INDEX token_vectors_by_projection ON token_vectors (projection, vector)",
)

MIGRATIONS: tuple[Callable[[apsw.Connection], None], ...] = (
    _first_schema,
    partial(_altered, _FOLLOWED_CHANGES),
    partial(_altered, _DOUBTS),
    _for_large_indexes,
    partial(_altered, _TOKENS),
    partial(_altered, CALIBRATION_TABLES),
)
SCHEMA_VERSION = len(MIGRATIONS)


def create_text_tables(connection: apsw.Connection, generation: int) -> None:
    """The full-text tables of a generation.

    Text arrives folded and cut into words (`terms.index_text`), so the tokenizer only splits; marks
    (M*) belong to words in Indic scripts. `scope` is empty: what an index of schema 3 has in it,
    tokens that begin with private-use characters (Co), nobody asks for any more.
    """
    connection.execute(
        f"""CREATE VIRTUAL TABLE text_g{generation} USING fts5(
            title, headings, body, name, scope, content='', contentless_delete=1,
            tokenize="unicode61 remove_diacritics 0 categories 'L* M* N* Co'")"""
    )
    connection.execute(
        f"CREATE VIRTUAL TABLE words_g{generation} USING fts5vocab(text_g{generation}, row)"
    )


def migrate(connection: apsw.Connection, path: Path) -> None:
    """Bring an index that was opened for writing to this version's schema.

    Raises:
        SchemaTooNewError: a newer version wrote it.
        IndexCorruptError: it is another program's SQLite file.
    """
    version = schema_version(connection, path)
    for number, step in enumerate(MIGRATIONS[version:], start=version + 1):
        with transaction(connection):
            # Another process may have been faster while this one waited for the lock.
            if schema_version(connection, path) >= number:
                continue
            step(connection)
            connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version={number}")


def schema_version(connection: apsw.Connection, path: Path) -> int:
    """The schema the file has; 0 for an empty file.

    Raises:
        SchemaTooNewError: a newer version wrote it.
        IndexCorruptError: it is another program's SQLite file.
    """
    version, application, tables = connection.execute(
        """SELECT user_version, application_id, (SELECT count(*) FROM sqlite_schema)
        FROM pragma_user_version, pragma_application_id"""
    ).fetchone() or (0, 0, 0)
    if application != APPLICATION_ID and (version or tables):
        raise IndexCorruptError(
            f"{path} is a SQLite file of another program",
            hint="choose another path with --db or GDRIVE_RAG_DB_PATH",
        )
    if version > SCHEMA_VERSION:
        raise SchemaTooNewError(
            f"{path} has schema {version}; this version reads up to {SCHEMA_VERSION}",
            hint="upgrade gdrive-rag-mcp, or choose another index file",
        )
    return int(version)


def require_schema(connection: apsw.Connection, path: Path) -> None:
    """Refuse to read an index that has no schema yet, or an old one.

    Raises:
        IndexMissingError: the file is empty.
        IndexOutdatedError: it needs a writer to bring it up to date.
    """
    version = schema_version(connection, path)
    if version < SCHEMA_VERSION:
        unwritten = IndexOutdatedError if version else IndexMissingError
        raise unwritten(
            f"{path} has not been written by this version yet",
            hint="run `gdrive-rag-mcp sync` to bring it up to date",
        )
