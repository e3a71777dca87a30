"""The sample documents written anew, all of them as PDF, as workbooks, or as Word files."""

import io
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from textwrap import wrap
from typing import Any

import docx
import openpyxl

from gdrive_rag_mcp.demo import documents_folder

Block = tuple[str, Any]
_TEXTS = Path(__file__).resolve().parents[2] / "tools" / "demo_texts"
_UNREADABLE = ("Board-Minutes", "Signed-NDA-Scan")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def sample_texts() -> Mapping[str, list[Block]]:
    """What each readable sample says, by its path without the ending, whatever it is written as."""
    texts = {
        path.relative_to(_TEXTS).with_suffix("").with_suffix(""): path
        for path in _TEXTS.rglob("*.txt")
    }
    folder = documents_folder()
    texts |= {
        path.relative_to(folder).with_suffix(""): path
        for path in folder.rglob("*")
        if path.suffix in {".md", ".txt"}
    }
    return {
        name.as_posix(): list(_blocks(path.read_text(encoding="utf-8"), path.name))
        for name, path in sorted(texts.items())
        if name.name not in _UNREADABLE
    }


def _blocks(text: str, name: str) -> Iterator[Block]:
    """Headings, paragraphs and tables, in order."""
    if ".xlsx" in name:
        for sheet in text.strip().split("= ")[1:]:
            title, *lines = sheet.strip().splitlines()
            yield "heading", (1, title)
            yield "table", [line.split("\t") for line in lines]
        return
    for block in re.split(r"\n\s*\n", text.strip()):
        if block.startswith("#"):
            marks, _, heading = block.partition(" ")
            yield "heading", (len(marks), heading)
        elif block.startswith("|"):
            rows = [line.strip("|").split("|") for line in block.splitlines()]
            yield "table", [[cell.strip() for cell in row] for row in rows]
        elif block != "---":
            for part in re.split(r"\n(?=- )", block):
                yield "paragraph", " ".join(part.split())


# ── Word ─────────────────────────────────────────────────────────────────────


def make_docx(blocks: Sequence[Block]) -> bytes:
    """A Word file with real headings and tables."""
    document = docx.Document()
    for kind, held in blocks:
        if kind == "heading":
            document.add_heading(held[1], held[0])
        elif kind == "paragraph":
            document.add_paragraph(held)
        else:
            columns = max(map(len, held))
            table = document.add_table(0, columns, style="Table Grid")
            for row in held:
                cells = table.add_row().cells
                for cell, content in zip(cells, row, strict=False):
                    cell.text = content
    into = io.BytesIO()
    document.save(into)
    return into.getvalue()


# ── workbooks ────────────────────────────────────────────────────────────────


def make_xlsx(blocks: Sequence[Block]) -> bytes:
    """A sheet of sections with their paragraphs, and a sheet for every table."""
    book = openpyxl.Workbook()
    book.remove(book.worksheets[0])
    prose = [["Section", "Text"]]
    heading = ""
    for kind, held in blocks:
        if kind == "heading":
            heading = held[1]
        elif kind == "paragraph":
            prose.append([heading, held])
        else:
            sheet = book.create_sheet(_sheet_name(heading, len(book.worksheets)))
            for row in held:
                sheet.append([_value(cell) for cell in row])
    if len(prose) > 1:
        sheet = book.create_sheet("Text", 0)
        for row in prose:
            sheet.append(row)
    into = io.BytesIO()
    book.save(into)
    return into.getvalue()


def _sheet_name(heading: str, number: int) -> str:
    return re.sub(r"[\\/*?:\[\]]", " ", heading)[:28] or f"Table {number}"


def _value(cell: str) -> str | int | float | None:
    if _NUMBER.fullmatch(cell):
        return float(cell) if "." in cell else int(cell)
    return cell or None


# ── PDF ──────────────────────────────────────────────────────────────────────

_LINES, _WIDTH, _LEADING = 44, 88, 16
_FONT = (
    "<</Type/Font/Subtype/Type0/BaseFont/Made/Encoding/Identity-H/DescendantFonts[4 0 R]"
    "/ToUnicode 5 0 R>>"
)
_GLYPHS = (
    "<</Type/Font/Subtype/CIDFontType2/BaseFont/Made/DW 500/CIDToGIDMap/Identity"
    "/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>>>"
)
_COLUMN = 12  # points a character takes at most, to part the cells of a row


def make_pdf(blocks: Sequence[Block]) -> bytes:
    """Pages of wrapped lines in one font without an end, whose map says what each glyph means."""
    lines = list(_pdf_lines(blocks))
    codes = {sign: code for code, sign in enumerate(sorted({*"".join(x for _, x, _ in lines)}), 1)}
    pages = [lines[start : start + _LINES] for start in range(0, len(lines), _LINES)]
    kids = " ".join(f"{6 + 2 * number} 0 R" for number in range(len(pages)))
    bodies = [
        "<</Type/Catalog/Pages 2 0 R>>",
        f"<</Type/Pages/Kids[{kids}]/Count {len(pages)}>>",
        _FONT,
        _GLYPHS,
        _stream(_character_map(codes)),
    ]
    for number, page in enumerate(pages):
        bodies.append(
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]"
            f"/Contents {7 + 2 * number} 0 R/Resources<</Font<</F 3 0 R>>>>>>"
        )
        bodies.append(_stream("\n".join(_pdf_line(*line, codes) for line in _placed(page))))
    return _pdf_file(bodies)


def _pdf_lines(blocks: Sequence[Block]) -> Iterator[tuple[int, str, int]]:
    """Size, text and distance from the left of every piece of a line; a size of 0 goes on."""
    for number, (kind, held) in enumerate(blocks):
        if number:
            yield 10, " ", 0
        if kind == "heading":
            yield 20 - 2 * held[0], held[1], 0
        elif kind == "paragraph":
            yield from ((10, line, 0) for line in wrap(held, _WIDTH))
        else:
            widths = [max(len(row[column]) for row in held) for column in range(len(held[0]))]
            for row in held:
                for column, cell in enumerate(row):
                    left = sum(width * 6 + _COLUMN for width in widths[:column])
                    yield (10 if column == 0 else 0), cell or " ", left


def _placed(page: Sequence[tuple[int, str, int]]) -> Iterator[tuple[int, str, int, int]]:
    height = 780
    for size, text, left in page:
        height -= _LEADING if size else 0
        yield size or 10, text, 40 + left, height


def _pdf_line(size: int, text: str, left: int, height: int, codes: Mapping[str, int]) -> str:
    shown = "".join(f"{codes[sign]:04X}" for sign in text)
    return f"BT /F {size} Tf {left} {height} Td <{shown}> Tj ET"


def _character_map(codes: Mapping[str, int]) -> str:
    pairs = [f"<{code:04X}> <{sign.encode('utf-16-be').hex()}>" for sign, code in codes.items()]
    parts = [pairs[start : start + 100] for start in range(0, len(pairs), 100)]
    blocks = [f"{len(part)} beginbfchar\n" + "\n".join(part) + "\nendbfchar" for part in parts]
    return (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /M def\n"
        "1 begincodespacerange <0000> <FFFF> endcodespacerange\n"
        + "\n".join(blocks)
        + "\nendcmap end end"
    )


def _stream(content: str) -> str:
    return f"<</Length {len(content)}>>stream\n{content}\nendstream"


def _pdf_file(bodies: Sequence[str]) -> bytes:
    written, places = b"%PDF-1.7\n", []
    for number, body in enumerate(bodies, start=1):
        places.append(len(written))
        written += f"{number} 0 obj\n{body}\nendobj\n".encode()
    size, start = len(bodies) + 1, len(written)
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    head = f"xref\n0 {size}\n0000000000 65535 f \n"
    end = f"trailer<</Size {size}/Root 1 0 R>>\nstartxref\n{start}\n%%EOF\n"
    return written + f"{head}{table}{end}".encode()


MAKERS: Mapping[str, Callable[[Sequence[Block]], bytes]] = {
    "pdf": make_pdf,
    "xlsx": make_xlsx,
    "docx": make_docx,
}


def write_samples(folder: Path, ending: str) -> None:
    """Write every readable sample in one format."""
    for name, blocks in sample_texts().items():
        path = folder / f"{name}.{ending}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(MAKERS[ending](blocks))
