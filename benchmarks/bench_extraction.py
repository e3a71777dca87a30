"""Reading against the usual libraries, in one run: PDF against pypdf, XLSX against openpyxl.

    python -m benchmarks.bench_extraction [--files FOLDER] [--pages 240] [--rows 100000] [--check]

PDF: ours is all of the way to a document, with paragraphs, clean text, offsets and locators; theirs
is the bare text of every page. XLSX: the bare values of all cells, as the engine that is used here
gives them, and ours, which is all of the way to a document with a place for every row; theirs is
the bare values in read-only mode. CPU medians of runs in turns. `--check` fails when PDFs are read
less than 5 times as fast as by pypdf, a workbook's values less than 8 times as fast as by openpyxl,
or the whole document less than twice as fast as openpyxl reads the values alone.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from statistics import median

import openpyxl
import pypdf
import python_calamine
from pypdf.errors import PyPdfError

from benchmarks.made_files import make_pdf, make_workbook
from gdrive_rag_mcp.errors import ExtractionError
from gdrive_rag_mcp.extraction.reading import read_document
from gdrive_rag_mcp.sources.media_types import media_type_of

PDF_GOAL = 5.0
VALUES_GOAL = 8.0
DOCUMENT_GOAL = 2.0
ROUNDS = 3


def read(paths: Sequence[Path]) -> None:
    for path in paths:
        read_document(path, media_type_of(path.name))


def pages_of_pypdf(paths: Sequence[Path]) -> None:
    for path in paths:
        for page in pypdf.PdfReader(path).pages:
            page.extract_text()


def rows_of_openpyxl(path: Path) -> None:
    book = openpyxl.load_workbook(path, read_only=True)
    for sheet in book:
        for _ in sheet.iter_rows(values_only=True):
            pass
    book.close()


def rows_of_calamine(path: Path) -> None:
    book = python_calamine.CalamineWorkbook.from_path(path)
    for name in book.sheet_names:
        for _ in book.get_sheet_by_name(name).iter_rows():
            pass


def cpu_medians(calls: Sequence[Callable[[], None]], rounds: int = ROUNDS) -> list[float]:
    """Median CPU seconds of each call; they take turns."""
    spent: list[list[float]] = [[] for _ in calls]
    for _ in range(rounds):
        for call, own in zip(calls, spent, strict=True):
            started = time.process_time()
            call()
            own.append(time.process_time() - started)
    return [median(own) for own in spent]


def pdf_speed(title: str, paths: Sequence[Path]) -> float:
    """How many times as fast as pypdf ours is; prints a line."""
    count = sum(len(pypdf.PdfReader(path).pages) for path in paths)
    ours, theirs = cpu_medians([partial(read, paths), partial(pages_of_pypdf, paths)])
    print(f"{title}: {count} pages in {len(paths)} files")
    print(f"  pypdf        {count / theirs:8.0f} pages a CPU second")
    print(
        f"  ours         {count / ours:8.0f} pages a CPU second,"
        f" {theirs / ours:.1f} times as many (goal: {PDF_GOAL:g})"
    )
    return theirs / ours


def sheet_speed(path: Path, rows: int) -> tuple[float, float]:
    """How many times as fast as openpyxl values and documents are read; prints the lines."""
    theirs, values, ours = cpu_medians(
        [partial(rows_of_openpyxl, path), partial(rows_of_calamine, path), partial(read, [path])]
    )
    print(f"XLSX: {rows:,} rows of 5 columns, CPU seconds")
    print(f"  openpyxl     {theirs:8.2f} values, read-only")
    print(
        f"  calamine     {values:8.2f} values,"
        f" {theirs / values:.1f} times as fast (goal: {VALUES_GOAL:g})"
    )
    print(
        f"  ours         {ours:8.2f} document,"
        f" {theirs / ours:.1f} times as fast as openpyxl's values (goal: {DOCUMENT_GOAL:g})"
    )
    return theirs / values, theirs / ours


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=Path, help="a folder of PDF files to measure as well")
    parser.add_argument("--pages", type=int, default=240)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        made = [Path(folder) / f"{number}.pdf" for number in range(2)]
        for number, path in enumerate(made):
            make_pdf(path, arguments.pages // len(made), seed=number)
        reached = [pdf_speed("made PDF", made) >= PDF_GOAL]
        if arguments.files:
            reached.append(pdf_speed("PDF", readable(arguments.files)) >= PDF_GOAL)
        workbook = Path(folder) / "orders.xlsx"
        make_workbook(workbook, arguments.rows)
        values, document = sheet_speed(workbook, arguments.rows)
        reached += [values >= VALUES_GOAL, document >= DOCUMENT_GOAL]
    return int(arguments.check and not all(reached))


def readable(folder: Path) -> list[Path]:
    """The PDF files that both sides read to their end."""
    return [path for path in sorted(folder.glob("*.pdf")) if _both_read(path)]


def _both_read(path: Path) -> bool:
    try:
        read([path])
        pages_of_pypdf([path])
    except (ExtractionError, PyPdfError, ValueError, TypeError, KeyError, RecursionError):
        return False
    return True


if __name__ == "__main__":
    sys.exit(main())
