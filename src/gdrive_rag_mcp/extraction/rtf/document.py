r"""Reads RTF: headings, text and tables in order, then notes, comments, headers and footers.

Format: Rich Text Format 1.9.1. Insertions under review are read, deletions are not.
"""

from gdrive_rag_mcp.domain import Document, Reason
from gdrive_rag_mcp.errors import ExtractionError
from gdrive_rag_mcp.extraction.input_file import InputFile
from gdrive_rag_mcp.extraction.rtf.reader import RtfReader
from gdrive_rag_mcp.extraction.rtf.tokens import Tokens

MAX_BYTES = 200_000_000


def read(file: InputFile) -> Document:
    """Read an RTF file.

    Raises:
        ExtractionError: it is too large, or without text.
    """
    if file.size > MAX_BYTES:
        raise ExtractionError(
            Reason.TOO_LARGE,
            f"The RTF file has {file.size:,} bytes, more than {MAX_BYTES:,}",
            hint="Save it without its pictures, or as DOCX.",
        )
    data = file.read()
    return RtfReader(Tokens(data[data.find(b"{\\rtf") :])).run()
