"""From the bytes of a file to clean text that knows where every part of it stands.

Importing this package loads no parser. `sandbox.Sandbox` is the way in for a process that must
survive whatever a file does; `reading.read_document` is what runs inside it.
"""

from gdrive_rag_mcp.extraction.formats import format_of, names_no_format

EXTRACTION_VERSION = "2"
"""Raised whenever the same bytes give another text: documents read by another are read anew."""


def is_supported(mime_type: str) -> bool:
    """Whether a file listed with this media type is worth fetching: it names a format, or none."""
    return format_of(mime_type) is not None or names_no_format(mime_type)
