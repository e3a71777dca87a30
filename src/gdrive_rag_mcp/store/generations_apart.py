"""The step of the schema that takes the vectors' generations apart from the chunks.

Until then a chunk pointed to its vector, so that a change of the embedder rewrote every chunk; and
a vector named its embedder and its text at full length, twice.
"""

import apsw

from gdrive_rag_mcp.store.connection import fetch
from gdrive_rag_mcp.store.file_facts import FILE_LOG
from gdrive_rag_mcp.store.generation import create_tables

_VECTORS = (
    "CREATE TABLE models (num INTEGER PRIMARY KEY, fingerprint TEXT NOT NULL UNIQUE)",
    "INSERT INTO models (fingerprint) SELECT DISTINCT fingerprint FROM vectors",
    # One vector a distinct embedded text and model: the index's vectors are its embedding cache.
    """CREATE TABLE new_vectors (
        num INTEGER PRIMARY KEY, model INTEGER NOT NULL REFERENCES models (num),
        hash BLOB NOT NULL, f16 BLOB NOT NULL, UNIQUE (model, hash))""",
    """INSERT INTO new_vectors (num, model, hash, f16)
    SELECT v.num, m.num, unhex(v.hash), v.f16
    FROM vectors v JOIN models m ON m.fingerprint = v.fingerprint
    WHERE length(unhex(v.hash)) > 0 ORDER BY v.num""",
    "CREATE TEMP TABLE pointers AS SELECT num, vector FROM chunks WHERE vector IS NOT NULL",
    "CREATE TEMP TABLE former_idle AS SELECT vector, since FROM idle_vectors",
)
_CHUNKS = (
    """CREATE TABLE new_chunks (
        num INTEGER PRIMARY KEY AUTOINCREMENT, file INTEGER NOT NULL REFERENCES files (num),
        ordinal INTEGER NOT NULL, start INTEGER NOT NULL, "end" INTEGER NOT NULL,
        hash TEXT NOT NULL, locator TEXT NOT NULL, title TEXT NOT NULL, headings TEXT NOT NULL,
        context TEXT NOT NULL)""",
    """INSERT INTO new_chunks
    SELECT num, file, ordinal, start, "end", hash, locator, title, headings, context
    FROM chunks ORDER BY num""",
    # The numbers go on where they were: one that was used is never used again.
    "DELETE FROM sqlite_sequence WHERE name = 'new_chunks'",
    "UPDATE sqlite_sequence SET name = 'new_chunks' WHERE name = 'chunks'",
    "DROP TABLE chunks",
    "ALTER TABLE new_chunks RENAME TO chunks",
    "CREATE UNIQUE INDEX chunks_by_file ON chunks (file, ordinal)",
    "DROP TABLE idle_vectors",
    "DROP TABLE vectors",
    "ALTER TABLE new_vectors RENAME TO vectors",
    # Vectors that a chunk let go of; some of them are in use again by the time anybody looks.
    """CREATE TABLE idle_vectors (
        vector INTEGER PRIMARY KEY REFERENCES vectors (num) ON DELETE CASCADE, since TEXT)""",
    """INSERT INTO idle_vectors (vector, since) SELECT vector, since FROM former_idle
    WHERE vector IN (SELECT num FROM vectors)""",
    "CREATE INDEX idle_vectors_by_time ON idle_vectors (since)",
    "DROP TABLE former_idle",
    "UPDATE meta SET key = 'vec0_' || value, value = 'whole' WHERE key = 'vec0'",
)


def take_generations_apart(connection: apsw.Connection) -> None:
    """Give each generation a table of which chunk has which vector."""
    for statement in (*_VECTORS, *_CHUNKS, *FILE_LOG):
        connection.execute(statement)
    [(number,)] = fetch(
        connection, "SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'generation'"
    )
    create_tables(connection, number)
    connection.execute(
        f"""INSERT INTO chunk_vectors_g{number} (chunk, vector)
        SELECT num, vector FROM pointers WHERE vector IN (SELECT num FROM vectors) ORDER BY num"""
    )
    connection.execute(
        f"""DELETE FROM waiting_g{number} WHERE chunk IN (
            SELECT chunk FROM chunk_vectors_g{number})"""
    )
    connection.execute("DROP TABLE pointers")
