"""What is in the files: fetched, extracted, cut, and kept; a file is kept whole, or not at all."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from gdrive_rag_mcp.domain import (
    STATE_OF_REASON,
    Chunk,
    Document,
    Extraction,
    Fetched,
    FileState,
    Reason,
    SourceFile,
)
from gdrive_rag_mcp.errors import (
    ExtractionError,
    FileUnreadableError,
    SourceUnavailableError,
)
from gdrive_rag_mcp.indexing.content_folder import content_folder
from gdrive_rag_mcp.indexing.courtesy import Courtesy
from gdrive_rag_mcp.indexing.embedding_run import EmbeddingRun
from gdrive_rag_mcp.indexing.fetching import SMALL_BYTES, Content, Fetching
from gdrive_rag_mcp.indexing.outage import Outage
from gdrive_rag_mcp.indexing.portions import Portions
from gdrive_rag_mcp.indexing.progress import Progress
from gdrive_rag_mcp.protocols import Chunker, Extractor, Source
from gdrive_rag_mcp.store import Store
from gdrive_rag_mcp.store.work_queue import WorkItem


@dataclass(frozen=True)
class Tools:
    """What files are read with."""

    source: Source
    extractor: Extractor
    chunker: Chunker
    supported: Callable[[str], bool]
    extraction: Extraction
    progress: Progress
    clock: Callable[[], datetime]
    readers: int = 1
    """How many files are fetched at once; more than one only of a source that threads may share."""
    courtesy: Courtesy = field(default_factory=Courtesy)


class ContentReader:
    """Brings the documents of the index in line with what the ledger says is to be read.

    Where the source gives out before all is read, the rest waits for the next run, and `warnings`
    say so.
    """

    def __init__(self, store: Store, tools: Tools, embedding: EmbeddingRun) -> None:
        self._store = store
        self._tools = tools
        self._embedding = embedding
        self._portions = Portions(store)
        self.reused = 0
        self.warnings: list[str] = []

    def read_files(self, *, everything: bool) -> None:
        """Read what is new, changed, or due for another try; or all that is not indexed whole.

        Raises:
            SourceAuthError: the credentials were refused on the way; what was read stays.
            DiskFullError: there is no room for a file's content.
        """
        with self._store.transaction():
            plain, with_ocr = self._tools.extraction.names
            self._store.queue.look_again(extraction=plain, with_ocr=with_ocr, everything=everything)
        work = self._store.queue.work(self._tools.clock())
        with self._portions:
            wanted = [item for item in work if not self._refuse_unfetched(item)]
        try:
            self._read(wanted, before=len(work) - len(wanted))
        except SourceUnavailableError as error:
            self.warnings.append(f"reading_incomplete: {error}")

    def _refuse_unfetched(self, item: WorkItem) -> bool:
        """Note why a file is not even asked for, where it is known to be of no use."""
        file = item.file
        if file.obstacle is not None:
            self._refuse(file.id, file.obstacle, "the source does not give it out")
        elif not self._tools.supported(file.mime_type):
            self._refuse(file.id, Reason.UNSUPPORTED_TYPE, f"no extractor for {file.mime_type}")
        else:
            return False
        return True

    def _read(self, wanted: Sequence[WorkItem], *, before: int) -> None:
        source, total = self._tools.source, before + len(wanted)
        outage = Outage(source)
        with (
            content_folder(self._store.path) as folder,
            Fetching(
                source,
                wanted,
                folder,
                readers=self._tools.readers,
                before_waiting=self._portions.keep,
            ) as contents,
            self._portions,
        ):
            for done, content in enumerate(contents, before):
                self._tools.progress("reading", done, total)
                with self._tools.courtesy.step():
                    outage.note(self._take(content))
                self._embed_on()
        self._tools.progress("reading", total, total)

    def _embed_on(self) -> None:
        """Embed beside the reading; vectors, which cost, are not undone with any document."""
        if self._embedding.has_work:
            self._portions.keep()
            self._embedding.advance()

    def _take(self, content: Content) -> Reason | None:
        """Keep what a file holds, or why it cannot be had: then that is returned, too."""
        item, outcome = content.item, content.outcome
        if isinstance(outcome, FileUnreadableError):
            self._refuse(item.file.id, outcome.reason, _told(outcome))
            return outcome.reason
        try:
            self._index(item, content.path, outcome)
        except ExtractionError as error:
            reason, detail = error.reason, _told(error)
            if reason is Reason.CORRUPT and outcome.mime_type != item.file.mime_type:
                # Nobody keeps a damaged export: it was damaged on its way, and has no checksum.
                reason, detail = Reason.NETWORK, f"the export came damaged: {detail}"
            self._refuse(item.file.id, reason, detail, read=outcome.file)
        return None

    def _index(self, item: WorkItem, content: Path, fetched: Fetched) -> None:
        digest = _sha256(content)
        same = item.content_hash == digest and item.extraction in self._tools.extraction.names
        if same and item.searchable:
            self._keep(item.file.id, fetched)
            return
        if not fetched.mime_type.startswith("text/") or content.stat().st_size > SMALL_BYTES:
            self._portions.keep()  # it may take long, and what is read already can be found
        document = self._tools.extractor.extract(content, fetched.mime_type)
        chunks = self._cut(document)
        with self._portions.document(len(chunks)):
            self._refresh(fetched.file)
            self._replace(item.file.id, document, chunks)
            self._store.queue.indexed(
                item.file.id,
                content_hash=digest,
                extraction=self._tools.extraction.name(with_ocr=document.ocr_matters),
                failures=document.failures,
                anchors=fetched.anchors,
                note=fetched.note,
                now=self._tools.clock(),
            )

    def _keep(self, identifier: str, fetched: Fetched) -> None:
        """Note that a file holds what it held; what is said about it may be new all the same."""
        stored = self._store.stored_document(identifier)
        with self._portions.document():
            self._refresh(fetched.file)
            self._store.queue.same_content(
                identifier,
                stored.failures if stored else (),
                anchors=fetched.anchors,
                note=fetched.note,
            )

    def _refresh(self, read: SourceFile | None) -> None:
        """Describe in the ledger the version that was read, where a newer one than listed was."""
        if read is not None:
            self._store.inventory.refresh(read)

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
        self._embedding.expect(len(chunks) - reused)

    def _refuse(
        self, identifier: str, reason: Reason, detail: str, *, read: SourceFile | None = None
    ) -> None:
        """Note why a file was not indexed.

        A failure may pass, so the old text stays; a refusal is about what the file holds now, so
        text that it does not hold any more goes.
        """
        with self._portions.document():
            self._refresh(read)
            if STATE_OF_REASON[reason] is not FileState.FAILED:
                self._store.index.remove(identifier)
            self._store.queue.refused(
                identifier,
                reason,
                detail,
                extraction=self._tools.extraction.name(with_ocr=reason is Reason.NEEDS_OCR),
                now=self._tools.clock(),
            )

    def cut_again(self) -> None:
        """Cut documents of another chunking identity anew, from the text that is kept."""
        with self._portions:
            for identifier in self._store.cut_otherwise(self._tools.chunker.identity):
                document = self._store.stored_document(identifier)
                if document is not None:
                    self._cut_one_again(identifier, document)
                    self._embed_on()

    def _cut_one_again(self, identifier: str, document: Document) -> None:
        try:
            chunks = self._cut(document)
        except ExtractionError as error:
            self._refuse(identifier, error.reason, _told(error))
            return
        with self._portions.document(len(chunks)):
            self._replace(identifier, document, chunks)


def _told(error: FileUnreadableError | ExtractionError) -> str:
    if not error.hint:
        return error.message
    return f"{error.message.removesuffix('.')}. {error.hint[0].upper()}{error.hint[1:]}"


def _sha256(path: Path) -> str:
    with path.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()
