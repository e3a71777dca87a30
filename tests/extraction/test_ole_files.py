import io
import struct

import olefile
import pytest

from gdrive_rag_mcp.domain import Reason
from gdrive_rag_mcp.errors import ExtractionError
from gdrive_rag_mcp.extraction.input_file import InputFile
from gdrive_rag_mcp.extraction.office_97.compound_file import ole_title, open_ole
from tests.extraction.ole import compound_file

ANSI, WIDE = 0x1E, 0x1F


def properties(kind: int, title: bytes, length: int, page: int) -> bytes:
    """A set of two properties: the code page, and the title of a kind and a length."""
    head = struct.pack("<HHI16xI16xI", 0xFFFE, 0, 0, 1, 48)
    values = struct.pack("<IHH", 2, page, 0) + struct.pack("<II", kind, length) + title
    table = struct.pack("<IIII", 1, 24, 2, 32)
    return head + struct.pack("<II", 24 + len(values), 2) + table + values


def title_in(stream: bytes) -> str:
    data = compound_file({"\x05SummaryInformation": stream, "Workbook": b""})
    with open_ole(InputFile(data)) as ole:
        return ole_title(ole)


@pytest.mark.parametrize(
    ("kind", "title", "length", "page"),
    [
        (ANSI, "Kế hoạch 휴가".encode(), 19, 65001),
        (ANSI, "휴가 계획".encode("cp949"), 9, 949),
        (WIDE, "Kế hoạch".encode("utf-16-le"), 8, 1200),
        (ANSI, b"plain\0", 6, 9999),
    ],
)
def test_the_title_is_read_in_the_code_page_of_the_properties(
    kind: int, title: bytes, length: int, page: int
) -> None:
    said = title.decode("utf-16-le" if kind == WIDE else {949: "cp949"}.get(page, "utf-8"))

    assert title_in(properties(kind, title, length, page)) == said.rstrip("\0")


@pytest.mark.parametrize("length", [0, 10, 47, 60, 80])
def test_damaged_properties_have_no_title(length: int) -> None:
    whole = properties(ANSI, b"Leave plan", 10, 1252)

    assert title_in(whole[:length]) == ""


def test_properties_that_announce_no_end_cost_nothing() -> None:
    many = properties(ANSI, b"x" * 10, 0xFFFFFFFF, 1252)
    counted = many[:52] + b"\xff\xff\xff\xff" + many[56:]

    assert title_in(counted) == ""


def test_what_is_no_compound_file_is_corrupt() -> None:
    with pytest.raises(ExtractionError) as refusal, open_ole(InputFile(b"\xd0\xcf\x11\xe0")):
        pass

    assert refusal.value.reason is Reason.CORRUPT


def test_the_files_that_tests_write_are_what_the_library_reads() -> None:
    streams = {"WordDocument": b"w" * 70_000, "1Table": b"short", "Empty": b""}

    with olefile.OleFileIO(io.BytesIO(compound_file(streams))) as ole:
        read = {path[0]: ole.openstream(path[0]).read() for path in ole.listdir()}

    assert {name: data.rstrip(b"\0") for name, data in read.items()} == streams
