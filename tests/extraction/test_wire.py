"""How documents and refusals cross between processes, and what is not taken for either."""

import pytest

from gdrive_rag_mcp.domain import Document, Locator, Reason, Segment, SegmentKind
from gdrive_rag_mcp.errors import ExtractionError
from gdrive_rag_mcp.extraction.isolation import wire
from gdrive_rag_mcp.extraction.isolation.wire import pack, pack_error, unpack


def test_a_document_survives_packing_whole() -> None:
    segments = (
        Segment(0, 3, SegmentKind.HEADING, Locator("page", "1", 1, 1, "iv"), ("한글",)),
        Segment(5, 8, SegmentKind.ROW, Locator("sheet", "A!B1", 1, 1, "A"), (), "x | y"),
        Segment(9, 12, SegmentKind.ROW, Locator("heading", "A > B"), ("한글",), "x | y"),
        Segment(13, 16, SegmentKind.TEXT, Locator("page", "2", 2, 2, ocr=87)),
    )
    text = "abc\n\ndef\nghi\njkl"
    document = Document("제목", text, segments, ("page 2: lost",), ocr_matters=True)

    assert unpack(pack(document)) == document


def test_a_refusal_survives_packing_whole() -> None:
    with pytest.raises(ExtractionError) as refusal:
        unpack(pack_error(ExtractionError(Reason.ENCRYPTED, "locked", hint="unlock")))

    assert (refusal.value.reason, refusal.value.message, refusal.value.hint) == (
        Reason.ENCRYPTED, "locked", "unlock",
    )  # fmt: skip


PLAIN = (
    '{"title":"title","starts":[0],"ends":[3],"kinds":["text"],"paths":[0],"leads":[0],'
    '"places":[["lines"],["1"],[1],[1],[null],[null]],'
    '"headings":[[]],"contexts":[""],"failures":[],"ocr_matters":0}\nabc'
)


def test_an_answer_by_hand_is_a_document() -> None:
    """Otherwise the answers below would be refused for another reason."""
    assert unpack(PLAIN.encode()).text == "abc"


@pytest.mark.parametrize(
    ("said", "instead"),
    [
        ("abc", "ab"),
        ("abc", "\x00"),
        ("[0]", "[0,3]"),
        ("[0]", "[-1]"),
        ("[0]", "[4]"),
        ("[3]", "[Infinity]"),
        ("[3]", "[null]"),
        ('["text"]', '["picture"]'),
        ('"paths":[0]', '"paths":[7]'),
        ('"leads":[0]', '"leads":["x"]'),
        ("[1],[1]", "[1],[]"),
        ('"headings":[[]]', '"headings":[0]'),
        ("title", "\\ud800"),
        ('"lines"', '"\\udfff"'),
    ],
)
def test_an_answer_with_a_fault_is_none(said: str, instead: str) -> None:
    assert said in PLAIN

    assert_is_none(PLAIN.replace(said, instead, 1).encode())


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"null",
        b"[]",
        b"{}",
        b'{"reason":"no such"}',
        b"[" * 100_000,
        b"[" * 3_000_000,
        b"[" + b"[]," * 3_000_000 + b"[]]",
        PLAIN.encode().replace(b"abc", b"\xff\xff\xff"),
        b'{"reason":"corrupt","message":"\\udfff","hint":""}',
    ],
)
def test_an_answer_that_is_none_is_an_internal_failure(answer: bytes) -> None:
    assert_is_none(answer)


def assert_is_none(answer: bytes) -> None:
    with pytest.raises(ExtractionError) as refusal:
        unpack(answer)

    assert refusal.value.reason is Reason.INTERNAL
    assert "unreadable answer" in refusal.value.message


def test_a_document_of_too_many_parts_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "MAX_SEGMENTS", 1)
    segments = [Segment(n, n + 1, SegmentKind.TEXT, Locator("lines", "1")) for n in (0, 2)]

    with pytest.raises(ExtractionError) as refusal:
        pack(Document("", "a b", tuple(segments)))

    assert refusal.value.reason is Reason.TOO_LARGE
