"""What a deck holds and is not read: parts that are damaged, and slides that are pictures."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from gdrive_rag_mcp.domain import Reason
from gdrive_rag_mcp.errors import ExtractionError
from gdrive_rag_mcp.extraction.building import DocumentBuilder
from gdrive_rag_mcp.extraction.drawing.shapes import Kind, Shape
from gdrive_rag_mcp.extraction.slides.page import Page


class Losses:
    """Notes each loss in the document, and says why there is none when all is lost."""

    def __init__(self, builder: DocumentBuilder) -> None:
        self._builder = builder
        self._refusals: list[ExtractionError] = []
        self._first_picture = 0

    @contextmanager
    def guarded(self, what: str) -> Iterator[None]:
        """Let what cannot be read in this block cost itself alone.

        Raises:
            ExtractionError: the document is too large, which is said of the whole.
        """
        try:
            yield
        except ExtractionError as error:
            if error.reason is Reason.TOO_LARGE:
                raise
            self._refusals.append(error)
            self._builder.fail(f"{what}: {error.message}")

    def look_at(
        self, page: Page, shapes: Iterable[Shape], area: int, *, background: bool = False
    ) -> None:
        """Note a slide that says nothing of its own and is covered by a picture."""
        if page.says_something or not (background or any(_covers(each, area) for each in shapes)):
            return
        self._first_picture = self._first_picture or page.place
        self._builder.fail(f"slide {page.place}: a picture without text")

    def refuse_if_all(self) -> None:
        """Refuse a deck of which nothing was read.

        Raises:
            ExtractionError: text may stand in pictures (`needs_ocr`), or why a part was refused.
        """
        if not self._builder.empty:
            return
        if self._first_picture:
            raise ExtractionError(
                Reason.NEEDS_OCR,
                f"The slides are pictures without text (the first is slide {self._first_picture})",
                hint="Save the deck as a PDF, run that through OCR and store the result.",
            )
        if self._refusals:
            raise self._refusals[0]


def _covers(shape: Shape, area: int) -> bool:
    """Whether a picture takes at least half of a slide; one of unknown size may."""
    return shape.kind is Kind.PICTURE and (shape.area is None or 2 * shape.area >= area)
