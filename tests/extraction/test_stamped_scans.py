"""Pictures with a few words on them: what is a stamped scan, and what has its text."""

import io
from collections.abc import Callable, Sequence

import pytest
from PIL import Image
from pypdf import PdfReader, PdfWriter
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from gdrive_rag_mcp.domain import Document, Reason
from gdrive_rag_mcp.errors import ExtractionError
from tests.extraction.scans import LETTER, Over, scan

Read = Callable[[bytes, str], Document]
PDF = "application/pdf"
STAMP = "ACME Corporation - Contract 2024-001 - Confidential - Page {} of 12"
GREY = Image.new("L", (60, 80), 200)
SLIDE = (960, 540)


@pytest.mark.parametrize(
    "stamped",
    [
        [Over(GREY, STAMP.format(number)) for number in (8, 9, 10)],
        [Over(GREY, STAMP.format(number), strips=5) for number in (8, 9, 10)],
        [Over(GREY, f"CONFIDENTIAL COPY No. {n} of the file", (200, 300), 30, 45) for n in (9, 10)],
        [Over(GREY, "DocuSign Envelope ID: 8F3C9A1B-1234-4B56-9ABC-0123456789AB", (50, 780))],
        [Over(GREY, "arXiv:2411.00001v1 [cs.CL] 1 Nov 2024", (30, 250), 12, 90)],
        [GREY, Over(GREY, STAMP.format(2)), GREY],
    ],
    ids=["counted", "in strips", "across the page", "one page", "along the edge", "on some pages"],
)
def test_a_scan_with_nothing_but_a_stamp_has_no_text_and_stays_searchable_beside_some(
    read: Read, stamped: list[Image.Image | Over]
) -> None:
    with pytest.raises(ExtractionError) as refusal:
        read(scan(stamped), PDF)

    assert refusal.value.reason is Reason.NEEDS_OCR
    assert "but a stamp" in refusal.value.message
    document = read(scan(["A cover in plain text.", *stamped]), PDF)
    last = f"pages 2-{len(stamped) + 1}" if len(stamped) > 1 else "page 2"
    assert document.failures == (f"{last}: no text layer, needs OCR",)
    assert all(each.words in document.text for each in stamped if isinstance(each, Over))


@pytest.mark.parametrize("turned", [90, 180, 270])
def test_the_margins_of_a_turned_page_are_its_own(read: Read, turned: int) -> None:
    # half an inch above the lower edge that is seen, and far above the one that is not
    stamped = scan([Over(GREY, STAMP.format(1), at=(50, 130))])
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(stamped)))
    writer.pages[0].rotate(turned)
    writer.pages[0].cropbox.lower_left = (0, 100)
    file = io.BytesIO()
    writer.write(file)

    assert read(stamped, PDF).failures == ()
    with pytest.raises(ExtractionError):
        read(file.getvalue(), PDF)


@pytest.mark.parametrize("at", [(60, 300), (60, 505)], ids=["in the middle", "at the top"])
def test_a_title_over_the_background_of_a_slide_is_text(
    read: Read, at: tuple[float, float]
) -> None:
    titles = ["Agenda", "Market overview", "Why customers stay with us", "Part 1", "Part 2", "End"]
    deck = [Over(GREY, title, at, 28) for title in titles]

    document = read(scan(deck, SLIDE), PDF)

    assert document.failures == ()
    assert document.text.split("\n\n") == titles


def test_a_footer_does_not_make_a_stamp_of_the_title_above_it(read: Read) -> None:
    footed = "\n".join(["Results", *[""] * 15, "ACME Corporation, for internal use, page 7"])
    deck = [Over(GREY, footed, (60, 300), 15), Over(GREY, f"Next: {footed}", (60, 300), 15)]

    assert read(scan(deck, SLIDE), PDF).failures == ()


def test_a_title_alone_over_a_picture_is_text_and_a_few_letters_are_in_doubt(read: Read) -> None:
    assert read(scan([Over(GREY, "The harbour of Busan at dawn", (90, 400))]), PDF).failures == ()
    doubtful = read(scan([Over(GREY, "COPY", (90, 400))]), PDF)
    assert doubtful.failures == ("page 1: no text layer, needs OCR",)
    assert doubtful.text == "COPY"


@pytest.mark.parametrize("lines", [LETTER, LETTER[:1]], ids=["a page", "a line in the margin"])
def test_a_scan_with_the_text_of_an_ocr_program_is_read(read: Read, lines: Sequence[str]) -> None:
    at = (50, 760)
    document = read(scan([Over(GREY, "\n".join(lines), at, invisible=True)]), PDF)

    assert document.failures == ()
    assert document.text.split() == " ".join(lines).split()


@pytest.mark.parametrize(
    ("beside", "failures"),
    [("Annual report of the society, page 8", ()), ("8", ("page 2: no text layer, needs OCR",))],
)
def test_a_large_figure_with_a_running_head_is_no_scan_and_with_a_number_alone_is_one(
    read: Read, beside: str, failures: tuple[str, ...]
) -> None:
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=(600, 800))
    canvas.drawString(50, 400, "A page of plain text.")
    canvas.showPage()
    canvas.drawString(50, 780, beside)
    canvas.drawImage(ImageReader(GREY), 100, 100, 400, 660)
    canvas.save()

    assert read(file.getvalue(), PDF).failures == failures
