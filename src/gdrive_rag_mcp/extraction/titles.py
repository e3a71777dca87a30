"""Tells a title that an author gave from one that a program left behind."""

import re

from gdrive_rag_mcp.extraction.building import one_line

_FILE_NAME = re.compile(
    r"(?i)[^\s]\.(?:docx?|dotx?|xlsx?|pptx?|pdf|odt|rtf|txt|md|html?|tex|dvi|ps|indd|qxd|fm|wpd)$"
)
_PROGRAM = re.compile(
    r"(?i)^(?:microsoft (?:word|excel|powerpoint)\b|powerpoint presentation$|untitled\b|unbenannt"
    r"|sans titre|sin título|senza titolo|без имени|無題|无标题|無標題|제목 ?없음|không tiêu đề"
    r"|document ?\d*$|dokument ?\d*$|문서 ?\d+$|new document|title$|\(?anonymous\)?$|slide ?\d+$"
    r"|[\W\d_]*$)"
)


def sensible_title(metadata: str | None) -> str:
    """The title that metadata gives, or nothing when it is a file's name or a program's default."""
    title = one_line(metadata or "")
    if _PROGRAM.search(title) or _FILE_NAME.search(title) or "\\" in title:
        return ""
    return title
