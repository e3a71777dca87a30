import codecs
import io
import struct
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from gdrive_rag_mcp import extraction
from gdrive_rag_mcp.domain import Reason
from gdrive_rag_mcp.errors import ExtractionError
from gdrive_rag_mcp.extraction import archives
from gdrive_rag_mcp.extraction.archives import check_archive, open_archive
from gdrive_rag_mcp.extraction.formats import Format
from gdrive_rag_mcp.extraction.input_file import InputFile
from gdrive_rag_mcp.extraction.reading import failing_alone, read_document, read_file
from gdrive_rag_mcp.extraction.sniffing import sniff
from tests.extraction.ole import compound_file

MAIL_HEADER = b"From: a@b.example\r\nTo: c@d.example\r\nSubject: Hi\r\nDate: today\r\n\r\nText"
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)
CONTENT_TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Override PartName="/{part}" '
    'ContentType="application/vnd.openxmlformats-officedocument.{kind}+xml"/></Types>'
)


@pytest.fixture
def archive(tmp_path: Path) -> Callable[..., Path]:
    """Write a ZIP archive with these members."""

    def write(**members: bytes | str) -> Path:
        path = tmp_path / "file.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
            for name, content in members.items():
                file.writestr(name, content)
        return path

    return write


# ── what a file is ───────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("data", "expected", "found"),
    [
        (b"%PDF-1.7 ...", Format.TEXT, Format.PDF),
        (b"\r\n%PDF-1.4", Format.WORD, Format.PDF),
        (b"HTTP/1.1 200 OK\n\n%PDF-1.4", Format.PDF, Format.PDF),
        (b"How to write a %PDF-1.4 header", Format.MARKDOWN, Format.MARKDOWN),
        (b"plain", Format.TEXT, Format.TEXT),
        (b"plain", None, Format.TEXT),
        (b"../documents/word_sample.docx", Format.WORD, Format.TEXT),
        (b"%\xe2\xe3\n1 0 obj <<>> endobj", Format.PDF, Format.PDF),
        (b"BM is how this text begins", None, Format.TEXT),
        (b"{\\rtf1\\ansi hello}", Format.WORD_97, Format.RTF),
        (b"<html><body>...", Format.SHEET_BINARY, Format.WEB),
        (b"\xef\xbb\xbf<!-- saved --> <!DOCTYPE html>", Format.TEXT, Format.WEB),
        (codecs.BOM_UTF16_LE + "<html>".encode("utf-16-le"), Format.TEXT, Format.WEB),
        (b"<p>only a fragment</p>", Format.WEB, Format.WEB),
        (b"<p>only a fragment</p>", Format.TEXT, Format.TEXT),
        (b"Name\tAge\nAnn\t3\nBob\t4\n", Format.SHEET_BINARY, Format.DELIMITED),
        (b"a;b\n1;2\n", Format.DELIMITED, Format.DELIMITED),
        (MAIL_HEADER, Format.TEXT, Format.MAIL),
        (MAIL_HEADER, Format.WORD_97, Format.MAIL),
        (b"From: here\nTo: there\n\nA poem", Format.TEXT, Format.TEXT),
        (b"title: x\nfrom: y\nsubject: z\ndate: d\n\n", Format.MARKDOWN, Format.MARKDOWN),
        (b'{"cells": [], "nbformat": 4}', Format.JSON, Format.NOTEBOOK),
        (b'{"cells": []}', Format.JSON, Format.JSON),
        (b"# plain", Format.MARKDOWN, Format.MARKDOWN),
    ],
)
def test_content_decides_what_a_file_is_read_as(
    data: bytes, expected: Format | None, found: Format
) -> None:
    assert sniff(InputFile(data), expected) is found


@pytest.mark.parametrize(
    ("data", "expected", "reason"),
    [
        (b"", Format.TEXT, Reason.NO_TEXT),
        (b"", Format.PDF, Reason.NO_TEXT),
        (bytes(5000), Format.WORD, Reason.TYPE_MISMATCH),
        (b"\0\5\x16\0" + bytes(100) + b"%PDF-1.4", Format.PDF, Reason.TYPE_MISMATCH),
        (OLE, Format.WORD, Reason.CORRUPT),
        (b"\x89PNG\r\n\x1a\n" + bytes(9), Format.PDF, Reason.TYPE_MISMATCH),
        (b"\x89PNG\r\n\x1a\n" + bytes(9), None, Reason.UNSUPPORTED_TYPE),
        (bytes(range(256)) * 9, None, Reason.UNSUPPORTED_TYPE),
        (b"\0\0\0\x18ftypmp42" + bytes(9), Format.TEXT, Reason.TYPE_MISMATCH),
        (b"PK\x03\x04 and then nothing", Format.WORD, Reason.CORRUPT),
    ],
)
def test_what_cannot_be_read_says_why(data: bytes, expected: Format | None, reason: Reason) -> None:
    with pytest.raises(ExtractionError) as refusal:
        sniff(InputFile(data), expected)

    assert refusal.value.reason is reason


@pytest.mark.parametrize(
    ("kind", "found"),
    [
        ("wordprocessingml.document.main", Format.WORD),
        ("spreadsheetml.sheet.main", Format.SHEET),
        ("presentationml.slideshow.main", Format.SLIDES),
    ],
)
def test_an_office_file_is_told_by_its_content_types(
    archive: Callable[..., Path], kind: str, found: Format
) -> None:
    path = archive(**{"[Content_Types].xml": CONTENT_TYPES.format(part="any.xml", kind=kind)})

    assert sniff(InputFile(path), Format.PDF) is found


@pytest.mark.parametrize(
    ("declared", "found"),
    [
        ("application/vnd.oasis.opendocument.text", Format.OPEN_TEXT),
        ("application/vnd.oasis.opendocument.spreadsheet-template\n", Format.OPEN_SHEET),
        ("application/epub+zip", Format.BOOK),
    ],
)
def test_an_open_document_is_told_by_what_it_declares(
    archive: Callable[..., Path], declared: str, found: Format
) -> None:
    assert sniff(InputFile(archive(mimetype=declared)), Format.WORD) is found


def test_an_archive_that_is_no_office_file_is_a_mismatch(archive: Callable[..., Path]) -> None:
    with pytest.raises(ExtractionError) as refusal:
        sniff(InputFile(archive(photo=b"...")), Format.WORD)

    assert refusal.value.reason is Reason.TYPE_MISMATCH


@pytest.mark.parametrize(
    "mime_type",
    ["image/png", "audio/mpeg", "video/mp4", "application/zip", "application/vnd.google-apps.form"],
)
def test_other_types_are_unsupported_before_the_file_is_opened(mime_type: str) -> None:
    assert not extraction.is_supported(mime_type)

    with pytest.raises(ExtractionError) as refusal:
        read_document(Path("/nowhere"), mime_type)

    assert refusal.value.reason is Reason.UNSUPPORTED_TYPE


@pytest.mark.parametrize(
    "mime_type",
    [
        "application/pdf",
        "Text/Plain; charset=utf-8",
        "text/markdown",
        "application/vnd.google-apps.document",
        "text/x-anything-new",
        "application/x-yaml",
        "application/atom+xml",
        "application/geo+json",
        "application/octet-stream",
        "",
    ],
)
def test_listed_types_are_supported_however_they_are_written(mime_type: str) -> None:
    assert extraction.is_supported(mime_type)


def test_asking_what_is_supported_and_starting_the_sandbox_load_no_parser() -> None:
    script = (
        "import sys, gdrive_rag_mcp.extraction, gdrive_rag_mcp.extraction.isolation.sandbox\n"
        "print(*sys.modules)"
    )

    loaded = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, check=True, text=True
    ).stdout.split()

    assert not {"lxml", "pypdf", "pypdfium2", "python_calamine", "chardet"} & set(loaded)


@pytest.mark.parametrize(
    ("data", "mime_type"),
    [
        (b"The file is on the other server.", "application/pdf"),
        (b"<html><body>Please sign in</body></html>", "application/pdf"),
        (b"see ../letters/17", "application/msword"),
    ],
)
def test_a_text_in_the_place_of_a_document_is_read_and_told(data: bytes, mime_type: str) -> None:
    document = read_file(InputFile(data), mime_type)

    assert document.text
    assert "read as what it is" in document.failures[0]


@pytest.mark.parametrize(
    ("data", "mime_type"),
    [
        (b"<html><body>A report</body></html>", "application/msword"),
        (b"Name\tAge\nAnn\t3\n", "application/vnd.ms-excel"),
        (b"<html><body>A report</body></html>", "text/plain"),
    ],
)
def test_a_usual_disguise_is_read_without_remark(data: bytes, mime_type: str) -> None:
    assert read_file(InputFile(data), mime_type).failures == ()


# ── archives ─────────────────────────────────────────────────────────────────


def test_an_ordinary_archive_passes(archive: Callable[..., Path]) -> None:
    check_archive(InputFile(archive(a=b"text " * 1000, b=b"")))


def test_a_member_that_unpacks_to_far_more_than_its_size_is_a_bomb(
    archive: Callable[..., Path],
) -> None:
    path = archive(bomb=bytes(archives.RATIO_FREE * 2))

    with pytest.raises(ExtractionError) as refusal:
        check_archive(InputFile(path))

    assert refusal.value.reason is Reason.RESOURCE_LIMIT


def test_a_bomb_that_lies_about_its_size_is_found_by_what_comes_out(tmp_path: Path) -> None:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = packer.compress(bytes(archives.RATIO_FREE * 2)) + packer.flush()
    sizes = struct.pack("<IIIHH", 0, len(packed), 10, 1, 0)
    local = b"PK\x03\x04" + struct.pack("<HHHHH", 20, 0, 8, 0, 0) + sizes + b"x" + packed
    central = b"PK\x01\x02" + struct.pack("<HHHHHH", 20, 20, 0, 8, 0, 0) + sizes
    central += struct.pack("<HHHII", 0, 0, 0, 0, 0) + b"x"
    end = b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, 1, 1, len(central), len(local), 0)
    path = tmp_path / "liar.zip"
    path.write_bytes(local + central + end)

    with pytest.raises(ExtractionError) as refusal:
        check_archive(InputFile(path))

    assert refusal.value.reason is Reason.RESOURCE_LIMIT


def test_too_much_in_all_is_a_bomb(
    archive: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archives, "MAX_TOTAL", 1000)

    with pytest.raises(ExtractionError) as refusal:
        check_archive(InputFile(archive(a=b"x" * 600, b=b"y" * 600)))

    assert refusal.value.reason is Reason.RESOURCE_LIMIT


def test_too_many_members_are_a_bomb(
    archive: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archives, "MAX_MEMBERS", 3)

    with pytest.raises(ExtractionError) as refusal:
        check_archive(InputFile(archive(a=b"", b=b"", c=b"", d=b"")))

    assert refusal.value.reason is Reason.RESOURCE_LIMIT


def test_members_that_share_their_bytes_are_refused(archive: Callable[..., Path]) -> None:
    path = archive(aaaa=b"payload " * 100, bbbb=b"payload " * 100)
    data = bytearray(path.read_bytes())
    second = data.rindex(b"PK\x01\x02")
    data[second + 42 : second + 46] = bytes(4)  # its header is said to be where the first one's is
    path.write_bytes(data)

    with pytest.raises(ExtractionError) as refusal:
        check_archive(InputFile(path))

    assert refusal.value.reason is Reason.CORRUPT


def test_a_damaged_member_is_corrupt(archive: Callable[..., Path]) -> None:
    path = archive(a=bytes(range(256)) * 40)
    data = bytearray(path.read_bytes())
    data[40:80] = b"\xff" * 40
    path.write_bytes(data)

    with pytest.raises(ExtractionError) as refusal:
        check_archive(InputFile(path))

    assert refusal.value.reason is Reason.CORRUPT


def test_a_member_whose_name_is_no_text_makes_the_archive_corrupt() -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("n\u00e4me", "x")
    broken = file.getvalue().replace("n\u00e4me".encode(), b"n\xff\xffme")

    with pytest.raises(ExtractionError) as refusal:
        check_archive(InputFile(broken))

    assert refusal.value.reason is Reason.CORRUPT


@pytest.mark.parametrize(
    ("streams", "found"),
    [
        (("WordDocument", "1Table"), Format.WORD_97),
        (("Workbook",), Format.SHEET_BINARY),
        (("Book",), Format.SHEET_BINARY),
        (("PowerPoint Document",), Format.SLIDES_97),
    ],
)
def test_an_old_office_file_is_told_by_its_streams(streams: tuple[str, ...], found: Format) -> None:
    file = InputFile(compound_file(dict.fromkeys(streams, b"...")))

    assert sniff(file, Format.TEXT) is found


@pytest.mark.parametrize(
    ("streams", "reason"),
    [
        (("EncryptedPackage", "EncryptionInfo"), Reason.ENCRYPTED),
        (("__properties_version1.0",), Reason.UNSUPPORTED_TYPE),
    ],
)
def test_other_compound_files_say_what_they_are(streams: tuple[str, ...], reason: Reason) -> None:
    with pytest.raises(ExtractionError) as refusal:
        sniff(InputFile(compound_file(dict.fromkeys(streams, b"..."))), Format.WORD)

    assert refusal.value.reason is reason


def test_a_member_under_a_password_makes_the_archive_encrypted() -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("word/document.xml", "x")
    data = bytearray(file.getvalue())
    data[data.index(b"PK\x01\x02") + 8] |= 1  # the flag in the directory

    with pytest.raises(ExtractionError) as refusal:
        check_archive(InputFile(bytes(data)))

    assert refusal.value.reason is Reason.ENCRYPTED


def directory_at(offset: int) -> bytes:
    """An archive whose directory sends readers to another place for its one member."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("mimetype", "text")
    whole = file.getvalue()
    at = whole.index(b"PK\x01\x02") + 42
    return whole[:at] + struct.pack("<I", offset) + whole[at + 4 :]


def lacking_bytes() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("mimetype", bytes(200))
    return file.getvalue()[:50] + file.getvalue()[230:]


@pytest.mark.parametrize("content", [lacking_bytes(), directory_at(100_000)])
def test_an_archive_that_points_outside_itself_is_corrupt_on_disk_and_in_memory(
    tmp_path: Path, content: bytes
) -> None:
    path = tmp_path / "file.zip"
    path.write_bytes(content)

    for file in (InputFile(path), InputFile(content)):
        with pytest.raises(ExtractionError) as refused:
            sniff(file, None)
        assert refused.value.reason is Reason.CORRUPT


def test_a_mistake_in_reading_a_member_is_not_taken_for_damage(
    archive: Callable[..., Path],
) -> None:
    def read_wrongly() -> None:
        with open_archive(InputFile(archive(member="1, 2"))) as opened:
            int(opened.read("member"))

    with pytest.raises(ValueError, match="invalid literal"):
        read_wrongly()


def test_whatever_a_reader_raises_is_the_failure_of_what_it_reads() -> None:
    with pytest.raises(ExtractionError) as refused, failing_alone():
        raise KeyError("cell")

    assert refused.value.reason is Reason.INTERNAL
    assert "KeyError: 'cell'" in refused.value.message


@pytest.mark.parametrize(
    "error", [MemoryError(), RecursionError(), ExtractionError(Reason.CORRUPT, "damaged")]
)
def test_what_has_a_meaning_keeps_it(error: Exception) -> None:
    with pytest.raises(type(error)) as raised, failing_alone():
        raise error

    assert raised.value is error
