"""What readers of other projects were reported for, shown from the bytes of a file to its chunks.

Reports that a test of one reader answers are not repeated here: `docs/known-faults.md` names all.
"""

import io
import unicodedata
import zipfile
from collections.abc import Callable, Sequence
from email.message import EmailMessage
from itertools import pairwise

import docx
import openpyxl
import pytest
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfgen.canvas import Canvas

from gdrive_rag_mcp.chunking.structural import StructuralChunker
from gdrive_rag_mcp.domain import Chunk, Document
from tests.extraction.made_glyphs import glyph_pdf

Read = Callable[[bytes, str], Document]
PDF = "application/pdf"
WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
SHEET = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
MAIL = "message/rfc822"
LATIN, KOREAN = "Helvetica", "HYSMyeongJo-Medium"


def chunks_of(document: Document, size: int = 60, overlap: int = 12) -> tuple[Chunk, ...]:
    chunks = StructuralChunker(size, overlap).chunk(document)
    assert [document.text[each.start : each.end] for each in chunks] == [c.text for c in chunks]
    return chunks


def paged(pages: Sequence[Sequence[str]], font: str = LATIN) -> bytes:
    if font != LATIN:
        pdfmetrics.registerFont(UnicodeCIDFont(font))
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=(600, 800))
    for lines in pages:
        canvas.setFont(font, 10)
        for row, line in enumerate(lines):
            canvas.drawString(40, 770 - 14 * row, line)
        canvas.showPage()
    canvas.save()
    return file.getvalue()


def korean_page(number: int) -> list[str]:
    return [
        f"제{number}쪽의 {line}번째 줄은 대금을 청구서를 받은 날부터 지급한다."
        for line in range(25)
    ]


def latin_page(number: int) -> list[str]:
    return [
        f"On page{number} rule {line} says that notice is given in writing." for line in range(25)
    ]


def sheet_with(cells: str, merges: str = "") -> bytes:
    """A workbook of one sheet from the XML of its rows."""
    book = openpyxl.Workbook()
    file = io.BytesIO()
    book.save(file)
    made = io.BytesIO()
    with zipfile.ZipFile(file) as old, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            content = old.read(name)
            if name == "xl/worksheets/sheet1.xml":
                main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
                content = (
                    f'<worksheet xmlns="{main}"><sheetData>{cells}</sheetData>{merges}</worksheet>'
                ).encode()
            new.writestr(name, content)
    return made.getvalue()


def cell(place: str, text: str) -> str:
    return f'<c r="{place}" t="inlineStr"><is><t>{text}</t></is></c>'


def rows_of(document: Document) -> dict[str, str]:
    return {s.locator.value: document.text[s.start : s.end] for s in document.segments}


def test_vietnamese_letters_stored_in_parts_become_whole_syllables(read: Read) -> None:
    said = "ĐIỀU KHOẢN CHUYỂN TIẾP"

    document = read(glyph_pdf([[unicodedata.normalize("NFD", letter) for letter in said]]), PDF)

    assert document.text == said


@pytest.mark.parametrize("said", ["שלום עולם", "مرحبا بالعالم"])
def test_text_from_right_to_left_comes_in_the_order_it_is_read(read: Read, said: str) -> None:
    assert read(glyph_pdf([said[::-1]]), PDF).text == said


@pytest.mark.parametrize(
    ("font", "page", "mark"),
    [(LATIN, latin_page, "page{} "), (KOREAN, korean_page, "제{}쪽")],
)
def test_every_chunk_cites_the_pages_that_its_own_words_stand_on(
    read: Read, font: str, page: Callable[[int], list[str]], mark: str
) -> None:
    document = read(paged([page(number) for number in range(1, 9)], font), PDF)

    chunks = chunks_of(document)
    assert len(chunks) > 3 * 8
    for chunk in chunks:
        pages = [number for number in range(1, 9) if mark.format(number) in chunk.text]
        assert (chunk.locator.first, chunk.locator.last) == (min(pages), max(pages))


def test_paragraphs_that_repeat_are_each_found_where_they_stand(read: Read) -> None:
    said = "The parties confirm the terms above. Nothing else was agreed upon by them."
    text = "\n\n".join([said] * 60)

    chunks = chunks_of(read(text.encode(), "text/plain"))

    assert all(one.start < other.start for one, other in pairwise(chunks))
    assert [chunk.locator.first for chunk in chunks] == [
        text.count("\n", 0, chunk.start) + 1 for chunk in chunks
    ]


def test_a_chunk_begins_with_the_first_character_that_it_repeats(read: Read) -> None:
    text = " ".join(f"Clause {number} binds both of the parties." for number in range(80))

    chunks = chunks_of(read(text.encode(), "text/plain"), overlap=25)

    repeated = [one.end - other.start for one, other in pairwise(chunks)]
    assert max(repeated) > 20
    for one, other in pairwise(chunks):
        assert text[other.start : one.end] == other.text[: one.end - other.start]


def test_the_text_of_every_cell_of_a_word_table_reaches_a_chunk(read: Read) -> None:
    letter = docx.Document()
    table = letter.add_table(rows=40, cols=3)
    words = [f"cell{row}x{column}" for row in range(40) for column in range(3)]
    for place, word in enumerate(words):
        table.cell(place // 3, place % 3).text = word
    file = io.BytesIO()
    letter.save(file)

    chunks = chunks_of(read(file.getvalue(), WORD))

    told = {word for chunk in chunks for word in chunk.embedded_text.split()}
    assert set(words) - told == set()


def test_cells_of_a_word_table_do_not_run_together(read: Read) -> None:
    letter = docx.Document()
    table = letter.add_table(rows=2, cols=2)
    for place, text in enumerate(("A1", "B1", "A2", "B2")):
        table.cell(place // 2, place % 2).text = text
    file = io.BytesIO()
    letter.save(file)

    document = read(file.getvalue(), WORD)

    rows = [document.text[each.start : each.end] for each in document.segments]
    assert len(rows) == 2
    assert not {"A1B1", "B1A2", "A2B2"} & set(document.text.replace("|", " ").split())


def test_rows_after_a_gap_of_thousands_are_read_with_their_own_numbers(read: Read) -> None:
    book = openpyxl.Workbook()
    book.active["A1"], book.active["B1"] = "first", "row"
    book.active["A15000"], book.active["B15000"] = "after", "the gap"
    file = io.BytesIO()
    book.save(file)

    rows = rows_of(read(file.getvalue(), SHEET))

    assert "after" in rows["Sheet!A15000:B15000"]
    assert len(rows) == 2


def test_hidden_rows_and_columns_are_told_from_visible_ones(read: Read) -> None:
    book = openpyxl.Workbook()
    for row in (("item", "price", "cost"), ("chair", 40, 31), ("table", 90, 72)):
        book.active.append(row)
    book.active.row_dimensions[3].hidden = True
    book.active.column_dimensions["C"].hidden = True
    file = io.BytesIO()
    book.save(file)

    document = read(file.getvalue(), SHEET)

    rows = rows_of(document)
    assert "hidden" in rows["Sheet!A3:C3"]
    assert "hidden" not in rows["Sheet!A2:C2"]
    assert {each.headings for each in document.segments} == {("Sheet (hidden column C)",)}


def test_hundreds_of_thousands_of_blank_rows_cost_no_row_and_no_text(read: Read) -> None:
    filled = f'<row r="1">{cell("A1", "filled")}{cell("B1", "row")}</row>'
    blank = "".join(f'<row r="{number}"/>' for number in range(2, 300_000))

    assert rows_of(read(sheet_with(filled + blank), SHEET)) == {"Sheet!A1:B1": "filled | row"}


def test_tens_of_thousands_of_merged_cells_lose_no_row(read: Read) -> None:
    count = 42_000
    rows = "".join(f'<row r="{n}">{cell(f"A{n}", f"n{n}")}</row>' for n in range(1, count + 1))
    merged = "".join(f'<mergeCell ref="A{n}:B{n}"/>' for n in range(1, count + 1))
    data = sheet_with(rows, f'<mergeCells count="{count}">{merged}</mergeCells>')

    document = read(data, SHEET)

    assert len(document.segments) == count
    assert [each.locator.first for each in document.segments] == list(range(1, count + 1))


def test_a_japanese_table_that_begins_with_a_screen_of_ascii_is_read_in_its_own_encoding(
    read: Read,
) -> None:
    plain = [f"{number},Item {number},open" for number in range(400)]
    table = "\r\n".join(["no,name,state", *plain, "401,見積書の控え,承認済み"])
    assert len("\r\n".join(plain)) > 4096

    document = read(table.encode("cp932"), "text/csv")

    assert "見積書の控え" in document.text
    assert document.failures == ()


def test_the_same_bytes_give_the_same_chunks_whatever_the_file_is_called(read: Read) -> None:
    data = paged([latin_page(1), latin_page(2)])

    one, other = (chunks_of(read(data, kind)) for kind in (PDF, "application/octet-stream"))

    assert one == other
    assert [each.hash for each in one] == [each.hash for each in other]


def test_a_mail_has_its_subject_its_text_once_and_says_what_is_attached(read: Read) -> None:
    mail = EmailMessage()
    mail["From"], mail["To"] = "kim@example.org", "lee@example.org"
    mail["Subject"] = "회의록과 일정"
    mail.set_content("The minutes are attached.\n")
    mail.add_alternative("<p>The <b>minutes</b> are attached.</p>", subtype="html")
    mail.add_attachment("Notice is thirty days.\n", filename="minutes.txt")
    mail.add_attachment(b"\x89PNG", maintype="image", subtype="png", filename="map.png")

    document = read(mail.as_bytes(), MAIL)

    assert document.title == "회의록과 일정"
    assert document.text.count("minutes are attached") == 1
    [attached] = [
        each.locator.value
        for each in document.segments
        if "thirty days" in document.text[each.start : each.end]
    ]
    assert "minutes.txt" in attached
    assert "map.png" in document.text + " ".join(document.failures)


@pytest.mark.parametrize("declared", ["us-ascii", "utf-8", "no-such-charset"])
def test_a_mail_that_declares_a_wrong_encoding_is_still_read(read: Read, declared: str) -> None:
    said = "대금은 청구서를 받은 날부터 삼십일 안에 지급한다. 계약은 서면으로 통지한 달에 끝난다."
    head = f"Subject: x\r\nContent-Type: text/plain; charset={declared}\r\n"
    mail = f"{head}Content-Transfer-Encoding: 8bit\r\n\r\n".encode() + said.encode("cp949")

    assert said in read(mail, MAIL).text


UNCLEAN = (
    "cafe\u0301 \u1100\u1161\u11a8 plain",
    "zero\x00byte and over\u202eride and \U000e0041tag",
    "lone \ufeffmark and \u2028line",
)


@pytest.mark.parametrize("text", UNCLEAN)
@pytest.mark.parametrize("kind", ["text/plain", "text/markdown", "text/csv", "text/html"])
def test_no_format_lets_unclean_text_through(read: Read, text: str, kind: str) -> None:
    document = read(f"name,{text}\n\nvalue,{text}\n".encode(), kind)

    assert unicodedata.is_normalized("NFC", document.text)
    assert not set(document.text) & set("\x00\u202e\U000e0041\ufeff\u2028")
