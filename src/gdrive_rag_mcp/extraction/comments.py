"""How what people noted beside a text is said, in every format alike."""

from gdrive_rag_mcp.extraction.building import one_line


def tagged(text: str, author: str, kind: str = "Comment") -> str:
    """A comment with who wrote it: `[Comment by Kim] Too long?`."""
    name = one_line(author)
    return f"[{kind} by {name}] {text}" if name else f"[{kind}] {text}"
