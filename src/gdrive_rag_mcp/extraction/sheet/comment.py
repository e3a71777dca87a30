"""What somebody noted at a cell, as it is said."""

from dataclasses import dataclass

from gdrive_rag_mcp.extraction.building import one_line
from gdrive_rag_mcp.extraction.comments import tagged


@dataclass(frozen=True, slots=True)
class Note:
    """A comment, tagged with who wrote it, and its cell, numbered from 1."""

    row: int
    column: int
    text: str


def comment_text(author: str, text: str) -> str:
    """A comment in one line, tagged with its author; Excel writes the name in front once more."""
    name = one_line(author)
    said = " ".join(text.split()).removeprefix(f"{name}:").strip()
    return tagged(said, name) if said else ""
