import io
from collections.abc import Callable, Sequence

import pytest
from PIL import Image
from pypdf import PdfReader, PdfWriter
from pypdf.annotations import Link, Text
from pypdf.constants import PageLabelStyle
from pypdf.generic import NameObject, NumberObject, StreamObject
from pypdfium2 import PdfDocument, PdfiumError
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from gdrive_rag_mcp.domain import Document, Reason
from gdrive_rag_mcp.errors import ExtractionError
from gdrive_rag_mcp.extraction.input_file import InputFile
from gdrive_rag_mcp.extraction.pdf import page as pdf_page
from gdrive_rag_mcp.extraction.pdf import pdfium as pdf_pdfium
from gdrive_rag_mcp.extraction.pdf import pypdf as pdf_pypdf
from gdrive_rag_mcp.extraction.pdf.paragraphs import page_paragraphs
from tests.extraction.hostile.pdfs import page, stream
from tests.extraction.hostile.pdfs import pdf as hand_made

Read = Callable[[bytes, str], Document]
PDF = "application/pdf"
SCAN = "scan"
BLANK = ""


def a_scan() -> ImageReader:
    return ImageReader(Image.new("L", (8, 8), 200))


def pdf(pages: Sequence[str], title: str = "") -> bytes:
    """A PDF with these texts, line by line; `SCAN` is a picture over the whole page."""
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=(600, 800))
    canvas.setTitle(title)
    for text in pages:
        if text.startswith(SCAN):
            canvas.drawImage(a_scan(), 0, 0, 600, 800)
        lines = text.removeprefix(SCAN).split("\n")
        for number, line in enumerate(lines if any(lines) else []):
            canvas.drawString(50, 750 - 14 * number, line)
        canvas.showPage()
    canvas.save()
    return file.getvalue()


def rewritten(data: bytes, change: Callable[[PdfWriter], object]) -> bytes:
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(data)))
    change(writer)
    file = io.BytesIO()
    writer.write(file)
    return file.getvalue()


def test_text_is_on_the_page_where_it_stands_counted_from_one(read: Read) -> None:
    document = read(pdf(["Leave is paid.", "Notice is thirty days."], "Staff handbook"), PDF)

    pages = {document.text[each.start : each.end]: each.locator for each in document.segments}
    assert pages["Leave is paid."].value == "1"
    assert (pages["Notice is thirty days."].first, pages["Notice is thirty days."].last) == (2, 2)
    assert pages["Notice is thirty days."].label is None
    assert document.title == "Staff handbook"
    assert document.failures == ()


def test_a_printed_page_label_is_kept_beside_the_index(read: Read) -> None:
    def number(writer: PdfWriter) -> None:
        writer.set_page_label(0, 1, PageLabelStyle.LOWERCASE_ROMAN)
        writer.set_page_label(2, 2, PageLabelStyle.DECIMAL, start=1)

    document = read(rewritten(pdf(["preface", "contents", "chapter"]), number), PDF)

    labels = [(each.locator.value, each.locator.label) for each in document.segments]
    assert labels == [("1", "i"), ("2", "ii"), ("3", "1")]


def test_a_scanned_page_among_others_is_named_and_the_rest_is_read(read: Read) -> None:
    document = read(pdf(["A cover in plain text.", SCAN, SCAN, "The end of it.", SCAN]), PDF)

    assert "cover" in document.text
    assert document.failures == (
        "pages 2-3: no text layer, needs OCR",
        "page 5: no text layer, needs OCR",
    )


def test_a_stamp_on_a_scan_does_not_pass_for_its_text(read: Read) -> None:
    document = read(pdf(["A cover in plain text.", SCAN + "p. 2"]), PDF)

    assert document.failures == ("page 2: no text layer, needs OCR",)
    assert "p. 2" in document.text


def test_a_blank_page_is_no_failure(read: Read) -> None:
    assert read(pdf(["text", BLANK, "text"]), PDF).failures == ()


@pytest.mark.parametrize(
    ("pages", "reason"),
    [([SCAN, SCAN], Reason.NEEDS_OCR), ([BLANK, BLANK], Reason.NO_TEXT)],
)
def test_a_pdf_without_text_says_whether_ocr_would_help(
    read: Read, pages: list[str], reason: Reason
) -> None:
    with pytest.raises(ExtractionError) as refusal:
        read(pdf(pages), PDF)

    assert refusal.value.reason is reason


def test_a_pdf_that_wants_a_password_is_encrypted(read: Read) -> None:
    locked = rewritten(pdf(["secret"]), lambda writer: writer.encrypt("open sesame"))

    with pytest.raises(ExtractionError) as refusal:
        read(locked, PDF)

    assert refusal.value.reason is Reason.ENCRYPTED


def test_an_owner_password_alone_locks_nothing(read: Read) -> None:
    def protect(writer: PdfWriter) -> None:
        writer.encrypt(user_password="", owner_password="owner")

    assert "public" in read(rewritten(pdf(["public"]), protect), PDF).text


@pytest.mark.parametrize("data", [b"%PDF-1.7\n", b"%PDF-1.4\n" + bytes(range(256)) * 20])
def test_a_pdf_with_nothing_behind_its_header_is_corrupt(read: Read, data: bytes) -> None:
    with pytest.raises(ExtractionError) as refusal:
        read(data, PDF)

    assert refusal.value.reason is Reason.CORRUPT


def test_a_damaged_page_costs_only_itself(read: Read) -> None:
    def break_second(writer: PdfWriter) -> None:
        writer.pages[1][NameObject("/Type")] = NumberObject(7)
        del writer.pages[1]["/MediaBox"]
        writer.pages[1][NameObject("/Contents")] = NumberObject(7)

    document = read(rewritten(pdf(["first page", "lost page", "third page"]), break_second), PDF)

    assert "first page" in document.text
    assert "third page" in document.text


def test_filled_form_fields_are_read_with_their_names_and_empty_ones_are_not(read: Read) -> None:
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=(600, 800))
    canvas.drawString(50, 750, "An application form, page by page.")
    form = canvas.acroForm
    form.textfield(name="applicant", value="Ada Lovelace", x=50, y=700)
    form.textfield(name="remarks", value="", x=50, y=660)
    form.checkbox(name="insured", checked=True, x=50, y=600)
    form.checkbox(name="pensioner", checked=False, x=50, y=560)
    form.choice(name="town", value="Seoul", options=["Seoul", "Hanoi"], x=50, y=500)
    canvas.save()

    document = read(file.getvalue(), PDF)

    assert document.text.split("\n\n")[1].split("\n") == [
        "applicant: Ada Lovelace",
        "insured: Yes",
        "town: Seoul",
    ]
    assert document.segments[-1].context == "Form fields"
    assert document.segments[-1].locator.value == "1"


def test_a_comment_on_a_page_is_read_and_marked_as_one(read: Read) -> None:
    def remark(writer: PdfWriter) -> None:
        note = Text(rect=(50, 50, 90, 90), text="Ask legal about this clause.")
        writer.add_annotation(page_number=1, annotation=note)
        link = Link(rect=(1, 1, 9, 9), url="https://example.org/")
        writer.add_annotation(page_number=1, annotation=link)

    document = read(rewritten(pdf(["The first page.", "The second page."]), remark), PDF)

    *_, last = document.segments
    assert document.text[last.start : last.end] == "Ask legal about this clause."
    assert (last.locator.value, last.context) == ("2", "Comment")


def test_a_ligature_of_lam_and_alef_is_in_order(read: Read) -> None:
    """Drawn from the left: nun, the ligature, alef, and beside it alef and lam as two glyphs."""
    cmap = (
        b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def "
        b"1 begincodespacerange <00> <FF> endcodespacerange 4 beginbfchar "
        b"<41> <0627> <42> <06440625> <43> <0646> <44> <0644> endbfchar endcmap end end"
    )
    content = b"BT /F 20 Tf 300 700 Td (CBA) Tj 0 -100 Td (CDA) Tj ET"
    font = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode 6 0 R>>"
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        page(4, 5),
        stream(content),
        font,
        stream(cmap),
    ]

    lines = read(hand_made(objects), PDF).text.split()

    assert lines == ["\u0627\u0644\u0625\u0646", "\u0627\u0644\u0646"]


def test_a_page_that_one_engine_loses_is_said_to_be_lost(
    read: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = pdf_pdfium._page

    def page_lost(document: PdfDocument, index: int) -> pdf_page.Page:
        if index == 1:
            raise PdfiumError("lost")
        return whole(document, index)

    monkeypatch.setattr(pdf_pdfium, "_page", page_lost)

    document = read(pdf(["The first page.", "The second page.", "The third page."]), PDF)

    assert [each.locator.value for each in document.segments] == ["1", "3"]
    assert document.failures == ("page 2: damaged, could not be read",)


def test_the_second_engine_loses_a_damaged_page_alone_and_knows_the_labels() -> None:
    def break_second(writer: PdfWriter) -> None:
        writer.set_page_label(0, 2, PageLabelStyle.LOWERCASE_ROMAN)
        broken = StreamObject()
        broken.set_data(b"BI /W 1 /H 1 ID never ends")
        writer.pages[1][NameObject("/Contents")] = broken

    data = rewritten(pdf(["first page", "lost page", "third page"]), break_second)

    with pdf_pypdf.opened(InputFile(data)) as opened:
        pages = list(opened.pages())

    assert [(each.number, each.label) for each in pages] == [(1, "i"), (2, "ii"), (3, "iii")]
    assert [each.text.strip() for each in pages] == ["first page", "", "third page"]
    assert pages[1].problem is not None


def test_what_the_first_engine_refuses_the_second_reads(
    read: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: InputFile) -> None:
        raise ExtractionError(Reason.ENCRYPTED, "The PDF wants a password, it thinks")

    monkeypatch.setattr(pdf_pdfium, "opened", refuse)

    assert read(pdf(["readable all the same"]), PDF).text == "readable all the same"


def test_pages_beyond_the_limit_are_said_to_be_unread(
    read: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pdf_pdfium, "MAX_PAGES", 2)
    monkeypatch.setattr("gdrive_rag_mcp.extraction.pdf.document.MAX_PAGES", 2)

    document = read(pdf(["one", "two", "three", "four"]), PDF)

    assert document.text.split() == ["one", "two"]
    assert document.failures == (f"pages 3-4: {pdf_page.PageProblem.BEYOND_LIMIT.value}",)


def test_a_pdf_under_another_name_is_read_as_what_it_is(read: Read) -> None:
    assert "words" in read(pdf(["words"]), "text/plain").text


def test_lines_stay_as_they_are_and_paragraphs_end_on_short_lines() -> None:
    page = (
        "The first paragraph runs over the width of the page and\r\n"
        "ends here.\r\n"
        "The second one begins and goes on for a whole line of it\r\n"
        "to the end. • not a bullet inside a line, which is long\r\n"
        "• a bullet\r\n"
        "2) a number"
    )

    assert list(page_paragraphs(page)) == [
        "The first paragraph runs over the width of the page and\nends here.",
        (
            "The second one begins and goes on for a whole line of it\n"
            "to the end. • not a bullet inside a line, which is long"
        ),
        "• a bullet",
        "2) a number",
    ]


def test_a_word_broken_at_a_line_end_is_whole_again() -> None:
    assert list(page_paragraphs("the Depart\ufffement of Jus\ufffe\r\ntice")) == [
        "the Department of Justice"
    ]
