"""What became of a quote that was looked for in a document's text."""

from dataclasses import dataclass
from enum import StrEnum

from gdrive_rag_mcp.domain.documents import Locator
from gdrive_rag_mcp.domain.evidence import Passage
from gdrive_rag_mcp.domain.files import FileRecord, FileState


class QuoteVerdict(StrEnum):
    """Whether a document holds a quote; what was overlooked in an exact one is said beside it."""

    EXACT = "exact"
    NEAR = "near"
    ABSENT = "absent"


class DifferenceKind(StrEnum):
    """What a quote says otherwise than its document; the first four change what is claimed."""

    NUMBER = "number"
    DATE = "date"
    NEGATION = "negation"
    NAME = "name"
    WORDING = "wording"
    ORDER = "order"
    PUNCTUATION = "punctuation"
    SPACING = "spacing"


ALARMING = (
    DifferenceKind.NUMBER,
    DifferenceKind.DATE,
    DifferenceKind.NEGATION,
    DifferenceKind.NAME,
)
"""The kinds that turn a quote into another claim, gravest first."""


@dataclass(frozen=True, slots=True)
class Span:
    """A place in a text: `text[start:end]`."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Difference:
    """Words of the quote that are not in the document's place, and what stands there instead.

    One of the two is empty where words were added or left out.
    """

    kind: DifferenceKind
    quote: str
    document: str


@dataclass(frozen=True, slots=True)
class QuoteMatch:
    """A quote compared with a text.

    `places` are where it stands, the first ones in order; of a near quote, the one place that comes
    nearest. `occurrences` counts all places where it stands, and is 0 for a near quote. `tolerated`
    names what had to be overlooked; empty: the same character for character. `similarity` is the
    share of its words that the place has, 0 to 1. `parts` are those of a quote with omissions.
    """

    verdict: QuoteVerdict
    places: tuple[Span, ...] = ()
    occurrences: int = 0
    tolerated: tuple[str, ...] = ()
    differences: tuple[Difference, ...] = ()
    similarity: float = 0.0
    parts: tuple["QuoteMatch", ...] = ()

    @property
    def place(self) -> Span | None:
        """Where it stands first; of one with omissions, from its first part to its last."""
        return self.places[0] if self.places else None

    @property
    def altered(self) -> tuple[DifferenceKind, ...]:
        """The kinds of differences that change what is claimed, gravest first."""
        kinds = {difference.kind for difference in self.differences}
        return tuple(kind for kind in ALARMING if kind in kinds)


@dataclass(frozen=True, slots=True)
class QuotedPlace:
    """A place in a document: what stands there, where that is, and the chunks it lies in."""

    span: Span
    text: str
    locator: Locator
    passages: tuple[Passage, ...]


@dataclass(frozen=True, slots=True)
class QuoteCheck:
    """A quote compared with an indexed document.

    `found` is the first place, `others` further ones, `parts` those of a quote with omissions (None
    for one that is absent). `outdated` is the document's state where it is not shown as it is now.
    """

    record: FileRecord
    title: str
    match: QuoteMatch
    found: QuotedPlace | None = None
    others: tuple[QuotedPlace, ...] = ()
    parts: tuple[QuotedPlace | None, ...] = ()
    outdated: FileState | None = None
