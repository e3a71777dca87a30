"""Pages without text, recognised by tesseract: what comes out, and what is said where nothing does.

The program and its data for English are needed; a script stands in for it where it fails.
"""

import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from gdrive_rag_mcp.domain import Document, Reason
from gdrive_rag_mcp.errors import ExtractionError, SettingsError
from gdrive_rag_mcp.extraction.isolation.sandbox import Sandbox
from gdrive_rag_mcp.extraction.options import Ocr, Options
from gdrive_rag_mcp.extraction.pdf import ocr as pdf_ocr
from gdrive_rag_mcp.extraction.pdf.tesseract import text_of_table
from gdrive_rag_mcp.extraction.pdf.tesseract_setup import find_ocr
from gdrive_rag_mcp.extraction.reading import read_document
from tests.extraction.scans import LETTER, Over, installed, picture, scan

PDF = "application/pdf"
Recognise = Callable[..., Document]


@pytest.fixture
def recognise(tmp_path: Path, sound: Callable[[Document], None]) -> Recognise:
    """Read a PDF with OCR in these languages."""

    def read(content: bytes, *languages: str) -> Document:
        (tmp_path / "file").write_bytes(content)
        options = Options(installed(*(languages or ("eng",))))
        document = read_document(tmp_path / "file", PDF, options)
        sound(document)
        return document

    return read


def refusal_of(read: Callable[[], Document]) -> ExtractionError:
    with pytest.raises(ExtractionError) as refusal:
        read()
    return refusal.value


def script(folder: Path, body: str) -> Path:
    """A program by the name of tesseract."""
    path = folder / "tesseract"
    path.write_text(f"#!/bin/sh\n{body}\n", encoding="ascii")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


# ── what is recognised ───────────────────────────────────────────────────────


def test_a_scan_is_recognised_and_says_so_with_the_confidence(recognise: Recognise) -> None:
    document = recognise(scan([picture(LETTER)]))

    assert all(line.split()[-1] in document.text for line in LETTER)
    assert all(each.locator.ocr is not None for each in document.segments)
    assert all(80 <= (each.locator.ocr or 0) <= 100 for each in document.segments)
    assert {each.locator.value for each in document.segments} == {"1"}
    assert document.failures == ()
    assert document.ocr_matters


def test_pages_that_have_text_are_read_and_not_recognised(recognise: Recognise) -> None:
    document = recognise(scan(["A typed cover, not scanned.", picture(LETTER), "A typed end."]))

    places = [(each.locator.value, each.locator.ocr is None) for each in document.segments]
    assert places[0] == ("1", True)
    assert places[-1] == ("3", True)
    assert set(places[1:-1]) == {("2", False)}
    assert document.failures == ()


@pytest.mark.parametrize("at", [(50, 30), (50, 400)], ids=["in the margin", "in the middle"])
def test_a_stamped_scan_is_recognised_and_its_stamp_is_there_once(
    recognise: Recognise, at: tuple[float, float]
) -> None:
    stamp = "ACME Corporation - Contract 2024-001 - Page"
    pages = [Over(picture(LETTER[:4]), f"{stamp} {n} of 2", at) for n in (1, 2)]

    document = recognise(scan(["A typed cover, not scanned.", *pages]))

    assert document.failures == ()
    assert document.text.count("tenant pays") == document.text.count("Contract") == 2
    assert [f"{stamp} {n} of 2" in document.text for n in (1, 2)] == [True, True]
    stamps = [each for each in document.segments if "ACME" in document.text[each.start : each.end]]
    assert [each.locator.ocr for each in stamps] == [None, None]


def test_a_stamp_on_an_empty_scan_is_not_taken_for_what_was_recognised(
    recognise: Recognise,
) -> None:
    blank = picture([]).point(lambda _: 200)
    stamped = Over(blank, "ACME Corporation - Contract 2024-001 - Page 1 of 1")

    refusal = refusal_of(lambda: recognise(scan([stamped])))

    assert refusal.reason is Reason.NEEDS_OCR
    assert "OCR recognises nothing" in refusal.message


def test_a_slide_with_a_title_over_its_background_is_not_recognised(recognise: Recognise) -> None:
    deck = [Over(picture(LETTER[:4]), title, (50, 400), 30) for title in ("Agenda", "Outlook")]

    document = recognise(scan(deck))

    assert document.text.split() == ["Agenda", "Outlook"]
    assert not document.ocr_matters


def test_a_document_with_text_throughout_has_nothing_to_do_with_ocr(recognise: Recognise) -> None:
    assert not recognise(scan(["A typed cover, not scanned."])).ocr_matters


def test_a_page_on_which_nothing_is_recognised_still_needs_ocr(recognise: Recognise) -> None:
    blank = picture([]).point(lambda _: 200)

    refusal = refusal_of(lambda: recognise(scan([blank])))

    assert refusal.reason is Reason.NEEDS_OCR
    assert "OCR recognises nothing" in refusal.message
    document = recognise(scan(["A typed cover, not scanned.", blank]))
    assert document.failures == ("page 2: no text layer, and OCR recognises nothing",)
    assert document.ocr_matters


def test_what_is_hardly_recognised_is_no_text(
    recognise: Recognise, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pdf_ocr, "LEAST_CONFIDENCE", 99.9)

    assert refusal_of(lambda: recognise(scan([picture(LETTER)]))).reason is Reason.NEEDS_OCR


@pytest.mark.parametrize(
    "turned",
    [180, *(pytest.param(turned, marks=pytest.mark.acceptance) for turned in (90, 270))],
)
def test_a_turned_page_is_set_upright(recognise: Recognise, turned: int) -> None:
    if not installed("eng").upright:
        pytest.skip("tesseract has no data to tell how a page is turned (tesseract-ocr-osd)")

    assert "neighbours" in recognise(scan([picture(LETTER, turned=turned)])).text


@pytest.mark.parametrize(
    "languages",
    [("kor", "eng"), pytest.param(("kor", "vie", "eng"), marks=pytest.mark.acceptance)],
)
def test_the_language_that_a_page_is_in_is_found_among_several(
    recognise: Recognise, languages: tuple[str, ...]
) -> None:
    assert "neighbours" in recognise(scan([picture(LETTER)]), *languages).text


def test_pages_beyond_the_limit_are_named(
    recognise: Recognise, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pdf_ocr, "MAX_OCR_PAGES", 1)

    document = recognise(scan([picture(LETTER), picture(LETTER), picture(LETTER)]))

    assert {each.locator.value for each in document.segments} == {"1"}
    assert document.failures == (
        "pages 2-3: no text layer; OCR ends after 100 pages or 600 seconds",
    )


def test_recognising_ends_when_its_time_is_over(
    recognise: Recognise, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pdf_ocr, "MAX_OCR_SECONDS", -1)

    assert refusal_of(lambda: recognise(scan([picture(LETTER)]))).reason is Reason.NEEDS_OCR


def test_the_same_scan_gives_the_same_document(recognise: Recognise) -> None:
    content = scan([picture(LETTER)])

    assert recognise(content) == recognise(content)


# ── within the sandbox ───────────────────────────────────────────────────────


def test_the_sandbox_lets_tesseract_run(tmp_path: Path, recognise: Recognise) -> None:
    here = recognise(scan([picture(LETTER)]))

    with Sandbox(options=Options(installed("eng"))) as sandbox:
        assert sandbox.extract(tmp_path / "file", PDF) == here


# ── without what it takes ────────────────────────────────────────────────────


def test_without_the_program_it_is_said_how_to_get_it() -> None:
    with pytest.raises(SettingsError) as refusal:
        find_ocr(["kor", "chi_sim"], program="no-such-tesseract")

    assert "no program tesseract" in refusal.value.message
    assert "apt install tesseract-ocr tesseract-ocr-kor tesseract-ocr-chi-sim" in refusal.value.hint


def test_without_a_language_it_is_said_which(tmp_path: Path) -> None:
    listing = "echo 'List of available languages in \"/data/\" (2):'; echo eng; echo osd"
    program = str(script(tmp_path, listing))

    with pytest.raises(SettingsError) as refusal:
        find_ocr(["eng", "vie"], program=program)

    assert "no data for vie in /data/" in refusal.value.message
    assert "apt install tesseract-ocr-vie" in refusal.value.hint
    assert find_ocr(["eng"], program=program) == Ocr(program, "/data/", ("eng",), upright=True)


@pytest.mark.parametrize("body", ["exit 1", "echo nothing of use", "echo '\"/data/\"'; exit 3"])
def test_a_program_that_is_none_is_refused_at_the_start(tmp_path: Path, body: str) -> None:
    with pytest.raises(SettingsError):
        find_ocr(["eng"], program=str(script(tmp_path, body)))


@pytest.mark.parametrize(
    "body",
    ["exit 1", "kill -SEGV $$", "cat > /dev/null", "echo garbage", "exec cat", "exec 0<&-"],
)
def test_a_program_that_fails_leaves_the_page_unread(tmp_path: Path, body: str) -> None:
    (tmp_path / "scan").write_bytes(scan([picture(LETTER)]))
    failing = Ocr(str(script(tmp_path, body)), str(tmp_path), ("eng", "kor"), upright=True)

    refusal = refusal_of(lambda: read_document(tmp_path / "scan", PDF, Options(failing)))

    assert refusal.reason is Reason.NEEDS_OCR


def test_a_program_that_is_gone_leaves_the_page_unread(tmp_path: Path) -> None:
    (tmp_path / "scan").write_bytes(scan([picture(LETTER)]))
    gone = Ocr(str(tmp_path / "gone"), str(tmp_path), ("eng",))

    refusal = refusal_of(lambda: read_document(tmp_path / "scan", PDF, Options(gone)))

    assert refusal.reason is Reason.NEEDS_OCR


def test_syllables_that_stand_close_are_one_word_and_lines_stay_lines() -> None:
    rows = [
        # level page block paragraph line word left top width height confidence text
        ("1", "1", "1", "1", "0", "20", "95", "가"),
        ("1", "1", "1", "2", "22", "20", "95", "방"),
        ("1", "1", "1", "3", "60", "20", "95", "안"),
        ("1", "1", "1", "4", "82", "5", "95", ","),
        ("1", "1", "1", "5", "90", "20", "95", "so"),
        ("1", "1", "2", "1", "0", "20", "90", "in"),
        ("1", "1", "2", "2", "21", "20", "90", "two"),
        ("2", "1", "1", "1", "0", "20", "90", "中"),
        ("2", "1", "1", "2", "60", "20", "90", "文"),
    ]
    table = "\n".join(
        f"5\t1\t{block}\t{par}\t{line}\t{word}\t{left}\t0\t{width}\t20\t{sure}\t{text}"
        for block, par, line, word, left, width, sure, text in rows
    )

    assert text_of_table(table).text == "가방 안, so\nin two\n\n中文"
