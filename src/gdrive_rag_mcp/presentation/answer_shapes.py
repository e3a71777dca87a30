"""The JSON objects of answers and quotes, key by key; a change here is a change for clients."""

from typing import NotRequired, TypedDict

from gdrive_rag_mcp.presentation.shapes import (
    CitationObject,
    EvidenceObject,
    Fenced,
    HitObject,
    LocatorObject,
    ScopeObject,
)


class SourceObject(TypedDict):
    """A passage to answer from; `n` is the number it is cited by. The rest is as of a hit."""

    n: int
    chunk_id: str
    document_id: str
    state: NotRequired[str]
    title: str
    headings: NotRequired[list[str]]
    context: NotRequired[str]
    text: str
    truncated: NotRequired[bool]
    citation: CitationObject


class RefusalObject(TypedDict):
    """Why there is no answer, and what the user is to be told in its place."""

    reason: str
    missing_terms: list[str]
    say: str


class AnswerObject(Fenced):
    """What to answer from and by which rules; or a refusal, with leads that are no sources."""

    question: str
    scope: ScopeObject
    answerable: bool
    evidence: EvidenceObject
    rules: list[str]
    refusal: RefusalObject | None
    omitted_sources: NotRequired[int]
    sources: list[SourceObject]
    candidate_results: list[HitObject]


class DifferenceObject(TypedDict):
    """Words of a quote, and what the document has in their place; one may be empty."""

    kind: str
    quote: str
    document: str


class ChunkPlaceObject(TypedDict):
    """A chunk that a quote reaches into."""

    chunk_id: str
    locator: LocatorObject


class PlaceObject(TypedDict):
    """A further place of a quote, or a part of one that marks omissions, with its own verdict."""

    verdict: str
    start: int | None
    end: int | None
    found_text: str | None
    locator: LocatorObject | None


class QuoteObject(Fenced):
    """A quote compared with a document.

    `found_text` is the document's text from `start` to `end`, or the beginning of it where the
    result is `truncated`. `tolerated` is empty where it is the quote character for character, and
    `altered` names the differences that change what is claimed.
    """

    verdict: str
    tolerated: list[str]
    altered: list[str]
    similarity: float
    occurrences: int
    start: int | None
    end: int | None
    truncated: NotRequired[bool]
    state: NotRequired[str]
    message: str
    document_id: str
    title: str
    found_text: str | None
    differences: list[DifferenceObject]
    citation: CitationObject | None
    in_chunks: list[ChunkPlaceObject]
    other_places: list[PlaceObject]
    parts: NotRequired[list[PlaceObject]]
