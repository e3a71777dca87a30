"""The sample documents are what the demonstration says they are."""

import importlib.util
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from zipfile import ZipFile

import docx
import openpyxl
import pypdf
import pytest

from gdrive_rag_mcp.demo import QUESTIONS, DemoQuestion, documents_folder
from gdrive_rag_mcp.terms import detected_language

FOLDER = documents_folder()
NAMES = sorted(path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("*") if path.is_file())
SCAN, ENCRYPTED = "Legal/Signed-NDA-Scan.pdf", "Legal/Board-Minutes.pdf"
READABLE = [name for name in NAMES if name not in {SCAN, ENCRYPTED}]
MOST_BYTES = 600_000


def _text(path: Path) -> str:
    """All text of a document, by libraries that extraction does not use where there are any."""
    if path.suffix == ".pdf":
        return "\n".join(page.extract_text() for page in pypdf.PdfReader(path).pages)
    if path.suffix == ".docx":
        document = docx.Document(str(path))
        cells = [c.text for t in document.tables for row in t.rows for c in row.cells]
        return "\n".join([*(paragraph.text for paragraph in document.paragraphs), *cells])
    if path.suffix == ".xlsx":
        rows = [
            row
            for sheet in openpyxl.load_workbook(path)
            for row in sheet.iter_rows(values_only=True)
        ]
        return "\n".join(" ".join(str(cell) for cell in row if cell is not None) for row in rows)
    return path.read_text(encoding="utf-8")


def _flat(text: str) -> str:
    return re.sub(r"\s+", " ", text)


@pytest.fixture(scope="module")
def texts() -> Mapping[str, str]:
    return {name: _flat(_text(FOLDER / name)) for name in READABLE}


@pytest.fixture(scope="module")
def generator(repository: Path) -> ModuleType:
    file = repository / "tools" / "make_demo_documents.py"
    spec = importlib.util.spec_from_file_location("make_demo_documents", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# ── what there is ────────────────────────────────────────────────────────────


def test_there_are_eighteen_small_documents_in_five_formats() -> None:
    formats = Counter(Path(name).suffix for name in NAMES)

    assert formats == {".md": 5, ".txt": 2, ".pdf": 5, ".docx": 3, ".xlsx": 3}
    assert sum((FOLDER / name).stat().st_size for name in NAMES) < MOST_BYTES


def test_there_are_four_languages(texts: Mapping[str, str]) -> None:
    found = Counter(detected_language(text) for text in texts.values())

    assert {"en", "de", "ko", "vi"} <= found.keys()
    assert min(found[language] for language in ("de", "ko", "vi")) >= 2


def test_every_readable_document_has_enough_words_to_be_told_apart(
    texts: Mapping[str, str],
) -> None:
    assert all(80 <= len(text.split()) <= 400 for text in texts.values())


def test_sheets_have_rows_and_a_header(texts: Mapping[str, str]) -> None:
    for name in READABLE:
        if name.endswith(".xlsx"):
            first = openpyxl.load_workbook(FOLDER / name).worksheets[0]
            assert 10 <= first.max_row - 1 <= 30
            assert all(isinstance(cell.value, str) for cell in first[1])


def test_a_cover_page_parts_printed_page_numbers_from_the_index() -> None:
    for name in ("Legal/Mietvertrag-Werkstatt.pdf", "Product/Aurora-S2-Manual.pdf"):
        assert pypdf.PdfReader(FOLDER / name).page_labels == ["i", "1", "2"]


def test_word_files_have_headings_and_a_table() -> None:
    for name in NAMES:
        if name.endswith(".docx"):
            document = docx.Document(str(FOLDER / name))
            styles = {paragraph.style.name for paragraph in document.paragraphs if paragraph.style}
            assert {"Heading 1", "Heading 2"} <= styles
            assert document.tables


def test_the_scan_is_a_picture_without_text() -> None:
    (page,) = pypdf.PdfReader(FOLDER / SCAN).pages

    assert page.extract_text().strip() == ""
    assert len(page.images) == 1


def test_the_encrypted_document_opens_with_its_password_only(generator: ModuleType) -> None:
    reader = pypdf.PdfReader(FOLDER / ENCRYPTED)

    assert reader.is_encrypted
    assert not reader.decrypt("")
    assert reader.decrypt(generator.PASSWORD)
    assert "Minutes of the Board" in reader.pages[0].extract_text()


def test_two_documents_of_different_dates_contradict_each_other(texts: Mapping[str, str]) -> None:
    older = texts["Finance/Travel-Policy-2023.md"]
    newer = texts["Finance/Travel-Expenses-Update.pdf"]

    assert "Valid from 1 March 2023" in older
    assert "daily meal allowance is 45 euros" in older
    assert "Valid from 1 September 2024" in newer
    assert "daily meal allowance is raised to 52 euros" in newer


# ── the questions ────────────────────────────────────────────────────────────

answerable = [question for question in QUESTIONS if question.answerable]
refused = [question for question in QUESTIONS if not question.answerable]


def test_three_questions_have_an_answer_and_two_have_none() -> None:
    assert (len(answerable), len(refused)) == (3, 2)


@pytest.mark.parametrize("question", answerable, ids=lambda question: question.shows)
def test_an_answer_is_in_the_document_it_is_expected_in_and_in_no_other(
    question: DemoQuestion, texts: Mapping[str, str]
) -> None:
    assert [name for name in READABLE if question.quote in texts[name]] == [question.document]


def test_one_question_is_in_another_language_than_its_document(texts: Mapping[str, str]) -> None:
    pairs = [
        (detected_language(question.text), detected_language(texts[question.document or ""]))
        for question in answerable
    ]

    assert ("ja", "en") in pairs
    assert ("de", "de") in pairs


@pytest.mark.parametrize("question", refused, ids=lambda question: question.shows)
def test_what_is_to_be_refused_asks_for_a_word_that_no_document_has(
    question: DemoQuestion, texts: Mapping[str, str]
) -> None:
    assert question.missing_terms
    for term in question.missing_terms:
        assert term in question.text.lower()
        assert not any(term in text.lower() for text in texts.values())


def test_one_question_to_be_refused_names_what_the_documents_describe(
    texts: Mapping[str, str],
) -> None:
    assert "Aurora S2" in refused[1].text
    assert sum("Aurora S2" in text for text in texts.values()) >= 3
    absent = ("warranty", "guarantee", "garantie", "gewährleistung", "bảo hành", "품질 보증")
    assert not any(word in text.lower() for word in absent for text in texts.values())


# ── the generator ────────────────────────────────────────────────────────────


def test_the_same_texts_give_the_same_bytes(generator: ModuleType) -> None:
    assert generator.make_all() == generator.make_all()


def test_the_documents_are_what_the_generator_writes(generator: ModuleType, tmp_path: Path) -> None:
    """By content: another version of a library or of zlib may pack it differently."""
    generator.main(tmp_path)

    made = sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.*"))
    assert made == [name for name in NAMES if Path(name).suffix in {".pdf", ".docx", ".xlsx"}]
    for name in made:
        if name == ENCRYPTED:
            readers = [pypdf.PdfReader(folder / name) for folder in (tmp_path, FOLDER)]
            one, other = (_opened(reader, generator.PASSWORD) for reader in readers)
        else:
            one, other = _text(tmp_path / name), _text(FOLDER / name)
        assert one == other, name


def _opened(reader: pypdf.PdfReader, password: str) -> str:
    assert reader.decrypt(password)
    return "\n".join(page.extract_text() for page in reader.pages)


def test_office_files_carry_no_time_of_their_making() -> None:
    for name in NAMES:
        if name.endswith((".docx", ".xlsx")):
            with ZipFile(FOLDER / name) as archive:
                assert {member.date_time[0] for member in archive.infolist()} == {1980}
                core = archive.read("docProps/core.xml").decode()
                assert set(re.findall(r">(\d{4}-\d\d-\d\d)T", core)) == {"2024-10-01"}
