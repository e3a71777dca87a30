"""Comments on slides, of the old kind (a list) and of the new (threads with replies)."""

from collections.abc import Iterable, Iterator, Mapping

from gdrive_rag_mcp.extraction.building import one_line
from gdrive_rag_mcp.extraction.comments import tagged
from gdrive_rag_mcp.extraction.drawing.text import flat_text
from gdrive_rag_mcp.extraction.ooxml import Element, attribute, child, local_name

Authors = Mapping[str, str]
"""Names by the ids that comments refer to."""

_TAGS = {"cm": "Comment", "reply": "Reply"}


def read_authors(lists: Iterable[Element]) -> Authors:
    """The authors of a deck; both kinds of lists have ids and names."""
    return {
        attribute(author, "id") or "": one_line(attribute(author, "name") or "")
        for each in lists
        for author in each
    }


def read_comments(comments: Element, authors: Authors) -> Iterator[str]:
    """The comments of a slide with their authors: `[Comment by Kim] Too long?`, replies after."""
    for each in comments.iter():
        tag = _TAGS.get(local_name(each), "")
        text = _said(each) if tag else ""
        if text:
            author = authors.get(attribute(each, "authorId") or "", "")
            yield tagged(text, author, tag)


def _said(comment: Element) -> str:
    """Old comments hold plain text, new ones a text body."""
    plain = child(comment, "text")
    text = "" if plain is None else plain.text or ""
    return " ".join(text.split()) or flat_text(child(comment, "txBody"))
