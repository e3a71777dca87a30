"""No file can hurt: whatever it is made of, it costs only itself, and only so much."""

import io
import os
import random
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from lxml import etree
from pypdf import PdfWriter
from pypdf.generic import NameObject, StreamObject

from gdrive_rag_mcp.app.syncing import sync_index
from gdrive_rag_mcp.chunking.structural import StructuralChunker
from gdrive_rag_mcp.domain import EVERYTHING, Document, FileState, Reason
from gdrive_rag_mcp.errors import ExtractionError
from gdrive_rag_mcp.extraction import ooxml
from gdrive_rag_mcp.extraction.input_file import InputFile
from gdrive_rag_mcp.extraction.isolation.limits import Limits
from gdrive_rag_mcp.extraction.isolation.process import ReadingProcess
from gdrive_rag_mcp.extraction.isolation.sandbox import Sandbox
from gdrive_rag_mcp.extraction.isolation.wire import unpack
from gdrive_rag_mcp.extraction.isolation.zygote import Ending, Request
from gdrive_rag_mcp.extraction.options import Options
from gdrive_rag_mcp.extraction.pdf import pypdf
from gdrive_rag_mcp.extraction.pdf.page import PageProblem
from gdrive_rag_mcp.extraction.reading import read_document
from gdrive_rag_mcp.indexing.sync import SyncOptions
from gdrive_rag_mcp.sources.local import LocalFolderSource
from gdrive_rag_mcp.store import Store
from tests.extraction.hostile import entities, packages
from tests.extraction.hostile.cases import CASES
from tests.extraction.scans import scan

MOST_CPU_SECONDS = 40
MOST_BYTES = 2 << 30
CANARY = "yellow-feathers-4711"
QUICK = (
    "sheet: far cell",
    "sheet: far cell first",
    "sheet: one merged range over all",
    "word: nested tables",
    "slides: nested groups",
    "open sheet: repeated rows and cells",
    "open sheet: repeated empty rows",
    "book: deep chapter",
    "zip: 10,001 members",
    "zip: overlapping members",
    "pdf: 200,000 pages",
    "pdf: page tree in a circle",
    "pdf: circles",
    "web: nested divisions",
    "web: 200,000 attributes",
    "json: nested lists",
    "mail: nested parts",
    "rtf: nested braces",
    "csv: a million columns",
    "markdown: brackets",
    "markdown: pipes",
    "markdown: spaces",
    *(f"{name}: laughs" for name in entities.CARRIERS),
)
needs_fork = pytest.mark.skipif(
    not hasattr(os, "fork"), reason="what a file costs is told by forks"
)


class Reading:
    """A process that reads, and what it took."""

    def __init__(self, folder: Path) -> None:
        self._process = ReadingProcess()
        self._path = folder / "file"

    def read(self, content: bytes, mime_type: str) -> tuple[Ending, Document | Reason]:
        self._path.write_bytes(content)
        request = Request(str(self._path), mime_type, Limits(), Options())
        ending, answer = self._process.ask(request)
        if ending.signal or ending.exceeded:
            return ending, Reason.RESOURCE_LIMIT
        try:
            return ending, unpack(answer)
        except ExtractionError as refusal:
            return ending, refusal.reason

    def end(self) -> None:
        self._process.end()


@pytest.fixture(scope="module")
def reading(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reading]:
    reading = Reading(tmp_path_factory.mktemp("hostile"))
    yield reading
    reading.end()


@needs_fork
@pytest.mark.parametrize(
    "name",
    [name if name in QUICK else pytest.param(name, marks=pytest.mark.acceptance) for name in CASES],
)
def test_a_hostile_file_costs_only_itself_and_not_too_much(reading: Reading, name: str) -> None:
    mime_type, build = CASES[name]

    ending, outcome = reading.read(build(), mime_type)

    assert outcome is not Reason.INTERNAL
    assert ending.cpu_seconds <= MOST_CPU_SECONDS
    assert ending.peak_bytes <= MOST_BYTES
    _, after = reading.read(b"# Leave\n\nThirty days.\n", "text/markdown")
    assert isinstance(after, Document)
    assert after.text == "Leave\n\nThirty days."


def test_the_quick_ones_are_among_them_all() -> None:
    assert set(QUICK) <= set(CASES)


# ── files that would have other files read ───────────────────────────────────


FETCHING = pytest.mark.parametrize(
    ("declared", "brought_in"),
    [
        (entities.fetching, CANARY),
        (entities.fetching_by_parameter, f"<!ENTITY e '{CANARY}'>"),
        (entities.fetching_a_grammar, f"<!ENTITY e '{CANARY}'>"),
    ],
    ids=["entity", "parameter", "grammar"],
)
DECLARING = pytest.mark.parametrize(
    "declared",
    [entities.fetching_by_parameter, entities.fetching_a_grammar],
    ids=["parameter", "grammar"],
)
UNGUARDED = {"resolve_entities": True, "load_dtd": True, "no_network": False}


@pytest.fixture
def canary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that must not be read, in the folder that we are in."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "canary.txt"
    path.write_text(CANARY, encoding="ascii")
    return path


def text_of(path: Path, mime_type: str) -> str:
    """All that came of a file, a refusal's words included."""
    try:
        return repr(read_document(path, mime_type))
    except ExtractionError as refusal:
        return f"{refusal.message} {refusal.hint}"


def marked_up(content: bytes) -> bytes:
    """The XML with a document type declaration: the file, or what lies in it."""
    if not content.startswith(b"PK"):
        return content
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        parts = map(archive.read, archive.namelist())
        (declaring,) = (part for part in parts if b"<!DOCTYPE" in part)
    return declaring


@FETCHING
@pytest.mark.parametrize("name", entities.CARRIERS)
def test_an_unguarded_parser_brings_another_file_in(
    canary: Path, name: str, declared: entities.Declare, brought_in: str
) -> None:
    """So that the next test could fail: of each file, and in each way of naming the other."""
    canary.write_text(brought_in, encoding="ascii")
    for address in (canary.as_uri(), str(canary), canary.name):
        content = marked_up(entities.CARRIERS[name][1](declared(address)))

        whole = etree.fromstring(content, etree.XMLParser(**UNGUARDED))
        streamed = [text for _, each in etree.iterparse(io.BytesIO(content), **UNGUARDED)
                    for text in each.itertext()]  # fmt: skip
        assert CANARY in "".join(whole.itertext())
        assert CANARY in "".join(streamed)


@FETCHING
@pytest.mark.parametrize("name", entities.CARRIERS)
def test_no_entity_brings_another_file_in(
    tmp_path: Path, canary: Path, name: str, declared: entities.Declare, brought_in: str
) -> None:
    """Read in this very process, where nothing but the reader itself holds it back."""
    canary.write_text(brought_in, encoding="ascii")
    mime_type, carry = entities.CARRIERS[name]
    for address in (canary.as_uri(), str(canary), canary.name):
        (tmp_path / "file").write_bytes(carry(declared(address)))

        assert CANARY not in text_of(tmp_path / "file", mime_type)


@DECLARING
@pytest.mark.parametrize("name", entities.ATTRIBUTES)
def test_no_attribute_brings_another_file_in(
    tmp_path: Path, canary: Path, name: str, declared: entities.Declare
) -> None:
    canary.write_text(f"<!ENTITY e '{CANARY}'>", encoding="ascii")
    mime_type, carry = entities.ATTRIBUTES[name]
    content = carry(declared(canary.as_uri()))
    (tmp_path / "file").write_bytes(content)

    unguarded = etree.fromstring(marked_up(content), etree.XMLParser(**UNGUARDED))
    assert any(CANARY in text for each in unguarded.iter() for text in each.attrib.values())
    assert "shown" in text_of(tmp_path / "file", mime_type)
    assert CANARY not in text_of(tmp_path / "file", mime_type)


@pytest.mark.parametrize(
    "name", ["docx", "xlsx", "xlsx strings", "pptx", "odt", "ods", "epub parts"]
)
def test_these_files_are_read_by_what_is_guarded(
    tmp_path: Path, canary: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """With the guard off, readers do leak the file: it is the guard that holds it back."""
    monkeypatch.setattr(ooxml, "XML_LIMITS", {**ooxml.XML_LIMITS, **UNGUARDED})
    mime_type, carry = entities.CARRIERS[name]
    (tmp_path / "file").write_bytes(carry(entities.fetching(canary.as_uri())))

    assert CANARY in text_of(tmp_path / "file", mime_type)


@pytest.mark.parametrize(
    "field",
    [
        r'{\field{\*\fldinst INCLUDETEXT "%s"}{\fldrslt shown}}',
        r'{\field{\*\fldinst LINK Word.Document.8 "%s"}{\fldrslt shown}}',
        r"{\*\template %s}",
        r"{\info{\*\hlinkbase %s}}{\object\objlink{\*\objdata %s}}",
    ],
)
def test_no_field_of_rtf_brings_another_file_in(tmp_path: Path, canary: Path, field: str) -> None:
    content = r"{\rtf1 before " + field.replace("%s", str(canary)) + " after}"
    (tmp_path / "file").write_text(content, encoding="ascii")

    assert CANARY not in text_of(tmp_path / "file", "application/rtf")


@pytest.mark.parametrize(
    "markup",
    [
        "<iframe src='{0}'></iframe>",
        "<object data='{0}'></object>",
        "<link rel=import href='{0}'>",
        "<script src='{0}'></script>",
        "<xi:include xmlns:xi='http://www.w3.org/2001/XInclude' href='{0}' parse='text'/>",
    ],
)
@pytest.mark.parametrize("mime_type", ["text/html", "application/xhtml+xml", "application/xml"])
def test_no_markup_brings_another_file_in(
    tmp_path: Path, canary: Path, markup: str, mime_type: str
) -> None:
    content = f"<html><body><p>before</p>{markup.format(canary.as_uri())}<p>after</p></body></html>"
    (tmp_path / "file").write_text(content, encoding="ascii")

    assert CANARY not in text_of(tmp_path / "file", mime_type)


# ── parts that hurt, and what is lost with them ──────────────────────────────


@pytest.mark.parametrize(
    ("mime_type", "made"),
    [
        (packages.WORD, lambda text: packages.word(packages.paragraph(text))),
        (packages.SLIDES, lambda text: packages.slides(packages.shape(text))),
        (packages.OPEN_TEXT, packages.open_text),
        (packages.OPEN_SHEET, lambda text: packages.open_sheet(packages.open_row(text))),
    ],
    ids=["docx", "pptx", "odt", "ods"],
)
def test_a_text_longer_than_any_parser_takes_at_once_is_refused(
    tmp_path: Path, mime_type: str, made: Callable[[str], bytes]
) -> None:
    """Ten million characters in one piece are libxml2's limit; they do not pack like a bomb."""
    text = random.Random(7).randbytes(5_100_000).hex()  # noqa: S311 - text, no secret
    (tmp_path / "file").write_bytes(made(text))

    with pytest.raises(ExtractionError) as refusal:
        read_document(tmp_path / "file", mime_type)

    assert refusal.value.reason is Reason.RESOURCE_LIMIT
    assert "too long" in refusal.value.message


def test_a_page_that_stops_the_second_engine_is_lost_alone() -> None:
    writer = PdfWriter(clone_from=io.BytesIO(scan(["first page", "lost page", "third page"])))
    broken = StreamObject()
    broken.set_data(b"packed by nobody knows whom")
    broken[NameObject("/Filter")] = NameObject("/NoSuchDecode")
    writer.pages[1][NameObject("/Contents")] = broken
    content = io.BytesIO()
    writer.write(content)

    with pypdf.opened(InputFile(content.getvalue())) as opened:
        pages = list(opened.pages())

    assert [page.text.strip() for page in pages] == ["first page", "", "third page"]
    assert [page.problem for page in pages] == [None, PageProblem.UNREADABLE, None]


# ── in a run, and beside a server ────────────────────────────────────────────


def test_hostile_files_among_good_ones_stand_in_the_ledger_and_the_good_are_found(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "documents"
    folder.mkdir()
    for number in range(4):
        text = f"Note {number} about leave.\n"
        (folder / f"{number} good.txt").write_text(text, encoding="ascii")
    hostile = {
        "0a.xlsx": "sheet: far cell first",
        "1a.docx": "word: nested tables",
        "2a.docx": "docx: laughs",
        "3a.pdf": "pdf: circles",
        "4a.docx": "zip: overlapping members",
    }
    for name, case in hostile.items():
        (folder / name).write_bytes(CASES[case][1]())

    with Sandbox() as sandbox:
        report = sync_index(
            tmp_path / "index.db",
            source=LocalFolderSource(folder),
            extractor=sandbox,
            chunker=StructuralChunker(size=300, overlap=40),
            embedder=lambda _: None,
            options=SyncOptions(),
            progress=lambda *_: None,
        )

    assert (report.added, report.complete) == (4, True)
    with Store.open_for_reading(tmp_path / "index.db") as store:
        records = {record.name: record for record in store.ledger.all(EVERYTHING)}
    assert set(records) >= {*hostile, *(f"{number} good.txt" for number in range(4))}
    for name, record in records.items():
        read = record.state is FileState.INDEXED
        assert read is name.endswith("good.txt")
        assert read or record.reason not in {None, Reason.INTERNAL}
