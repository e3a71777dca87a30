"""Documents for the tests of chunking, put together piece by piece as an extractor does it."""

from collections.abc import Sequence

from gdrive_rag_mcp.domain import Chunk, Document, Locator, Segment, SegmentKind


class Made:
    """Collects pieces of text and their segments; a blank line stands between any two."""

    def __init__(self, title: str = "") -> None:
        self._title = title
        self._text = ""
        self._segments: list[Segment] = []

    def heading(self, *path: str) -> "Made":
        return self._add(path[-1], SegmentKind.HEADING, Locator("heading", " > ".join(path)), path)

    def text(self, text: str, *path: str) -> "Made":
        return self._add(text, SegmentKind.TEXT, Locator("heading", " > ".join(path)), path)

    def page(self, number: int, text: str, label: str | None = None) -> "Made":
        locator = Locator("page", str(number), number, number, label)
        return self._add(text, SegmentKind.TEXT, locator)

    def lines(self, first: int, text: str) -> "Made":
        last = first + text.count("\n")
        locator = Locator("lines", f"{first}-{last}" if last > first else str(first), first, last)
        return self._add(text, SegmentKind.TEXT, locator)

    def row(self, number: int, text: str, sheet: str = "Budget", header: str = "") -> "Made":
        last_column = chr(ord("A") + text.count("|"))
        locator = Locator(
            "sheet", f"{sheet}!A{number}:{last_column}{number}", number, number, sheet
        )
        return self._add(text, SegmentKind.ROW, locator, context=header)

    def table_row(self, text: str, *path: str, header: str = "") -> "Made":
        locator = Locator("heading", " > ".join(path))
        return self._add(text, SegmentKind.ROW, locator, path, header)

    def at(
        self, kind: str, value: str, text: str, *path: str, number: int | None = 1, label: str = ""
    ) -> "Made":
        locator = Locator(kind, value, number, number, label or None)
        return self._add(text, SegmentKind.TEXT, locator, path)

    def entry(self, pointer: str, text: str, *path: str) -> "Made":
        return self._add(text, SegmentKind.TEXT, Locator("pointer", pointer), path)

    @property
    def document(self) -> Document:
        return Document(self._title, self._text, tuple(self._segments))

    def _add(
        self,
        text: str,
        kind: SegmentKind,
        locator: Locator,
        headings: tuple[str, ...] = (),
        context: str = "",
    ) -> "Made":
        separator = ("\n" if kind is SegmentKind.ROW else "\n\n") if self._text else ""
        start = len(self._text) + len(separator)
        self._text += separator + text
        self._segments.append(Segment(start, start + len(text), kind, locator, headings, context))
        return self


def sentences(count: int, about: str = "leave") -> str:
    """Prose of which every sentence is different."""
    return " ".join(
        f"Rule {chr(65 + n % 26)}{n} on {about} says that staff of grade {n} wait {n + 2} days."
        for n in range(count)
    )


def uncovered(document: Document, chunks: Sequence[Chunk]) -> str:
    """The characters that are no blanks and lie in no chunk."""
    covered = bytearray(len(document.text))
    for chunk in chunks:
        covered[chunk.start : chunk.end] = b"\1" * (chunk.end - chunk.start)
    return "".join(
        char for char, seen in zip(document.text, covered, strict=True) if not seen
    ).strip()
