"""The pages on formats name what there is: every reader, every reason, every test."""

import ast
import re
from collections import Counter
from pathlib import Path

from gdrive_rag_mcp.domain import Reason
from gdrive_rag_mcp.extraction import archives, encodings
from gdrive_rag_mcp.extraction.building import MAX_CHARACTERS
from gdrive_rag_mcp.extraction.input_file import MAX_DEPTH
from gdrive_rag_mcp.extraction.isolation.limits import Limits
from gdrive_rag_mcp.extraction.mail import document as mail
from gdrive_rag_mcp.extraction.office_97 import word_form
from gdrive_rag_mcp.extraction.pdf.page import MAX_PAGES
from gdrive_rag_mcp.extraction.rtf import document as rtf
from gdrive_rag_mcp.extraction.sheet.scan import MAX_AREA
from tools.format_causes import CAUSES
from tools.formats_page import TEMPLATE

TESTS = Path(__file__).resolve().parents[1]
DOCS = TESTS.parent / "docs"
FORMATS, FAULTS = DOCS / "formats.md", DOCS / "known-faults.md"
BEHAVIOURS, REPORTS = 12, 38
_BEHAVIOUR = re.compile(r"^\| (\d+) \| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)
_REPORT = re.compile(r"^\| (\d+) \| ([^|]+#[^|]+) \| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)
_TEST = re.compile(r"`(test_\w+\.py)::(test_\w+)`")
_NONE = "does not apply: "


def page(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def defined() -> set[tuple[str, str]]:
    """Every test there is, by the name of its module."""
    return {
        (path.name, node.name)
        for path in TESTS.rglob("test_*.py")
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef)
    }


def test_every_test_that_the_page_on_faults_names_exists() -> None:
    named = set(_TEST.findall(page(FAULTS)))

    assert len(named) > REPORTS / 2
    assert named - defined() == set()


def test_every_behaviour_and_every_report_has_a_test_or_the_reason_why_it_has_none() -> None:
    behaviours, reports = _BEHAVIOUR.findall(page(FAULTS)), _REPORT.findall(page(FAULTS))

    assert Counter(int(row[0]) for row in behaviours) == Counter(range(1, BEHAVIOURS + 1))
    assert Counter(int(row[0]) for row in reports) == Counter(range(1, REPORTS + 1))
    unanswered = [
        (row[0], row[1])
        for row in [*behaviours, *reports]
        if not _TEST.search(row[-1]) and not row[-1].startswith(_NONE)
    ]
    assert unanswered == []


def test_the_page_of_formats_has_the_words_of_its_template_and_a_run() -> None:
    before, _, after = page(TEMPLATE).partition("<!-- conformance -->\n")

    assert page(FORMATS).startswith(before)
    assert page(FORMATS).endswith(after)
    assert re.search(r"^\| \*\*all\*\* \| \d+ \| \d+ \| \d+ of \d+ \|", page(FORMATS), re.MULTILINE)


def test_every_miss_on_the_page_of_formats_has_its_cause() -> None:
    text = page(FORMATS)

    assert "| not known |" not in text
    assert [cause.why for cause in CAUSES.values() if " ".join(cause.why.split()) not in text] == []


def _megabytes() -> str:
    limits = (encodings.MAX_BYTES, mail.MAX_BYTES, rtf.MAX_BYTES, word_form.MAX_BYTES)
    return "; ".join(f"{limit // 1_000_000} MB" for limit in limits)


def test_the_limits_on_the_page_of_formats_are_those_of_the_code() -> None:
    held = Limits()
    for said in (
        f"{held.memory_bytes >> 30} GiB, {held.cpu_seconds} s, {held.wall_seconds:g} s",
        f"{MAX_CHARACTERS:,} characters",
        f"| a text file; a mail; an RTF file; a Word 97 file | {_megabytes()} |",
        f"| pages of a PDF | {MAX_PAGES:,} |",
        f"| cells that a sheet reaches over | {MAX_AREA:,} |",
        f"| {archives.MAX_TOTAL >> 20} MiB, {archives.MAX_MEMBERS:,} members, ",
        f", {archives.MAX_RATIO} times its size above {archives.RATIO_FREE >> 20} MiB |",
        f"| files within files | {MAX_DEPTH} deep |",
    ):
        assert said in page(FORMATS)


def test_every_reason_that_a_reader_gives_is_explained() -> None:
    given = {
        reason
        for path in (TESTS.parent / "src" / "gdrive_rag_mcp" / "extraction").rglob("*.py")
        for reason in re.findall(r"\bReason\.([A-Z_]+)", path.read_text(encoding="utf-8"))
    } - {Reason.INTERNAL.name}

    assert len(given) > 5
    text = page(FORMATS)
    assert [name for name in sorted(given) if f"`{Reason[name].value}`" not in text] == []
