"""Tells what an author says of a picture from what a program writes when nobody has."""

import re

from gdrive_rag_mcp.extraction.building import one_line

_LONGEST = 2_000
# A file's name, or a kind of shape and its number.
_SAYS_NOTHING = re.compile(
    r"(?i)\S+\.(?:png|jpe?g|gif|bmp|tiff?|svg|emf|wmf|webp|heic|pdf)"
    r"|(?:google )?(?:image|picture|photo|shape|graphic|chart|table|object|img)[ \d_;.-]*(?:p\d+)?"
    r"|[\W\d_]*"
)


def said_of(description: str) -> str:
    """The alternative text in one line, or nothing when it is none."""
    said = one_line(description, _LONGEST)
    return "" if _SAYS_NOTHING.fullmatch(said) else said
