"""Reads a folder of files that an index says the truth about, and compares.

The index is `INDEX.tsv`: one line a file, with what must come of it, words with the places where
they must be found, and words that must not appear. Nothing in it was made with this project.
"""

import csv
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from gdrive_rag_mcp.chunking.structural import StructuralChunker
from gdrive_rag_mcp.domain import Document, Locator, Reason
from gdrive_rag_mcp.errors import ExtractionError
from gdrive_rag_mcp.extraction.isolation.sandbox import Sandbox
from gdrive_rag_mcp.settings import load_settings
from gdrive_rag_mcp.sources.media_types import media_type_of
from tools.format_causes import BLANK
from tools.located_words import LocatedWord, bare, split

INDEX = "INDEX.tsv"

# Reasons that are right where the index says these words; the first entry that fits holds.
# A document is right as well where `None` is among them.
_RIGHT: Mapping[str, frozenset[Reason | None]] = {
    "error:encrypted": frozenset({Reason.ENCRYPTED}),
    "error:corrupt": frozenset({Reason.CORRUPT}),
    "error:empty": frozenset({Reason.NO_TEXT}),
    "zero chunks": frozenset({Reason.NO_TEXT}),
    "type mismatch": frozenset({Reason.TYPE_MISMATCH, None}),
    "needs OCR": frozenset({Reason.NEEDS_OCR}),
    "bounded time": frozenset({*Reason, None} - {Reason.INTERNAL}),
    "or a refusal": frozenset({*Reason, None} - {Reason.INTERNAL}),
}
_READ: frozenset[Reason | None] = frozenset({None})
_COUNTED = re.compile(r"(page|sheet|slide)s=(\d+)")
# How failures begin that name where they are: `pages 4-6: no text layer`.
_NUMBERED = {kind: re.compile(rf"{kind}s? (\d+)(?:-(\d+))?:") for kind in ("page", "slide")}


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the index; `origin` is where the file was published."""

    file: str
    category: str
    origin: str
    expect: str
    words: tuple[LocatedWord, ...]
    unwanted: tuple[str, ...]

    @property
    def right(self) -> frozenset[Reason | None]:
        return next((right for words, right in _RIGHT.items() if words in self.expect), _READ)


@dataclass(frozen=True, slots=True)
class Result:
    """What came of a file: `wrong` says how that differs from what is expected, if it does."""

    entry: Entry
    outcome: Document | ExtractionError
    wrong: str
    not_in_segments: tuple[LocatedWord, ...]
    not_in_chunks: tuple[LocatedWord, ...]
    appearing: tuple[str, ...]

    @property
    def reason(self) -> Reason | None:
        return self.outcome.reason if isinstance(self.outcome, ExtractionError) else None

    @property
    def words(self) -> tuple[LocatedWord, ...]:
        """Those that count: what is rightly refused has none to show."""
        refused = isinstance(self.outcome, ExtractionError)
        return () if refused and not self.wrong else self.entry.words

    @property
    def misses(self) -> bool:
        """Whether anything is other than the index says."""
        parts = (self.wrong, self.not_in_segments, self.not_in_chunks, self.appearing)
        return any(map(bool, parts))


def entries(folder: Path) -> list[Entry]:
    """The index of a folder, in its order."""
    with (folder / INDEX).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    return [
        Entry(
            row["file"],
            row["category"],
            f"{row['repo']}: {row['path']}",
            row["expect"],
            tuple(map(LocatedWord.of, split(row["must_appear (loc:word)"] or ""))),
            split(row["must_not_appear"] or ""),
        )
        for row in rows
    ]


def run(folder: Path, wanted: Iterable[Entry] | None = None) -> Iterator[Result]:
    """Read the files as a sync of the folder would, and judge what comes of each."""
    settings = load_settings(environ={"HOME": os.devnull})
    chunker = StructuralChunker(settings.chunk_size, settings.chunk_overlap)
    with Sandbox() as sandbox:
        for entry in entries(folder) if wanted is None else wanted:
            try:
                document = sandbox.extract(folder / entry.file, media_type_of(entry.file))
            except ExtractionError as error:
                yield judge(entry, error, chunker)
            else:
                yield judge(entry, document, chunker)


def judge(entry: Entry, outcome: Document | ExtractionError, chunker: StructuralChunker) -> Result:
    """Compare what came of a file with its entry."""
    if isinstance(outcome, ExtractionError):
        wrong = "" if outcome.reason in entry.right else f"{outcome.reason.value}: {outcome}"
        missing = entry.words if wrong else ()
        return Result(entry, outcome, wrong, missing, missing, ())
    segments = [(each.locator, outcome.text[each.start : each.end]) for each in outcome.segments]
    chunks = chunker.chunk(outcome)
    told = " ".join([outcome.title, *(chunk.embedded_text for chunk in chunks)])
    return Result(
        entry,
        outcome,
        _wrong_document(entry, outcome),
        _missing(entry.words, segments, outcome.title),
        _missing(entry.words, [(each.locator, each.text) for each in chunks], outcome.title),
        tuple(word for word in entry.unwanted if word in set(re.findall(r"\w+", told))),
    )


def _missing(
    words: Iterable[LocatedWord], places: Iterable[tuple[Locator, str]], title: str
) -> tuple[LocatedWord, ...]:
    """The words that stand in no text whose locator covers their place."""
    texts = [(locator, bare(text)) for locator, text in places]
    return tuple(
        each
        for each in words
        if not (each.in_title and each.word in bare(title))
        and not any(each.word in text and each.covers(locator) for locator, text in texts)
    )


def _wrong_document(entry: Entry, document: Document) -> str:
    """How a file that was read is other than expected; empty if it is not."""
    if None not in entry.right and not _admits_failure(entry, document):
        return f"read, {len(document.text):,} characters"
    if "hidden" in entry.expect and not any(
        "hidden" in " ".join(e.headings) for e in document.segments
    ):
        return "nothing is said to be hidden"
    return _miscounted(entry, document)


def _miscounted(entry: Entry, document: Document) -> str:
    """How the places that are cited, or named as not read, differ from those that there are."""
    counted = _COUNTED.search(entry.expect)
    if not counted:
        return ""
    kind, there = counted[1], int(counted[2])
    told = {at.label if kind == "sheet" else at.first for at in _located(document, kind)}
    beyond = [n for n in told if isinstance(n, int) and not 0 < n <= there]
    if beyond or len(told) > there:
        return f"{len(told)} {kind}s are cited, up to {max(beyond, default=there)}"
    unsaid = there - len(told | _named_as_missing(kind, document))
    blank = BLANK.get(entry.file, 0)
    if unsaid != blank:
        return f"{unsaid} of {there} {kind}s are neither cited nor named as not read"
    return ""


def _named_as_missing(kind: str, document: Document) -> set[str | int | None]:
    """The places that the failures name: pages and slides by number, sheets by what is said."""
    if kind == "sheet":
        return {each for each in document.failures if each.startswith("Sheet ")}
    named = (_NUMBERED[kind].match(each) for each in document.failures)
    spans = (range(int(at[1]), int(at[2] or at[1]) + 1) for at in named if at)
    return {number for span in spans for number in span}


def _admits_failure(entry: Entry, document: Document) -> bool:
    """Whether a document says what it lacks, where a part of a damaged file or scan is right."""
    partly = "partial" in entry.expect or entry.right == {Reason.NEEDS_OCR}
    return partly and bool(document.failures)


def _located(document: Document, kind: str) -> Iterator[Locator]:
    return (each.locator for each in document.segments if each.locator.kind == kind)
