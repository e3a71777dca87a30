"""Documents of any text under any structure, for what must hold of all of them."""

from hypothesis import strategies as st

from gdrive_rag_mcp.domain import Document, Locator, Segment, SegmentKind
from tests.chunking.made import sentences

_WORDS = st.one_of(
    st.text(max_size=60),
    st.text(alphabet="ab .!?\n", max_size=200),
    st.sampled_from(
        [sentences(30), "ภาษาไทยไม่มีช่องว่าง" * 20, "连续的中文" * 50, "x" * 900, " " * 999]
    ),
)
_PATHS = st.lists(st.sampled_from(["Leave", "Unpaid", "Paid"]), max_size=3).map(tuple)
_PLACES = st.sampled_from(
    [
        Locator("page", "2", 2, 2),
        Locator("page", "3", 3, 3, "iii"),
        Locator("lines", "4-9", 4, 9),
        Locator("heading", "Leave", 1, 2),
        Locator("heading", "Leave > Paid"),
        Locator("sheet", "Budget!A5:F5", 5, 5, "Budget"),
        Locator("sheet", "Staff!B7:AC7", 7, 7, "Staff"),
        Locator("paragraph", "7", 7, 7),
        Locator("part", "comments"),
    ]
)


@st.composite
def documents(draw: st.DrawFn) -> Document:
    """Any text under any structure, contradictory structures included."""
    text = draw(st.sampled_from(["", "\n", "  "]))
    segments = []
    for _ in range(draw(st.integers(0, 8))):
        start = len(text)
        text += draw(_WORDS)
        kind, place, path = draw(st.sampled_from(SegmentKind)), draw(_PLACES), draw(_PATHS)
        context = draw(st.sampled_from(["", "Item | Cost"]))
        segments.append(Segment(start, len(text), kind, place, path, context))
        text += draw(st.sampled_from(["", "\n", "\n\n"]))
    return Document(draw(st.text(max_size=20)), text, tuple(segments))
