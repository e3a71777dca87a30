"""Documents of any text under any structure, for what must hold of all of them."""

from hypothesis import strategies as st

from gdrive_rag_mcp.domain import Document, Locator, Segment, SegmentKind
from tests.chunking.made import sentences

LIST = "You must bring:\n" + "".join(f"- the form {n}. It is signed.\n" for n in range(40))
WRAPPED = (
    "The rent is due on the fifth day of each month and is paid\nto the self-\nemployed owner.\n"
)
_WORDS = st.one_of(
    st.text(max_size=60),
    st.text(alphabet="ab .!?\n", max_size=200),
    st.sampled_from(
        [
            LIST,
            WRAPPED,
            sentences(30),
            "ภาษาไทยไม่มีช่องว่าง" * 20,
            "连续的中文" * 50,
            "x" * 900,
            " " * 999,
        ]
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
        Locator("slide", "3", 3, 3, "Outlook"),
        Locator("slide", "4", 4, 4, "Thanks"),
        Locator("cell", "5", 5, 5),
        Locator("chapter", "text/two.xhtml", 2, 2, "The second"),
        Locator("pointer", "/items/3"),
        Locator("pointer", "/items/4/name"),
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
