"""A small index with folders and every kind of file, for tests of what reads an index."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from gdrive_rag_mcp.domain import (
    ChangePage,
    Chunk,
    Document,
    Fetched,
    Locator,
    Reason,
    Segment,
    SegmentKind,
    SourceFile,
    SourceFolder,
    SourceUsage,
)
from gdrive_rag_mcp.errors import ExtractionError
from gdrive_rag_mcp.indexing.sync import Synchroniser, SyncOptions
from gdrive_rag_mcp.protocols import Embedder, Frontier
from gdrive_rag_mcp.store import Store

SYNCED = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)
_MODIFIED = datetime(2026, 2, 1, 12, 30, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class SampleFile:
    """A file and what reading it brings: paragraphs with their places, or a reason why not."""

    id: str
    name: str
    mime_type: str
    folder: str
    title: str = ""
    paragraphs: Sequence[tuple[str, Locator]] = ()
    context: str = ""
    refused: Reason | None = None
    failures: tuple[str, ...] = ()
    modified_time: datetime = _MODIFIED
    url: str | None = None


def heading(path: str) -> Locator:
    """The place below a heading, such as `Leave > Unpaid`."""
    return Locator("heading", path)


def page(number: int, label: str | None = None) -> Locator:
    """A page counted from 1, with the label that is printed on it."""
    return Locator("page", str(number), number, number, label)


FOLDERS = (
    SourceFolder("root", "Company", (), is_root=True),
    SourceFolder("hr", "HR", ("root",)),
    SourceFolder("finance", "Finance", ("root",)),
)
FILES = (
    SampleFile(
        "leave",
        "Leave.docx",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "hr",
        "Leave policy",
        (
            (
                "Every employee gets 25 days of paid annual leave; unused days lapse in March.",
                heading("Leave > Annual"),
            ),
            (
                "Unpaid leave of up to six weeks needs the written consent of the manager.",
                heading("Leave > Unpaid"),
            ),
            (
                "Parents share 14 months of parental leave after the birth of a child.",
                heading("Leave > Parental"),
            ),
        ),
        url="https://docs.example.com/leave",
    ),
    SampleFile(
        "lease",
        "Lease.pdf",
        "application/pdf",
        "root",
        "Lease of the office",
        (
            ("The rent for the office in Hamburg is 4200 euros a month.", page(1, "i")),
            ("Either party may terminate the lease with six months notice.", page(2, "ii")),
        ),
        failures=("page 3: damaged",),
        url="https://files.example.com/lease.pdf",
    ),
    SampleFile(
        "budget",
        "Budget.xlsx",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "finance",
        "Budget",
        (
            ("Travel; 12000; 9500", Locator("sheet", "Budget!A2:C2", 2, 2, "Budget")),
            ("Training; 8000; 7990", Locator("sheet", "Budget!A3:C3", 3, 3, "Budget")),
        ),
        context="Item; Planned; Spent",
        modified_time=datetime(2025, 6, 1, tzinfo=UTC),
    ),
    SampleFile("scan", "Scan.pdf", "application/pdf", "hr", refused=Reason.NEEDS_OCR),
    SampleFile("sealed", "Sealed.pdf", "application/pdf", "finance", refused=Reason.ENCRYPTED),
)


class _SampleSource:
    """Lists the files at once; what is read of one is its id."""

    usage = SourceUsage()

    def __init__(self, files: Sequence[SampleFile], root: str) -> None:
        self._files = files
        self.root = root

    def check(self) -> None:
        pass

    def changes(self, cursor: str | None, frontier: Frontier) -> Iterator[ChangePage]:
        files = tuple(map(self._listed, self._files))
        yield ChangePage(files, FOLDERS, begins=True, complete=True)

    def _listed(self, file: SampleFile) -> SourceFile:
        return SourceFile(
            id=file.id,
            name=file.name,
            mime_type=file.mime_type,
            parents=(file.folder,),
            version="1",
            size=sum(len(text) for text, _ in file.paragraphs),
            modified_time=file.modified_time,
            url=file.url,
            revision="r1",
        )

    def read(self, file: SourceFile, into: Path) -> Fetched:
        into.write_text(file.id, encoding="utf-8")
        return Fetched(file.mime_type)


class _SampleExtractor:
    def __init__(self, files: Sequence[SampleFile]) -> None:
        self._files = {file.id: file for file in files}

    def extract(self, content: Path, mime_type: str) -> Document:
        file = self._files[content.read_text(encoding="utf-8")]
        if file.refused:
            raise ExtractionError(file.refused, "said by the sample")
        segments, start = [], 0
        for text, locator in file.paragraphs:
            end = start + len(text)
            segments.append(Segment(start, end, SegmentKind.TEXT, locator, context=file.context))
            start = end + 1
        whole = "\n".join(text for text, _ in file.paragraphs)
        return Document(file.title, whole, tuple(segments), file.failures)


class _SampleChunker:
    """One chunk a paragraph."""

    identity = "sample paragraphs"

    def chunk(self, document: Document) -> tuple[Chunk, ...]:
        return tuple(
            Chunk(
                ordinal,
                segment.start,
                segment.end,
                document.text[segment.start : segment.end],
                segment.locator,
                title=document.title,
                context=segment.context,
            )
            for ordinal, segment in enumerate(document.segments)
        )


def sample_index(
    path: Path,
    embedder: Embedder | None = None,
    *,
    files: Sequence[SampleFile] = FILES,
    root: str = "folder:/srv/company",
    synced: datetime = SYNCED,
) -> None:
    """Sync the files, said to lie in `root`, into an index; the clock stands still at `synced`."""
    with Store.open_for_writing(path) as store:
        Synchroniser(
            store,
            source=_SampleSource(files, root),
            extractor=_SampleExtractor(files),
            chunker=_SampleChunker(),
            embedder=embedder,
            supported=lambda _: True,
            extraction="sample",
            clock=lambda: synced,
        ).run(SyncOptions())
