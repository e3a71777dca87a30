"""What is in the files: fetched, extracted, cut, and kept; each file is one transaction."""

import hashlib
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from gdrive_rag_mcp.domain import STATE_OF_REASON, Chunk, Document, FileState, Reason
from gdrive_rag_mcp.errors import ExtractionError, FileUnreadableError
from gdrive_rag_mcp.indexing.progress import Progress
from gdrive_rag_mcp.indexing.vectorising import Vectoriser
from gdrive_rag_mcp.protocols import Chunker, Extractor, Source
from gdrive_rag_mcp.store import Store
from gdrive_rag_mcp.store.work_queue import WorkItem

READING = "-reading"
"""What the folder for content is called after the index."""

_FILL_AT = 256


@dataclass(frozen=True)
class Tools:
    """What files are read with."""

    source: Source
    extractor: Extractor
    chunker: Chunker
    supported: Callable[[str], bool]
    extraction: str
    progress: Progress
    clock: Callable[[], datetime]


class ContentReader:
    """Brings the documents of the index in line with what the ledger says is to be read."""

    def __init__(self, store: Store, tools: Tools, vectoriser: Vectoriser) -> None:
        self._store = store
        self._tools = tools
        self._vectoriser = vectoriser
        self._unfilled = 0
        self.reused = 0

    def read_files(self, *, everything: bool) -> None:
        """Read what is new, changed, or due for another try; or all that is not indexed whole."""
        with self._store.transaction():
            self._store.queue.look_again(extraction=self._tools.extraction, everything=everything)
        work = self._store.queue.work(self._tools.clock())
        with _content_folder(self._store.path) as folder:
            for done, item in enumerate(work):
                self._tools.progress("reading", done, len(work))
                self._read(item, folder / "content")
                if self._unfilled >= _FILL_AT:
                    self._unfilled = 0
                    self._vectoriser.fill()
        self._tools.progress("reading", len(work), len(work))

    def _read(self, item: WorkItem, into: Path) -> None:
        try:
            self._index(item, into, self._fetch(item, into))
        except (FileUnreadableError, ExtractionError) as error:
            self._refuse(item.file.id, error.reason, _told(error))
        finally:
            into.unlink(missing_ok=True)

    def _fetch(self, item: WorkItem, into: Path) -> str:
        """Bring a file's content here, unless it is known to be of no use; returns its type."""
        if item.file.obstacle is not None:
            raise FileUnreadableError(item.file.obstacle, "the source does not give it out")
        if not self._tools.supported(item.file.mime_type):
            raise ExtractionError(
                Reason.UNSUPPORTED_TYPE, f"no extractor for {item.file.mime_type}"
            )
        return self._tools.source.read(item.file, into).mime_type

    def _index(self, item: WorkItem, content: Path, mime_type: str) -> None:
        digest = _sha256(content)
        same = item.content_hash == digest and item.extraction == self._tools.extraction
        if same and item.searchable:
            stored = self._store.stored_document(item.file.id)
            with self._store.transaction():
                self._store.queue.same_content(item.file.id, stored.failures if stored else ())
            return
        document = self._tools.extractor.extract(content, mime_type)
        chunks = self._cut(document)
        with self._store.transaction():
            self._replace(item.file.id, document, chunks)
            self._store.queue.indexed(
                item.file.id,
                content_hash=digest,
                extraction=self._tools.extraction,
                failures=document.failures,
                now=self._tools.clock(),
            )

    def _cut(self, document: Document) -> tuple[Chunk, ...]:
        chunks = self._tools.chunker.chunk(document)
        if not chunks:
            raise ExtractionError(Reason.NO_TEXT, "there is no text in it")
        return chunks

    def _replace(self, identifier: str, document: Document, chunks: tuple[Chunk, ...]) -> None:
        reused = self._store.index.replace(
            identifier, document, chunks, chunking=self._tools.chunker.identity
        )
        self.reused += reused
        self._unfilled += len(chunks) - reused

    def _refuse(self, identifier: str, reason: Reason, detail: str) -> None:
        """Note why a file was not indexed.

        A failure may pass, so the old text stays; a refusal is about what the file holds now, so
        text that it does not hold any more goes.
        """
        with self._store.transaction():
            if STATE_OF_REASON[reason] is not FileState.FAILED:
                self._store.index.remove(identifier)
            self._store.queue.refused(
                identifier,
                reason,
                detail,
                extraction=self._tools.extraction,
                now=self._tools.clock(),
            )

    def cut_again(self) -> None:
        """Cut documents of another chunking identity anew, from the text that is kept."""
        for identifier in self._store.cut_otherwise(self._tools.chunker.identity):
            document = self._store.stored_document(identifier)
            if document is None:
                continue
            try:
                chunks = self._cut(document)
            except ExtractionError as error:
                self._refuse(identifier, error.reason, _told(error))
                continue
            with self._store.transaction():
                self._replace(identifier, document, chunks)


@contextmanager
def _content_folder(index: Path) -> Iterator[Path]:
    """A private folder beside the index for the file that is being read.

    The writer's lock makes it this run's alone, so what a killed one left there goes first.
    """
    folder = index.resolve().with_name(index.name + READING)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _told(error: FileUnreadableError | ExtractionError) -> str:
    return f"{error.message}; {error.hint}" if error.hint else error.message


def _sha256(path: Path) -> str:
    with path.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()
