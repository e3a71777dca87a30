"""Writes the demo's PDF, Word and Excel files from the texts beside this script.

The same texts give the same bytes: dates and identifiers are fixed, so that a change of a document
shows in a review. Run it after editing a text: `python tools/make_demo_documents.py`.

A text is a small Markdown: `#` headings, `|` rows, `---` for a new page, blank lines between
paragraphs. For a workbook it is tab-separated, with `= Name` before each sheet.
"""

import io
import re
import sys
import zipfile
from collections.abc import Callable, Iterator
from datetime import date, datetime
from itertools import groupby
from pathlib import Path
from typing import Any

TEXTS = Path(__file__).resolve().parent / "demo_texts"
DOCUMENTS = Path(__file__).resolve().parents[1] / "src/gdrive_rag_mcp/demo/documents"
PASSWORD = "northern-light"  # noqa: S105 - a demo of a file that nobody can open needs one
WITH_COVER = ("Mietvertrag-Werkstatt.pdf", "Aurora-S2-Manual.pdf")
ENCRYPTED = "Board-Minutes.pdf"
SCANNED = "Signed-NDA-Scan.pdf"

_MADE = datetime(2024, 10, 1, 12, 0, 0)  # noqa: DTZ001 - Office files know no time zones
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def blocks(text: str) -> Iterator[tuple[str, Any]]:
    """The headings, rows, paragraphs and page breaks of a text, in order, with what they hold."""
    for block in text.strip().split("\n\n"):
        if block == "---":
            yield "page", None
        elif block.startswith("#"):
            marks, _, heading = block.partition(" ")
            yield "heading", (len(marks), heading)
        elif block.startswith("|"):
            yield "table", [_cells(line) for line in block.splitlines()]
        else:
            yield "paragraph", " ".join(block.splitlines())


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


# ── PDF ──────────────────────────────────────────────────────────────────────


def make_pdf(text: str, name: str) -> bytes:
    """A PDF with a text layer; one with a cover numbers its pages i, 1, 2."""
    from reportlab.lib.pagesizes import A4
    from reportlab.lib.pdfencrypt import StandardEncryption
    from reportlab.platypus import SimpleDocTemplate

    def label_pages(canvas: Any, _: object) -> None:  # noqa: ANN401 - reportlab is untyped
        if name in WITH_COVER:
            canvas.addPageLabel(0, "ROMAN_LOWER", 1)
            canvas.addPageLabel(1, "ARABIC", 1)

    encryption = StandardEncryption(PASSWORD, strength=128) if name == ENCRYPTED else None
    title = next(held[1] for kind, held in blocks(text) if kind == "heading")
    into = io.BytesIO()
    template = SimpleDocTemplate(
        into,
        pagesize=A4,
        title=title,
        author="Nordlicht Instruments",
        encrypt=encryption,
        invariant=1,
    )
    template.build(_story(text), onFirstPage=label_pages)
    return into.getvalue()


def _story(text: str) -> list[Any]:
    from reportlab.lib.styles import getSampleStyleSheet
    from reportlab.platypus import PageBreak, Paragraph, Table

    styles = getSampleStyleSheet()
    story: list[Any] = []
    for kind, held in blocks(text):
        if kind == "page":
            story.append(PageBreak())
        elif kind == "heading":
            story.append(Paragraph(held[1], styles[f"Heading{held[0]}"]))
        elif kind == "table":
            story.append(Table(held, hAlign="LEFT"))
        else:
            story.append(Paragraph(held, styles["BodyText"]))
    return story


def make_scan(text: str) -> bytes:
    """A PDF of one picture, as a scanner makes it: letters to a reader, none to a program."""
    from PIL import Image, ImageDraw, ImageFont
    from reportlab.lib.pagesizes import A4
    from reportlab.lib.utils import ImageReader
    from reportlab.pdfgen.canvas import Canvas

    picture = Image.new("1", (620, 877), 1)
    draw = ImageDraw.Draw(picture)
    for number, line in enumerate(text.strip().splitlines()):
        draw.text((70, 90 + 24 * number), line, fill=0, font=ImageFont.load_default())
    into = io.BytesIO()
    canvas = Canvas(into, pagesize=A4, invariant=1)
    canvas.drawImage(ImageReader(picture), 0, 0, *A4)
    canvas.save()
    return into.getvalue()


# ── Office ───────────────────────────────────────────────────────────────────


def make_docx(text: str) -> bytes:
    """A Word file with real headings and tables."""
    import docx

    document = docx.Document()
    core = document.core_properties
    core.title, core.author = text.partition("\n")[0].lstrip("# "), "Nordlicht Instruments"
    core.created = core.modified = _MADE
    for kind, held in blocks(text):
        if kind == "heading":
            document.add_heading(held[1], held[0])
        elif kind == "table":
            table = document.add_table(0, len(held[0]), style="Table Grid")
            for row in held:
                for cell, content in zip(table.add_row().cells, row, strict=True):
                    cell.text = content
        else:
            document.add_paragraph(held)
    into = io.BytesIO()
    document.save(into)
    return _without_times(into.getvalue())


def make_xlsx(text: str) -> bytes:
    """A workbook of one or more sheets, with real numbers and dates."""
    import openpyxl

    book = openpyxl.Workbook()
    book.remove(book.worksheets[0])
    for title, lines in _sheets(text):
        sheet = book.create_sheet(title)
        for line in lines:
            sheet.append([_value(cell) for cell in line.split("\t")])
    book.properties.creator = "Nordlicht Instruments"
    book.properties.created = _MADE
    into = io.BytesIO()
    book.save(into)
    return _without_times(into.getvalue())


def _sheets(text: str) -> Iterator[tuple[str, list[str]]]:
    title = ""
    for is_title, lines in groupby(text.strip().splitlines(), lambda line: line.startswith("= ")):
        if is_title:
            title = next(lines).removeprefix("= ")
        else:
            yield title, list(lines)


def _value(cell: str) -> str | int | float | date | None:
    if _DATE.fullmatch(cell):
        return date.fromisoformat(cell)
    if _NUMBER.fullmatch(cell):
        return float(cell) if "." in cell else int(cell)
    return cell or None


def _without_times(archive: bytes) -> bytes:
    """The same archive with fixed times, which its writer takes from the clock."""
    into = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(archive)) as old,
        zipfile.ZipFile(into, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for member in sorted(old.namelist()):
            content = old.read(member)
            if member == "docProps/core.xml":
                stamp = f">{_MADE.isoformat()}Z<".encode()
                content = re.sub(rb">\d{4}-\d\d-\d\dT[\d:]+Z<", stamp, content)
            new.writestr(zipfile.ZipInfo(member), content, zipfile.ZIP_DEFLATED)
    return into.getvalue()


# ── all of them ──────────────────────────────────────────────────────────────

MAKERS: dict[str, Callable[[str], bytes]] = {
    ".docx": make_docx,
    ".xlsx": make_xlsx,
}


def make_all() -> dict[str, bytes]:
    """The bytes of every generated document, by its path among the documents."""
    made = {}
    for source in sorted(TEXTS.rglob("*.txt")):
        path = source.relative_to(TEXTS).with_suffix("")
        made[path.as_posix()] = _make(source.read_text(encoding="utf-8"), path)
    return made


def _make(text: str, path: Path) -> bytes:
    if path.name == SCANNED:
        return make_scan(text)
    if path.suffix == ".pdf":
        return make_pdf(text, path.name)
    return MAKERS[path.suffix](text)


def main(into: Path = DOCUMENTS) -> None:
    """Write them all, and say what was written."""
    for name, content in make_all().items():
        target = into / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        print(f"{len(content):8,}  {name}")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
