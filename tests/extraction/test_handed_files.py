"""Over real files that nobody on the project wrote: where each word is, and why a file has none."""

import csv
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pytest

from gdrive_rag_mcp.domain import Document, Locator, Reason
from gdrive_rag_mcp.errors import ExtractionError
from gdrive_rag_mcp.extraction import is_supported
from gdrive_rag_mcp.extraction.reading import read_document
from gdrive_rag_mcp.extraction.sandbox import Sandbox
from tests.extraction.handed_words import bare, parse, split

FILES = Path(os.path.normpath(Path(__file__).resolve().parents[2] / "../shared/data/files"))
INDEX = FILES / "INDEX.tsv"
OFFICE = "application/vnd.openxmlformats-officedocument"
MIME_TYPES: Mapping[str, str] = {
    "pdf": "application/pdf",
    "docx": f"{OFFICE}.wordprocessingml.document",
    "xlsx": f"{OFFICE}.spreadsheetml.sheet",
    "md": "text/markdown",
    "txt": "text/plain",
}
WANTED = 0.97

# Where the outcome is another than the index expects, and why that is right.
BETTER_KNOWN: Mapping[str, str] = {
    "pdf-jpn__pdf.js__noembed-sjis.pdf": "the engine knows the characters without the font",
    "pdf-bad__pdf.js__issue9418.pdf": "damaged, but its page can be read",
    "pdf-bad__pdf.js__poppler-67295-0.pdf": "damaged, but its page can be read",
    "xlsx-bad__poi__xlsx-corrupted.xlsx": "the reader refuses a workbook with broken links",
}
pytestmark = pytest.mark.skipif(not INDEX.exists(), reason="the handed files are not here")


@dataclass(frozen=True)
class Handed:
    """A file, what is expected of it, and what came of it."""

    name: str
    category: str
    expect: str
    words: tuple[str, ...]
    unwanted: tuple[str, ...]
    outcome: Document | ExtractionError

    @cached_property
    def segments(self) -> list[tuple[Locator, str]]:
        if isinstance(self.outcome, ExtractionError):
            return []
        text = self.outcome.text
        return [(each.locator, bare(text[each.start : each.end])) for each in self.outcome.segments]

    @property
    def reason(self) -> Reason | None:
        return self.outcome.reason if isinstance(self.outcome, ExtractionError) else None

    def has(self, located: str) -> bool:
        """Whether one segment holds the word where it is said to stand."""
        word, covers = parse(located)
        return any(word in text and covers(locator) for locator, text in self.segments)


def mime_type_of(name: str, category: str) -> str:
    """By the suffix, as a source lists it; the text category is text under any suffix."""
    suffix = "txt" if category == "txt" else name.rpartition(".")[2]
    return MIME_TYPES.get(suffix, f"application/x-{suffix}")


@pytest.fixture(scope="module")
def handed() -> Iterator[list[Handed]]:
    with INDEX.open(encoding="utf-8", newline="") as file, Sandbox() as sandbox:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
        yield [
            Handed(
                row["file"],
                row["category"],
                row["expect"],
                split(row["must_appear (loc:word)"] or ""),
                split(row["must_not_appear"] or ""),
                outcome(sandbox, row["file"], row["category"]),
            )
            for row in rows
        ]


def outcome(sandbox: Sandbox, name: str, category: str) -> Document | ExtractionError:
    try:
        return sandbox.extract(FILES / name, mime_type_of(name, category))
    except ExtractionError as error:
        return error


def in_scope(handed: list[Handed]) -> list[Handed]:
    return [each for each in handed if is_supported(mime_type_of(each.name, each.category))]


def test_every_file_ends_as_a_document_or_with_a_reason_of_its_own(
    handed: list[Handed], sound: Callable[[Document], None]
) -> None:
    assert len(handed) == len(list(FILES.iterdir())) - 1
    for each in handed:
        assert each.reason not in {Reason.INTERNAL, Reason.RESOURCE_LIMIT}, each.name
        if isinstance(each.outcome, Document):
            sound(each.outcome)


def test_types_of_later_days_are_unsupported_and_nothing_else_is(handed: list[Handed]) -> None:
    unsupported = {each.name for each in handed if each.reason is Reason.UNSUPPORTED_TYPE}

    assert unsupported == {each.name for each in handed} - {each.name for each in in_scope(handed)}


def test_nearly_every_listed_word_is_in_a_segment_that_names_its_place(
    handed: list[Handed],
) -> None:
    found, wanted, missed = Counter[str](), Counter[str](), []
    for each in in_scope(handed):
        if each.category == "wrongext":
            continue  # what the words inside are is moot when the file must be refused
        for word in each.words:
            wanted[each.category] += 1
            found[each.category] += each.has(word)
            if not each.has(word):
                missed.append(f"{each.name}: {word} ({each.reason or 'read'})")
    for category in sorted(wanted):
        print(f"{category}: {found[category]}/{wanted[category]}")  # noqa: T201 - the figures
    print("missed:", *missed, sep="\n  ")  # noqa: T201 - the figures

    assert wanted.total() > 200
    assert found.total() / wanted.total() >= WANTED, missed


def test_deleted_text_does_not_appear(handed: list[Handed]) -> None:
    kept = {
        each.name: set(each.unwanted) & set(re.findall(r"\w+", each.outcome.text))
        for each in in_scope(handed)
        if each.unwanted and isinstance(each.outcome, Document)
    }

    assert kept
    assert not any(kept.values())


# What the index says in words, as reasons; none stands for text. The first that fits holds.
EXPECTED: Mapping[str, set[Reason | None]] = {
    "error:encrypted": {Reason.ENCRYPTED},
    "error:corrupt (or partial": {Reason.CORRUPT, None},
    "error:corrupt": {Reason.CORRUPT},
    "error:empty": {Reason.NO_TEXT},
    "error:type mismatch": {Reason.TYPE_MISMATCH},
    "needs OCR": {Reason.NEEDS_OCR},
    "zero chunks": {Reason.NO_TEXT},
    "bounded time": {*Reason, None},
    "or a refusal": {*Reason, None},
    "": {None, Reason.NO_TEXT},
}


def expected_reasons(expect: str) -> set[Reason | None]:
    return next(reasons for words, reasons in EXPECTED.items() if words in expect)


def test_a_file_without_text_says_why_in_the_words_of_the_index(handed: list[Handed]) -> None:
    otherwise = {
        each.name for each in in_scope(handed) if each.reason not in expected_reasons(each.expect)
    }

    assert otherwise == set(BETTER_KNOWN)


def test_only_files_without_any_listed_word_may_have_no_text(handed: list[Handed]) -> None:
    blank = [each.name for each in in_scope(handed) if each.reason is Reason.NO_TEXT and each.words]

    assert blank == []


def test_the_same_bytes_give_the_same_document_whoever_reads_them(handed: list[Handed]) -> None:
    small = [
        each
        for each in in_scope(handed)
        if isinstance(each.outcome, Document)
        and each.name.endswith((".docx", ".xlsx", ".md"))
        and (FILES / each.name).stat().st_size < 100_000
    ]

    for each in small:
        again = read_document(FILES / each.name, mime_type_of(each.name, each.category))
        assert again == each.outcome
    assert len(small) > 20
