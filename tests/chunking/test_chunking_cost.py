"""Four times the text costs about four times the work, whatever the text."""

import time
from collections.abc import Callable

import pytest

from gdrive_rag_mcp.chunking.structural import StructuralChunker
from gdrive_rag_mcp.domain import Chunk, Document, Locator, Segment, SegmentKind
from tests.chunking.made import uncovered

CHUNKER = StructuralChunker(300, 40)
# Between 4, which linear work takes, and 16, which work with the square of the text takes.
LIMIT = 9


def _whole(text: str) -> Document:
    lines = Locator("lines", "1", 1, text.count("\n") + 1)
    return Document("", text, (Segment(0, len(text), SegmentKind.TEXT, lines),))


def _scattered(count: int, kind: SegmentKind, *, under_headings: bool) -> Document:
    return Document(
        "",
        "x\n" * count,
        tuple(
            Segment(
                2 * n,
                2 * n + 1,
                kind,
                Locator("lines", str(n), n, n),
                (f"h{n}",) if under_headings else (),
            )
            for n in range(count)
        ),
    )


MAKERS: dict[str, Callable[[int], Document]] = {
    "words without a sentence end": lambda n: _whole("lorem ipsum dolor " * (4 * n)),
    "no blank at all": lambda n: _whole("lorem" * (10 * n)),
    "a script without blanks": lambda n: _whole("ภาษาไทย" * (6 * n)),
    "blanks": lambda n: _whole("a" + " " * (50 * n) + "b"),
    "line ends": lambda n: _whole("a" + "\n" * (50 * n) + "b"),
    "indented lines": lambda n: _whole("a\n \t" * (10 * n)),
    "full stops": lambda n: _whole("." * (20 * n)),
    "closing quotes": lambda n: _whole('."' * (10 * n)),
    "abbreviations": lambda n: _whole("Dr. A. B. " * (4 * n)),
    "items": lambda n: _whole("You must bring:\n" + "- a form, signed.\n" * (4 * n)),
    "items of three marks": lambda n: _whole("- a:\n* b:\n1. c:\n" * n),
    "items ever deeper": lambda n: _whole("".join(f"{' ' * (k % 400)}- a:\n" for k in range(n))),
    "colons": lambda n: _whole("So it is:\n\n" * (4 * n)),
    "wrapped lines": lambda n: _whole("the rent e.g. of a house, and of all\n" * (4 * n)),
    "hyphens": lambda n: _whole("the rent of an apart-\nment and of a self-\n" * (4 * n)),
    "marks": lambda n: _whole("e" + "\u0301" * (20 * n)),
    "flags": lambda n: _whole("\U0001f1f3" * (20 * n)),
    "segments": lambda n: _scattered(4 * n, SegmentKind.TEXT, under_headings=False),
    "rows": lambda n: _scattered(4 * n, SegmentKind.ROW, under_headings=False),
    "headings": lambda n: _scattered(4 * n, SegmentKind.HEADING, under_headings=True),
    "sections": lambda n: _scattered(n, SegmentKind.TEXT, under_headings=True),
}


def _timed(document: Document) -> tuple[float, tuple[Chunk, ...]]:
    """The least CPU time of three runs: what the work costs without the neighbours' share."""
    took = []
    for _ in range(3):
        begun = time.process_time()
        chunks = CHUNKER.chunk(document)
        took.append(time.process_time() - begun)
    return min(took), chunks


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS.keys())
def test_the_work_grows_with_the_text_and_not_with_its_square(
    make: Callable[[int], Document],
) -> None:
    once, _ = _timed(make(1000))
    fourfold, chunks = _timed(document := make(4000))

    assert fourfold <= LIMIT * once
    assert uncovered(document, chunks) == ""
